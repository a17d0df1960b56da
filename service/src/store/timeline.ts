import { randomBytes } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { integer, optionalText, type Row, text } from "./rows.ts";
import type { Settings } from "./settings.ts";

/** What a row is about. An `event` refers to the event; the others have everything in their facts. */
const TIMELINE_KINDS = ["event", "channel", "wallet", "injected", "reorganization"] as const;

type NewTimelineRow = {
  kind: (typeof TIMELINE_KINDS)[number];
  /** Of an event. */
  event?: { channelId: string; offset: number } | undefined;
  facts?: Readonly<Record<string, unknown>> | undefined;
};

export type TimelineRow = {
  /** Counts from 1. */
  sequence: number;
  /** In milliseconds. */
  at: number;
  kind: (typeof TIMELINE_KINDS)[number];
  facts: Record<string, unknown>;
  /** The event as JSON. */
  event: string | undefined;
};

/** The rows that are kept: enough to follow a test, and never more on the disk. */
const KEPT = 2000;
/** Rows that are removed together. */
const REMOVED_TOGETHER = 256;

const SELECT = `SELECT sequence, timeline.at, timeline.kind, facts, json FROM timeline
  LEFT JOIN events ON events.channel_id = timeline.channel_id AND events.offset = timeline.offset`;

/** What happened, in its order: the newest 2,000 to 2,255 rows. */
export class Timeline {
  /** Differs for each database, so that a position in another one is recognized. */
  readonly id: string;
  readonly #database: DatabaseSync;
  readonly #listeners: Array<() => void> = [];

  constructor(database: DatabaseSync, settings: Settings) {
    this.#database = database;
    const known = settings.get<string>("timeline_id");
    this.id = known ?? randomBytes(4).toString("hex");
    if (known === undefined) settings.set("timeline_id", this.id);
  }

  /** Call it in the transaction of the change that it is about. */
  add({ kind, event, facts }: NewTimelineRow): void {
    const { lastInsertRowid } = this.#database
      .prepare("INSERT INTO timeline (at, kind, channel_id, offset, facts) VALUES (?, ?, ?, ?, ?)")
      .run(
        Date.now(),
        kind,
        event?.channelId ?? null,
        event?.offset ?? null,
        facts === undefined ? null : JSON.stringify(facts),
      );
    const sequence = Number(lastInsertRowid);
    if (sequence % REMOVED_TOGETHER === 0) {
      this.#database.prepare("DELETE FROM timeline WHERE sequence <= ?").run(sequence - KEPT);
    }
    for (const listener of this.#listeners) listener();
  }

  /** The listener runs within the transaction of the change, which may still be undone. */
  onAdd(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** The rows after a sequence number, oldest first. */
  after(sequence: number, limit: number): TimelineRow[] {
    return this.#database
      .prepare(`${SELECT} WHERE sequence > ? ORDER BY sequence LIMIT ?`)
      .all(sequence, limit)
      .map((row) => toRow(row as Row));
  }

  /** The newest rows, oldest first. */
  newest(limit: number): TimelineRow[] {
    return this.#database
      .prepare(`${SELECT} ORDER BY sequence DESC LIMIT ?`)
      .all(limit)
      .map((row) => toRow(row as Row))
      .reverse();
  }

  /** The sequence numbers of the oldest and the newest row; 0 where there are no rows. */
  range(): { oldest: number; newest: number } {
    const row = this.#database
      .prepare(
        "SELECT (SELECT MIN(sequence) FROM timeline) AS oldest, (SELECT MAX(sequence) FROM timeline) AS newest",
      )
      .get();
    return { oldest: Number(row?.oldest ?? 0), newest: Number(row?.newest ?? 0) };
  }
}

function toRow(row: Row): TimelineRow {
  return {
    sequence: integer(row, "sequence"),
    at: integer(row, "at"),
    kind: text(row, "kind") as TimelineRow["kind"],
    facts: JSON.parse(optionalText(row, "facts") ?? "{}") as Record<string, unknown>,
    event: optionalText(row, "json"),
  };
}

/** The form of an entry's id: the time line's own id, and a sequence number. */
export const POSITION_PATTERN = "^[0-9a-f]{8}-[0-9]{1,15}$";

export function idAt(timeline: Timeline, sequence: number): string {
  return `${timeline.id}-${sequence}`;
}

/**
 * The sequence number of an id after which all entries are still stored. Undefined when that is not possible: the id is
 * of another database, or entries after it have been removed.
 */
export function sequenceOf(timeline: Timeline, id: string): number | undefined {
  const [own, digits] = id.split("-");
  const sequence = Number(digits);
  const { oldest, newest } = timeline.range();
  return own === timeline.id && sequence >= oldest - 1 && sequence <= newest ? sequence : undefined;
}
