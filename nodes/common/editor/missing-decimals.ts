import { looksLikeToken } from "../shared/chain.ts";
import type { EventChoice, FunctionChoice } from "../shared/form-types.ts";
import { offeredBy } from "./abi.ts";
import type { EditedNode } from "./api.ts";
import { onContractChange } from "./config-change.ts";
import { hintUnder } from "./form-rows.ts";
import { liveCheck } from "./live-check.ts";

/** Says under the contract of a form that it looks like a token and has no decimals: its events carry no tokens then. */
export function warnOfMissingDecimals(node: EditedNode): void {
  const contract = $("#node-input-contract");
  const hint = hintUnder(contract);
  const chosen = () => RED.nodes.node(String(contract.val() ?? ""));
  const hasDecimals = () => String(chosen()?.decimals ?? "").trim() !== "";
  const look = liveCheck<boolean>(
    contract,
    () => (chosen() && !hasDecimals() ? isToken(node, String(contract.val())) : undefined),
    (isMissing) => {
      const name = String(chosen()?.name || chosen()?.address || "");
      hint.say(isMissing ? node._("common.hint.no-decimals", { name }) : "");
    },
  );
  contract.on("change", () => look.now());
  onContractChange(contract, () => look.now());
  look.now();
}

async function isToken(node: EditedNode, contract: string): Promise<boolean> {
  const [functions, events] = await Promise.all([
    offeredBy<FunctionChoice>(node, "functions", contract),
    offeredBy<EventChoice>(node, "events", contract),
  ]);
  return looksLikeToken(functions.found ?? [], events.found ?? []);
}
