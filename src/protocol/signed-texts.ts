import type { Hex } from "./ids.ts";
import type { Open } from "./unlisted.ts";

/** How final the block of a contract event was when the oracles signed it, weakest first. */
export const CONFIDENCES = ["latest", "safe", "finalized"] as const;
export type Confidence = (typeof CONFIDENCES)[number];

/** The proof of an event: signed bytes of an OCR round. */
export type OcrProof = {
  /** The kind of proof. */
  alg: string;
  /** The report, whose last 32 bytes are the hash of the signed text. */
  ocr_report: Hex;
  /** What is signed together with the report. */
  ocr_context: Hex;
  /** The signatures of the oracles. */
  signatures: Hex[];
};

/** What the oracles sign of a contract event. Integers of the chain are JSON integers here. */
export type ChainEvent = {
  /** The EVM chain id, as decimal digits. */
  chain_id: string;
  /** The block of the event. */
  block_number: number;
  /** The time of the block, in Unix seconds. */
  block_timestamp: number;
  /** How final the block was. */
  confidence?: Open<Confidence>;
  /** The transaction of the event. */
  tx_hash: string;
  /** The contract that emitted it. */
  address: string;
  /** The hash of the event's signature. */
  topic_hash: string;
  /** The position of the event in its block. */
  log_index: number;
  /** The signature of the event, such as `Transfer(address,address,uint256)`. */
  event_signature: string;
  /** The values, by the ABI's names in snake_case. */
  params?: Record<string, unknown>;
};

/** The JSON inside `verifiable_event`. */
export type VerifiableEvent = {
  /** The service that describes the contract; absent for a watcher created by an ABI. */
  service?: string;
  /** The name of the event. */
  name: string;
  /** RFC 3339. */
  timestamp: string;
  /** The kind of chain. */
  chain_family?: string;
  /** The network. */
  chain_selector?: string;
  /** What happened on the chain. */
  chain_event?: ChainEvent;
  /** What a service adds; of an operation, its status. */
  data?: Record<string, unknown>;
};

/** Why a query failed. */
export const QUERY_ERROR_CODES = [
  "CRE_GATEWAY_REJECTED",
  "CONTRACT_NOT_FOUND",
  "CALL_REVERTED",
  "CHAIN_UNAVAILABLE",
  "BLOCK_SELECTION_NOT_AVAILABLE",
  "CRE_WORKFLOW_FAILED",
  "QUERY_EXPIRED",
  "INTERNAL_ERROR",
] as const;
export type QueryErrorCode = (typeof QUERY_ERROR_CODES)[number];

/** The JSON inside `verifiable_result`. It has either `result` or `error`. */
export type VerifiableResult = {
  /** `_crec`. */
  service: string;
  /** `ChainQuery`. */
  name: string;
  /** The network of the contract. */
  chain_selector: string;
  /** RFC 3339. */
  timestamp: string;
  data: {
    /** The query that is answered. */
    query_id: string;
    /** Its channel. */
    channel_id: string;
    /** What kind of question it was. */
    query_kind: string;
    /** The call that was made. */
    target: { from_address: string; contract_address: string; call_data: string };
    block_selection: {
      /** The requested block. */
      requested: { type: string; block_number?: string };
      /** The block that was read; its time in Unix seconds. */
      resolved?: { block_number: string; block_hash: string; block_timestamp: number };
    };
    /** What the contract returned, as hex. */
    result?: { raw_return_data: string };
    /** Why there is no result; `raw_revert_data` as hex. */
    error?: { code: Open<QueryErrorCode>; message: string; raw_revert_data?: string };
  };
};
