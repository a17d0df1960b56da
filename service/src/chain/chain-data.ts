import type { Address, Hex } from "../../../src/protocol/index.ts";

/** A block as far as we need it. Numbers fit: no chain reaches 2^53 blocks. */
export type Block = {
  number: number;
  hash: Hex;
  parentHash: Hex;
  timestamp: number;
  /** How many transactions are in it. */
  transactions: number;
};

/** The newest block, and how far `safe` and `finalized` reach. */
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
  blockNumber: number;
  logs: Array<{ address: Address; topics: Hex[] }>;
};

/** The node's answer to a call: what it returned, or what it reverted with. */
export type CallResult = { data: Hex } | { reverted: Hex; message: string };
