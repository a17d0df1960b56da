import type { EditedNode } from "../../common/editor/api.ts";
import { inputOf, problemUnder } from "../../common/editor/form-rows.ts";
import { contractExists } from "../../common/editor/lookups/read-contract.ts";
import { liveCheck, TYPED } from "../../common/editor/while-open.ts";
import { ADDRESS } from "../../common/shared/field-checks.ts";
import type { Answer, ContractPlace, OnChain } from "../../common/shared/form-types.ts";
import { isReference } from "../../common/shared/variables.ts";

/**
 * Says that there is no contract where the watcher would look: it would be active, and never send an event. The chain is
 * read only for an address that a person chooses in this form, since that is work for the service.
 */
export function warnOfMissingContract(node: EditedNode, connection: () => string): void {
  const [address, contract, source] = [inputOf("address"), inputOf("contract"), inputOf("source")];
  const problem = problemUnder(address);
  const place = () => placeIn(connection(), address, contract, source);
  const opened = JSON.stringify(place());
  const check = liveCheck<Answer<OnChain>>(
    address,
    () => {
      const chosen = place();
      return chosen && JSON.stringify(chosen) !== opened ? contractExists(node, chosen) : undefined;
    },
    (answer) => {
      const isMissing = answer?.problem === undefined && answer?.isContract === false;
      problem.say(isMissing ? node._("create-watcher.hint.no-contract", { network: answer.network }) : "");
    },
  );
  address.on(TYPED, () => check.soon());
  contract.add(source).on("change", () => check.soon());
}

/** Undefined where nothing can be asked: it comes from a message, or is checked by the watcher service. */
function placeIn(
  connection: string,
  address: JQuery,
  contract: JQuery,
  source: JQuery,
): ContractPlace | undefined {
  const chosen = RED.nodes.node(String(contract.val() ?? ""));
  const typed = String(address.val() ?? "").trim();
  if (!chosen || connection === "" || source.val() !== "contract") return undefined;
  if (typed !== "" && (address.typedInput("type") !== "str" || !ADDRESS.test(typed))) return undefined;
  const watched = typed || String(chosen.address ?? "").trim();
  const chainSelector = String(chosen.chainSelector ?? "").trim();
  return ADDRESS.test(watched) || isReference(watched)
    ? { id: chosen.id, connection, chainSelector, address: watched }
    : undefined;
}
