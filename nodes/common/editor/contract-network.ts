import type { Answer, Choices } from "../shared/form-types.ts";
import { isChosen } from "../shared/variables.ts";
import { getJson } from "./admin-requests.ts";
import { hintUnder } from "./form-rows.ts";
import { liveCheck } from "./live-check.ts";
import { descriptionOf } from "./lookup.ts";

/**
 * Says under the contract of a form on which network it is, and how final the blocks are that are reported there: where
 * the service says that, and both are deployed. `field` is that of the connection, or of what has one.
 */
export function describeContractNetwork(field: JQuery, connection: (chosen: string) => string): void {
  const contract = $("#node-input-contract");
  const hint = hintUnder(contract);
  const look = liveCheck<Answer<Choices>>(
    contract,
    () => {
      const [asked, its] = [connection(String(field.val() ?? "")), String(contract.val() ?? "")];
      if (!isChosen(asked) || !isChosen(its)) return undefined;
      const path = `crec/lookup/contract-network/${encodeURIComponent(asked)}`;
      return getJson(`${path}?text=${encodeURIComponent(its)}`);
    },
    (answer) => {
      const network = answer?.problem === undefined ? answer?.choices[0] : undefined;
      hint.say(network?.note ? descriptionOf(network, "") : "");
    },
  );
  contract.add(field).on("change", () => look.now());
  look.now();
}
