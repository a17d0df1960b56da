import type { Answer, ContractPlace, OnChain } from "../shared/form-types.ts";
import { postJson, requestFailure } from "./admin-requests.ts";
import type { EditedNode } from "./api.ts";

/** Whether there is a contract at an address, asked of the chain by a query of the service. */
export function contractExists(node: EditedNode, place: ContractPlace): Promise<Answer<OnChain>> {
  return postJson<OnChain>("crec/contract/exists", place).catch((failure: unknown) => ({
    ...{ problem: requestFailure(node, failure, "crec.write"), code: "UNANSWERED" },
  }));
}
