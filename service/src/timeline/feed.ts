import type { ServerResponse } from "node:http";
import type { Context } from "../context.ts";
import { idAt, sequenceOf, type TimelineRow } from "../store/timeline.ts";
import { Entries } from "./entries.ts";
import type { TimelineEntry } from "./entry.ts";

/** Entries to write together, as the text of a stream. */
type Batch = { text: string; sequence: number };

/** Each client holds a connection and a batch. A browser opens at most six connections. */
export const MAX_CLIENTS = 32;
/** Entries of a stream that starts without a position. */
const FIRST_ENTRIES = 200;
/** Entries that are written together. */
const BATCH = 50;
/** How long entries are collected before they are written. */
const COLLECT_MS = 100;
const HEARTBEAT_MS = 5000;
/** Entries as text that all clients share: they read about the same ones. */
const CACHED = 500;

/** Gives the entries after a sequence number; undefined when there are none. */
type ReadBatch = (sequence: number) => Batch | undefined;

/** A client that reads nothing for so long is closed. It resumes where it stopped. */
const STALLED_MS = 10_000;

/** The time line, for requests and for streams. */
export class TimelineFeed {
  readonly #context: Context;
  readonly #entries: Entries;
  readonly #clients = new Set<TimelineStream>();
  /** Frames of the newest entries that were sent, by sequence number. */
  readonly #frames = new Map<number, string>();
  #collecting: NodeJS.Timeout | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(context: Context) {
    this.#context = context;
    this.#entries = new Entries(context);
    context.store.timeline.onAdd(() => this.#onAdd());
  }

  /** The newest entries, newest first. */
  newest(limit: number): TimelineEntry[] {
    return this.#context.store.timeline
      .newest(limit)
      .map((row) => this.#entries.of(row))
      .reverse();
  }

  get isFull(): boolean {
    return this.#clients.size >= MAX_CLIENTS;
  }

  /**
   * Streams to a client until it leaves. With the id of the last entry that it has, it gets those after it. Without one,
   * or when that is not possible any more, it gets `reset` and the newest entries.
   */
  add(response: ServerResponse, lastEventId: string | undefined): void {
    if (this.#isStopped) {
      response.end();
      return;
    }
    const client = new TimelineStream(
      response,
      (sequence) => this.#after(sequence),
      this.#start(lastEventId),
    );
    this.#clients.add(client);
    this.#heartbeat ??= setInterval(() => {
      for (const one of this.#clients) one.heartbeat();
    }, HEARTBEAT_MS);
    response.once("close", () => {
      this.#clients.delete(client);
      if (this.#clients.size === 0) this.#rest();
    });
  }

  /** Ends all streams. */
  stop(): void {
    this.#isStopped = true;
    for (const client of this.#clients) client.end();
    this.#rest();
  }

  /** Within the transaction of the change: the entry can be read when that has ended. */
  #onAdd(): void {
    if (this.#clients.size === 0 || this.#isStopped) return;
    this.#collecting ??= setTimeout(() => {
      this.#collecting = undefined;
      for (const client of this.#clients) client.advance();
    }, COLLECT_MS);
  }

  #start(lastEventId: string | undefined): Batch {
    const { timeline } = this.#context.store;
    const known = lastEventId === undefined ? undefined : sequenceOf(timeline, lastEventId);
    // A comment makes the browser report at once that the stream is open.
    if (known !== undefined) return { text: ": resumed\n\n", sequence: known };
    const rows = timeline.newest(FIRST_ENTRIES);
    const sequence = rows.at(-1)?.sequence ?? 0;
    const reset = `event: reset\nid: ${idAt(timeline, rows[0] === undefined ? 0 : rows[0].sequence - 1)}\ndata: {}\n\n`;
    return { text: reset + rows.map((row) => this.#frame(row)).join(""), sequence };
  }

  #after(sequence: number): Batch | undefined {
    const { timeline } = this.#context.store;
    const rows = timeline.after(sequence, BATCH);
    const [first] = rows;
    const last = rows.at(-1);
    if (first === undefined || last === undefined) return undefined;
    // It has read so slowly that entries were removed meanwhile.
    if (first.sequence !== sequence + 1) return this.#start(undefined);
    return { text: rows.map((row) => this.#frame(row)).join(""), sequence: last.sequence };
  }

  #frame(row: TimelineRow): string {
    const known = this.#frames.get(row.sequence);
    if (known !== undefined) return known;
    const entry = this.#entries.of(row);
    const frame = `id: ${entry.id}\ndata: ${JSON.stringify(entry)}\n\n`;
    this.#frames.set(row.sequence, frame);
    const [oldest] = this.#frames.keys();
    if (this.#frames.size > CACHED && oldest !== undefined) this.#frames.delete(oldest);
    return frame;
  }

  /** Nobody is connected. */
  #rest(): void {
    clearInterval(this.#heartbeat);
    clearTimeout(this.#collecting);
    this.#heartbeat = undefined;
    this.#collecting = undefined;
    this.#frames.clear();
  }
}

/**
 * The stream of one client. It takes entries from the store when the client has read the ones before, and so holds one
 * batch of them at most.
 */
export class TimelineStream {
  readonly #response: ServerResponse;
  readonly #read: ReadBatch;
  readonly #stalledMs: number;
  #sequence: number;
  /** Since when the client has to read before more is written. */
  #blockedSince: number | undefined;
  #isWriting = false;

  /** `text` is written first. The entries after `sequence` follow. */
  constructor(
    response: ServerResponse,
    read: ReadBatch,
    { text, sequence }: Batch,
    { stalledMs = STALLED_MS } = {},
  ) {
    this.#stalledMs = stalledMs;
    this.#response = response;
    this.#read = read;
    this.#sequence = sequence;
    response.on("drain", () => {
      this.#blockedSince = undefined;
      this.advance();
    });
    this.#write(text);
    this.advance();
  }

  /** Writes what has been added, unless the client is still reading what was written before. */
  advance(): void {
    if (this.#isWriting || this.#blockedSince !== undefined || this.#response.destroyed) return;
    const batch = this.#read(this.#sequence);
    if (batch === undefined) return;
    this.#sequence = batch.sequence;
    this.#write(batch.text);
    this.#isWriting = true;
    // Other requests come between two batches.
    setImmediate(() => {
      this.#isWriting = false;
      this.advance();
    });
  }

  /** Shows that the connection is alive. Ends it when the client has stopped reading. */
  heartbeat(): void {
    if (this.#blockedSince === undefined) this.#write(": heartbeat\n\n");
    else if (performance.now() - this.#blockedSince > this.#stalledMs) this.#response.destroy();
  }

  /** Ends at once, so that a stop of the service does not wait for the client. */
  end(): void {
    if (this.#blockedSince === undefined) this.#response.end();
    else this.#response.destroy();
  }

  #write(text: string): void {
    if (!this.#response.write(text)) this.#blockedSince = performance.now();
  }
}
