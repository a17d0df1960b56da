import type { FunctionChoice } from "../shared/form-types.ts";
import type { EditedNode } from "./api.ts";

/** Functions that only read can be asked; those that write can be sent. */
export type Purpose = "ask" | "send";

/** Whether a function changes nothing. */
export function isRead({ stateMutability }: FunctionChoice): boolean {
  return stateMutability === "view" || stateMutability === "pure";
}

/**
 * The functions that fit the purpose, by name. Overloads are next to each other, with their signatures. With `isAll`,
 * those that write can be asked, too: nothing of such a call stays.
 */
export function fillFunctions(
  node: EditedNode,
  select: JQuery,
  functions: readonly FunctionChoice[],
  purpose: Purpose,
  isAll: boolean,
): void {
  const sorted = [...functions].sort((one, other) => one.signature.localeCompare(other.signature));
  select.empty().append($("<option>").val("").text(node._("common.choose-function")));
  if (purpose === "send") {
    for (const one of sorted.filter((each) => !isRead(each))) select.append(option(node, one));
    return;
  }
  select.append(sorted.filter(isRead).map((one) => option(node, one)));
  const tried = sorted.filter((one) => !isRead(one)).map((one) => option(node, one));
  if (isAll && tried.length > 0) {
    $("<optgroup>").attr("label", node._("common.only-tried")).append(tried).appendTo(select);
  }
}

function option(node: EditedNode, { signature, stateMutability }: FunctionChoice): JQuery {
  const paid = stateMutability === "payable" ? ` · ${node._("common.payable")}` : "";
  return $("<option>").val(signature).text(`${signature}${paid}`);
}
