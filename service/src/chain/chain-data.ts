import type { Address, Hex } from "../../../src/protocol/index.ts";

/** The needed fields of a block. Numbers are exact: no chain reaches 2^53 blocks. */
export type Block = {
  number: number;
  hash: Hex;
  parentHash: Hex;
  timestamp: number;
  /** The number of its transactions. */
  transactions: number;
};

/** The newest block, and the numbers of the newest safe and finalized blocks. */
export type Heads = { latest: Block; safe: number; finalized: number };

export type RawLog = {
  address: Address;
  topics: Hex[];
  data: Hex;
  blockNumber: number;
  blockHash: Hex;
  logIndex: number;
  transactionHash: Hex;
};

export type Receipt = {
  hash: Hex;
  succeeded: boolean;
  gasUsed: bigint;
  blockNumber: number;
  logs: Array<{ address: Address; topics: Hex[]; data: Hex }>;
};

/** A call that reverted or failed, such as at an invalid opcode. `reverted` is undefined where the node gave no data. */
export type CallFailure = { reverted: Hex | undefined; message: string };

/** The node's answer to a call: what it returned, or how it failed. */
export type CallResult = { data: Hex } | CallFailure;
