import type { Comparison, Confidence, Open } from "../protocol/index.ts";

/** What one field has to be. */
export type Condition = {
  /** A path in the decoded event, such as `params.value`, `params.order.amount` or `confidence`; empty for all of it. */
  field: string;
  /** `exists`, `isTrue` and `isFalse` need no value. */
  is: Comparison;
  /** A list for `oneOf`. Numbers as decimal text, which is never rounded. */
  value?: string | readonly string[];
  /** For `between`: the upper bound. Both bounds are included. */
  to?: string;
  /** `token`: the value is in tokens, and the field in the smallest unit. */
  unit?: "token";
  /** Of the token. Without it the event's own `tokens` are compared. */
  decimals?: number;
  /** Holds where the comparison does not. */
  not?: boolean;
};

export type ConditionSet = { match: "all" | "any"; conditions: readonly Condition[] };

/** When matching events become an alert. Times are in milliseconds. */
export type AlertWhen =
  | { kind: "each" }
  | { kind: "count"; times: number; withinMs: number }
  | ({ kind: "sum"; withinMs: number } & SumLimit)
  /**
   * More than `factor` times as many within the window as on average in the time before it, and at least `least`. None
   * is raised until the rule has seen a whole `comparedMs` before the window. A key that is new then is compared with 0.
   */
  | { kind: "rate"; factor: number; withinMs: number; comparedMs: number; least: number }
  /** None for this long, by what `readUpTo` was told: an outage is no absence. */
  | { kind: "absence"; forMs: number };

/** The sum of a field that must be reached: from below, unless it says otherwise. Amounts and the limit may be negative. */
export type SumLimit = {
  field: string;
  limit: string;
  is?: "atLeast" | "atMost";
  unit?: "token";
  decimals?: number;
};

/** What does not depend on an event. All of it is JSON. */
export type AlertSettings = {
  when: AlertWhen;
  /**
   * What matches this long after an alert of its key is counted, and told by one reminder at the end of that time. With 0,
   * the events that raised an alert of a count, sum or rate no longer count: the next alert needs as many again.
   */
  quietMs: number;
  /**
   * Whether the end of the condition is an outcome. Until then a key has one open alert: see `incident.ts` for when a
   * reminder or its end is told.
   */
  recovers: boolean;
  /**
   * For rules whose end is no outcome: whether what was counted in the quiet time is told at its end. Without it, the next
   * alert has the number.
   * @default true
   */
  summarizes?: boolean | undefined;
  /**
   * How late an event may arrive, against the newest one of its key, and count as if it had come in order; what a source
   * reports in order is never too late. Ids are remembered for the window and the slack; for `each`, for a day.
   */
  slackMs: number;
  /** How long an alert on a block that is not final may wait for its confirmation; undefined does not watch for it. */
  confirmWithinMs: number | undefined;
  /**
   * Keys in memory. For `each`, further ones are left to the store, up to a million events. Else a key whose window, quiet
   * time, alert or awaited absence runs is never forgotten, and inputs of further keys are not counted: they pass as
   * `limit`, and the rule raises an alert of its own.
   */
  maxKeys: number;
  /**
   * Of more different times that may still count, older ones are counted in slots: these inputs leave a window late, by
   * less than 1 % of its length. Where that takes more than so many slots, there are more.
   */
  maxMarks: number;
};

/** Where a log is in the chain, and how final that is. */
export type LogPlace = {
  chainSelector: string;
  transactionHash: string;
  blockNumber: string;
  logIndex: string;
  confidence: Open<Confidence>;
  /** The contract, and what was emitted: the same log in another block has the same. */
  contract: string;
  content: string;
  /** What reports it: a watcher, and the name of the event. Not signed. */
  source: string;
};

/** Something proven that may show what became of the log of an alert. */
export type AlertEvidence =
  /** A log is in a block. */
  | { kind: "log"; log: LogPlace; at?: number; isHighest?: boolean; redelivered?: boolean }
  /** The chain has reached a level up to this block, such as by a query that was answered at `finalized`. */
  | { kind: "block"; chainSelector: string; blockNumber: string; confidence: Open<Confidence> }
  /** A transaction is in a block, or failed in it. */
  | {
      kind: "transaction";
      chainSelector: string;
      transactionHash: string;
      blockNumber?: string;
      confidence: Open<Confidence>;
      failed: boolean;
      redelivered?: boolean;
    };

/** An event, an answer or a status, as a rule counts it. */
export type AlertInput = {
  /**
   * The same for each delivery of one log, at each level: see `eventKeyOf`. Without it each input counts. With a `log`,
   * the same log counts once, also from another block.
   */
  id?: string;
  /** What is counted separately, such as an address; empty for everything together. */
  key: string;
  /** The time of the block, in milliseconds; `NaN` for what has none, which counts as of now. */
  at: number;
  /** Whether the conditions hold. */
  matches: boolean;
  /**
   * Of `each` with an end: whether the input shows that the condition does not hold. What is missing shows neither.
   * @default the opposite of `matches`
   */
  ends?: boolean;
  /** What it is about, such as the name of the event: without other conditions for it, only the same ends an alert of `each`. */
  subject?: string;
  /** In the smallest unit, for a sum. Without it, or where it is no whole number, a sum passes the input as `undecided`. */
  amount?: string;
  /** Of the token of the amount, 36 at most: for a limit in tokens that does not name its decimals. */
  decimals?: number;
  /** It was delivered before and not acknowledged: what it led to is an outcome again. */
  redelivered?: boolean;
  /** Present for a contract event whose place is signed. With another content at this place and `at`, it is the same log. */
  log?: LogPlace;
  /** What reports it, in the order of its event times, such as a watcher: see `readUpTo`. That of the `log`, if there is one. */
  source?: string;
  /** When that was, in milliseconds: how far the source is behind the clock. Without it, only `readUpTo` shows that. */
  reportedAt?: number;
  /** No higher level is reported for this log: an alert of it is not watched. Undefined where that is not known. */
  isHighest?: boolean;
  /** JSON that the alert keeps, such as what a person was told. Asked for only when an alert is raised. */
  details?: (alert: RaisedAlert) => unknown;
};

export type RaisedAlert = {
  /** The same however often the event is delivered, and for the reminders and the end of the alert. */
  id: string;
  key: string;
  /** The time of the event that raised it, in milliseconds; of an absence, when it was noticed; of a reminder without an event, the end of the quiet time. */
  at: number;
  /** Of a reminder that the alert is still open: its number, from 1. */
  reminder?: number;
  /** Of a reminder: how often the condition ended and held again since the last message, which was held back. */
  changes?: number;
  /** The time of the newest event that was counted in `suppressed`. */
  lastAt?: number;
  /** Matching events in the window. */
  count: number;
  /** In the smallest unit. */
  sum?: string;
  /** Of the sum, where the limit is in tokens: of tokens with different decimals, the most. */
  decimals?: number;
  /** Of a rate: how many there are in such a window on average. */
  usual?: number;
  /** What matched since the last alert of this key, and was not told. */
  suppressed: number;
  log?: LogPlace;
  details?: unknown;
  /**
   * The alert is about the rule itself, at most one an hour: there are `maxKeys` keys, and it no longer counts new ones.
   * `count` is how many inputs it did not count since it was opened.
   */
  limit?: "maxKeys";
};

/** What a rule could not remember since it was opened. */
export type AlertLimits = {
  /** Inputs of new keys that were not counted, because there were too many keys. */
  notCounted: number;
  /** Keys whose alerts may be repeated, because the store had too many. */
  forgotten: number;
  /** Events of keys in memory whose alerts may be repeated, or that may count twice, because there were too many. */
  forgottenEvents: number;
};

/** Why an alert was taken back. `stands`: the same log is proven in another block. */
export type TakenBackReason = "other_block" | "other_outcome" | "level_passed";

export type AlertOutcome =
  /** `endedAt`: it has ended meanwhile, which need not be told again. */
  | { kind: "alert"; alert: RaisedAlert; repeated?: true; endedAt?: number }
  /** `changes`: how often the condition held and ended since the last message. The end was held back as well. */
  | { kind: "recovered"; alert: RaisedAlert; at: number; changes?: number }
  /** `isOpen`: other events hold the alert, which stays open. */
  | {
      kind: "takenBack";
      alert: RaisedAlert;
      at: number;
      reason: TakenBackReason;
      stands: boolean;
      isOpen?: true;
    }
  | { kind: "notConfirmed"; alert: RaisedAlert; at: number }
  /** The rule was changed while the alert was open. */
  | { kind: "ended"; alert: RaisedAlert; at: number };

/** Why an input raised no alert. */
export type PassedReason =
  | "no_match"
  /** Counted; the limit is not reached. */
  | "counted"
  /** It would have raised an alert, which is held back for now. */
  | "quiet"
  /** The same log was counted before. */
  | "seen"
  /** Later than the slack allows. */
  | "too_late"
  /** There are too many keys. */
  | "limit"
  /** A condition cannot be decided, such as an amount in tokens without decimals. */
  | "undecided";

export type Accepted = {
  /** Undefined where the input itself raised the alert. */
  passed: PassedReason | undefined;
  /** In the order in which people should be told. */
  outcomes: AlertOutcome[];
  /**
   * It contradicts an input that was given before: the same log, of the same block, with another content. Two watchers
   * read it with different ABIs, and one of them names its parameters wrongly. A log counts once for each key, however it
   * is read. Known of inputs with a `log` that were counted for the same key, or raised an alert that is still watched.
   */
  contradicts?: true;
};

export type AlertRecord = { revision: number; value: unknown };

/**
 * What a rule remembers: a JSON value for each key, and `""` for what concerns all of them. A write names the revision
 * that it replaces, so that several copies may share a store.
 */
export type AlertStore = {
  /** Whether others write to it too, so that what was read before may be out of date. */
  readonly isShared?: boolean;
  read(key: string): Promise<AlertRecord | undefined>;
  /**
   * Replaces a value, or removes it where `value` is undefined. False, with nothing changed, unless `revision` is the
   * present one: 0 for a new record. A success has the revision `revision + 1`.
   */
  write(key: string, revision: number, value: unknown): Promise<boolean>;
  keys(): Promise<string[]>;
  /** Resolves when what was written so far survives a crash. A store without it writes at once. */
  flush?(): Promise<void>;
  close(): Promise<void>;
};
