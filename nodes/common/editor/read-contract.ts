import type { Answer, ContractPlace, OnChain } from "../shared/form-types.ts";
import { postJson, requestFailure } from "./admin-requests.ts";
import type { EditedNode } from "./api.ts";

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
