import type { Journal } from "../journal/journal.ts";
import type { AlertOutcome, AlertSettings } from "../types.ts";
import type { WatchedAlerts } from "./watched.ts";
import type { WatchedAlert } from "./watched-alert.ts";

export type { WatchedAlert };

/** The times of a rule that matter here, in milliseconds. */
export type WatchSettings = Pick<AlertSettings, "slackMs" | "confirmWithinMs">;

/** What is remembered of alerts whose logs may still be undone. */
export type WatchState = {
  readonly version: 1;
  readonly watched: WatchedAlerts;
  /** What reported a log at a level above `latest`, and those levels; the newest one is the last. */
  readonly sources: ReadonlyArray<readonly [source: string, levels: readonly string[]]>;
  /** Logs were reported at a level below the highest one. */
  readonly hasLower?: true;
  /** Logs of alerts that are not watched any longer, by `of`. */
  readonly past: Journal<PastLog>;
};

/** A log whose alert was taken back, or stands. Events of it may still come, also from other blocks. */
export type PastLog = {
  /** A hash: of the transaction, the contract and the content. */
  readonly of: string;
  /** When that was learned. */
  readonly at?: number;
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
