import type { FunctionChoice } from "../shared/form-types.ts";
import type { EditedNode } from "./api.ts";

/** Functions that only read can be asked; those that write can be sent. */
export type Purpose = "ask" | "send";

/** The functions that fit the purpose, by name. Overloads are next to each other, with their signatures. */
export function fillFunctions(
  node: EditedNode,
  select: JQuery,
  functions: readonly FunctionChoice[],
  purpose: Purpose,
): void {
  const reads = ({ stateMutability }: FunctionChoice) =>
    stateMutability === "view" || stateMutability === "pure";
  const sorted = [...functions].sort((one, other) => one.signature.localeCompare(other.signature));
  select.empty().append($("<option>").val("").text(node._("common.choose-function")));
  if (purpose === "send") {
    for (const one of sorted.filter((each) => !reads(each))) select.append(option(node, one));
    return;
  }
  select.append(sorted.filter(reads).map((one) => option(node, one)));
  // What an exchange would answer, say: the call is tried, and nothing of it stays.
  const tried = sorted.filter((one) => !reads(one)).map((one) => option(node, one));
  if (tried.length > 0) {
    $("<optgroup>").attr("label", node._("common.only-tried")).append(tried).appendTo(select);
  }
}

function option(node: EditedNode, { signature, stateMutability }: FunctionChoice): JQuery {
  const paid = stateMutability === "payable" ? ` · ${node._("common.payable")}` : "";
  return $("<option>").val(signature).text(`${signature}${paid}`);
}
