import type { ServerResponse } from "node:http";

/** Entries to write together, as the text of a stream. */
export type Batch = { text: string; sequence: number };

/** Gives the entries after a sequence number; undefined when there are none. */
type ReadBatch = (sequence: number) => Batch | undefined;

/** A client that reads nothing for so long is closed. It resumes where it stopped. */
const STALLED_MS = 10_000;

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
