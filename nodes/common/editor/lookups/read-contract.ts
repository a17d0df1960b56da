import type { Answer, Checked, ContractPlace, OnChain } from "../../shared/form-types.ts";
import type { EditedNode } from "../api.ts";
import { problemUnder } from "../form-rows.ts";
import { liveCheck, TYPED } from "../while-open.ts";
import { postJson, requestFailure } from "./admin-requests.ts";

/** What the chain says of an address, read by queries of the service. */
export function readContract(node: EditedNode, place: ContractPlace): Promise<Answer<OnChain>> {
  return answered(node, postJson<OnChain>("crec/contract/read", place));
}

/** Only whether there is a contract: fewer queries, and the answer is remembered. */
export function contractExists(node: EditedNode, place: ContractPlace): Promise<Answer<OnChain>> {
  return answered(node, postJson<OnChain>("crec/contract/exists", place));
}

function answered(node: EditedNode, request: Promise<Answer<OnChain>>): Promise<Answer<OnChain>> {
  return request.catch((failure: unknown) => ({
    ...{ problem: requestFailure(node, failure, "crec.write"), code: "UNANSWERED" },
  }));
}

/** Says under a box that an address in it is mistyped: a wrong checksum only the library can tell. */
export function checkAddress(node: EditedNode, field: JQuery): void {
  const problem = problemUnder(field);
  const check = liveCheck<Answer<Checked>>(
    field,
    () => {
      const value = String(field.val() ?? "").trim();
      const question = { name: node._("common.label.address"), type: "address", value, valueType: "str" };
      // What begins otherwise may be a name.
      return value.startsWith("0x") ? postJson<Checked>("crec/abi/check", question) : undefined;
    },
    (answer) => problem.say(answer?.problem ?? ""),
  );
  field.on(TYPED, () => check.soon());
  check.now();
}
