import type { AlertOutcome, AlertSettings, LogPlace, RaisedAlert, TakenBackReason } from "../types.ts";

/** The times of a rule that matter here, in milliseconds. */
export type WatchSettings = Pick<AlertSettings, "slackMs" | "confirmWithinMs">;

/** What is remembered of alerts whose logs may still be undone. It is JSON. */
export type WatchState = {
  readonly version: 1;
  readonly watched: readonly WatchedAlert[];
  /** What reported a log at a level above `latest`, and those levels; the newest one is the last. */
  readonly sources: ReadonlyArray<readonly [source: string, levels: readonly string[]]>;
  /** Logs were reported at a level below the highest one. */
  readonly hasLower?: true;
  /** Logs of alerts that are not watched any longer. The newest one is the last. */
  readonly past: readonly PastLog[];
};

/** A log whose alert was taken back, or stands. Events of it may still come, also from other blocks. */
export type PastLog = {
  /** A hash: of the transaction, the contract and the content. */
  readonly of: string;
  /** Where it was reported, and the level at its last place. */
  readonly places: ReadonlyArray<readonly [blockNumber: string, logIndex: string]>;
  readonly confidence: string;
  /** How often it was undone. */
  readonly times: number;
  /** The id of the alert that stands; of several, the newest one. */
  readonly standing?: string;
  /** Where alerts stand for good. */
  readonly ends?: ReadonlyArray<readonly [blockNumber: string, logIndex: string]>;
};

export type WatchedAlert = {
  readonly alert: RaisedAlert;
  /** Where its log is by what is known now. */
  readonly log: LogPlace;
  readonly raisedAt: number;
  /** When the log was reported there last. */
  readonly seenAt: number;
  /** Other places in which the log was reported. */
  readonly others?: ReadonlyArray<readonly [blockNumber: string, logIndex: string]>;
  /**
   * It is not where it was, by evidence of this level and in this block: that of the transaction, or the one up to which
   * the level is reached. The same log may still be reported from another block. `stands`: it was reported from the block
   * of the same number, at another index.
   */
  readonly undone?: {
    readonly at: number;
    readonly blockNumber: string;
    readonly reason: TakenBackReason;
    readonly confidence: string;
    readonly stands?: true;
  };
  /** The chain passed its block at this level. That shows nothing while its source may have stopped reporting. */
  readonly passed?: { readonly at: number; readonly blockNumber: string; readonly confidence: string };
  /** People were told that the log has moved. */
  readonly toldMoved?: true;
};

/** When something arrives, in milliseconds, and how late an event may arrive. */
export type Moment = { now: number; slackMs: number };

/** `state` is the object that was given where nothing changed. */
export type Watched = { state: WatchState; outcomes: AlertOutcome[] };

export type Learned = Watched & {
  /** The id of the alert whose log was given, in its block or in another one: it must not raise another alert. */
  belongsTo?: string;
  /**
   * How often alerts of this log were taken back before it was reported from another block, or at a higher level: it
   * counts again, although its id was seen.
   */
  again?: number;
  /**
   * How many of the same logs stand for good in its block, with alerts: it is another one, although its place may have
   * been known as that of one of them.
   */
  beside?: number;
  /** The log of a watched alert was given with another content: see `isOtherReading`. */
  contradicts?: true;
};
