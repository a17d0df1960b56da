import { anyText, listOf, optional, request, text } from "../../options/index.ts";
import { type Open, type OperationStatus, PAGE_LIMITS } from "../../protocol/index.ts";
import { paging } from "../requests/checks.ts";

/** Filters of a list of operations. Each one narrows the list; several of them apply together. */
export type ListOperations = {
  /** One of these statuses. */
  status?: ReadonlyArray<Open<OperationStatus>> | undefined;
  /** The network of the wallet. */
  chain_selector?: string | undefined;
  /** All main networks, or all test networks. */
  chain_environment?: Open<"mainnet" | "testnet"> | undefined;
  /** The address of the wallet. */
  address?: string | undefined;
  /** The id of the wallet. */
  wallet_id?: string | undefined;
  /** What kind of subject created it: an API key or a user. */
  initiator_subject_type?: string | undefined;
  /** The API key or user that created it. */
  initiator_subject_id?: string | undefined;
  /** What kind of subject submitted its signature. */
  signer_subject_type?: string | undefined;
  /** The API key or user that submitted its signature. */
  signer_subject_id?: string | undefined;
  /** What kind of subject cancelled it. */
  canceller_subject_type?: string | undefined;
  /** The API key or user that cancelled it. */
  canceller_subject_id?: string | undefined;
  /**
   * The size of a page, at most 100.
   * @default 20
   */
  limit?: number | undefined;
  /**
   * How many items to skip.
   * @default 0
   */
  offset?: number | undefined;
};

export const filterOf = request<ListOperations>({
  status: optional(listOf(anyText())),
  chain_selector: optional(text),
  chain_environment: optional(anyText()),
  address: optional(text),
  wallet_id: optional(text),
  initiator_subject_type: optional(text),
  initiator_subject_id: optional(text),
  signer_subject_type: optional(text),
  signer_subject_id: optional(text),
  canceller_subject_type: optional(text),
  canceller_subject_id: optional(text),
  ...paging(PAGE_LIMITS.operations),
});
