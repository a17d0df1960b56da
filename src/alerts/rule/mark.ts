import type { RaisedAlert } from "../types.ts";

/** What an alert says of its window. */
export type Counted = Pick<
  RaisedAlert,
  "count" | "sum" | "decimals" | "usual" | "suppressed" | "reminder" | "changes" | "lastAt"
>;

/** An input that was counted. */
export type Mark = {
  at: number;
  /** A short hash of the input's id. */
  id?: string;
  /** How often it counts; 0 where it is only remembered, so that it is not counted again. */
  n: number;
  /** In the smallest unit. */
  amount?: string;
  /** Where its log is: the number of the block, and the index. */
  place?: string;
  /** Of its log, unless that was undone: the end of the hash of its transaction, and a short hash of the content. */
  tx?: string;
  says?: string;
  /** The other place from which the same log was reported last, and the time of that block. */
  moved?: string;
  movedAt?: number;
  /** What other readings of the log say, which did not count. */
  also?: string[];
  /** Of the alert that it raised, with its id where it may be taken back, or where it was a reminder. */
  alert?: Counted & { id?: string };
};

/** A log as a key knows it: see `logOf`. */
export type KnownLog = { id: string; place: string; tx: string; says: string };
