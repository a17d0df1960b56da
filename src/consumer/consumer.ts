import { setImmediate as nextTurn } from "node:timers/promises";
import { ArgumentError, CrecError } from "../errors.ts";
import type { VerifyResult } from "../proofs/verify.ts";
import { type ChannelEvent, PAGE_LIMITS } from "../protocol/index.ts";
import { type Clock, systemClock, throwIfAborted, unlessAborted } from "./clock.ts";
import { Cursor, type CursorIdentity, stateAfter, stateFrom } from "./cursor.ts";
import { Backoff, PollPace, type Random, type Trouble } from "./intervals.ts";
import { claimName } from "./names.ts";
import { type Batch, PageReader } from "./pages.ts";
import { type Judged, judgeWithPatience } from "./proof-wait.ts";
import { type EventSource, timeOf, typeOf } from "./source.ts";
import type { CursorStore } from "./store.ts";

/** Where to begin when nothing is stored: `time` in Unix seconds, `offset` is the first one delivered. */
export type StartPosition = "now" | "beginning" | { offset: number } | { time: number };

/** One event as it is handed over. */
export type Delivery = {
  event: ChannelEvent;
  offset: number;
  /** Possibly delivered before: before a restart, or in an attempt that failed. */
  redelivered: boolean;
  /** There when the consumer was given `verify`. */
  verification?: VerifyResult;
};

/** What a consumer is doing, for people to see. `error.message` says what to do. */
export type ConsumerState =
  | { kind: "connecting" }
  | { kind: "waiting_for_channel" }
  | {
      kind: "connected";
      /** How far below the newest known offset the cursor is; about as many events are still to come. */
      behind: number | undefined;
      /** Events delivered since `start()`. */
      delivered: number;
    }
  | { kind: "retrying"; inMs: number; error: CrecError }
  | { kind: "paused" }
  | { kind: "refused"; error: CrecError }
  | { kind: "stopped"; error?: CrecError };

export type EventConsumerOptions = {
  source: EventSource;
  store: CursorStore;
  identity: CursorIdentity;
  /** Counts only when nothing is stored. */
  start: StartPosition;
  /** Only events of these types; all when left out or empty. */
  types?: readonly string[];
  /** Only events for which this says yes, as made by `eventFilter`. One that throws says yes. */
  filter?: (event: ChannelEvent) => boolean;
  /** Shortest and longest wait between two looks, in milliseconds. 1,000 and 15,000. */
  pollMinMs?: number;
  pollMaxMs?: number;
  /** Events a page, up to 200. */
  pageLimit?: number;
  /** How many offsets below the newest an event may turn up late; less than a page. 50. */
  window?: number;
  /** How long an event that lacks its proof is held, in milliseconds. 30,000; 0 does not hold. */
  proofWaitMs?: number;
  verify?: (event: ChannelEvent) => Promise<VerifyResult>;
  /** The event counts as delivered when this has resolved; when it rejects, the event comes again. */
  deliver: (delivery: Delivery) => Promise<void> | void;
  onState?: (state: ConsumerState) => void;
  /** Once per change of `error.code`; `undefined` is never passed. */
  onError?: (error: CrecError) => void;
  clock?: Clock;
  random?: Random;
};

/** What waiting does not mend: a person has to decide, then `seek` or start again. */
const FINAL_ERRORS: ReadonlySet<string> = new Set([
  "CURSOR_BEYOND_END",
  "CURSOR_OF_ANOTHER_CHANNEL",
  "CURSOR_FILE_DAMAGED",
  "CONSUMER_NAME_TAKEN",
  "CLIENT_CLOSED",
]);
/** An end below the cursor is believed when it was seen this often, a second apart: replicas may lag. */
const END_LOOKS = 3;
const END_LOOK_PAUSE_MS = 1_000;
/** How long a delivery under way may still finish when the consumer is stopped. */
const STOP_GRACE_MS = 250;
const NEVER = new AbortController().signal;
const RESERVE_AHEAD_WITHIN_MS = 1_000;
const SAVE_EVERY_MS = 100;
const YIELD_EVERY = 8;

/**
 * Hands every event of a channel over at least once, in order, across restarts and outages. The place is kept in
 * the store; what may be a repetition is marked. Errors never leave it: they are told by `onState` and `onError`.
 * @example
 * const consumer = new EventConsumer({
 *   source: eventSource(client.events, channelId),
 *   store: new FileCursorStore({ path: "cursor.json" }),
 *   identity: { consumer: "alerts", channelId, service: baseUrl },
 *   start: "now",
 *   deliver: ({ event }) => handle(event),
 * });
 * consumer.start();
 */
export class EventConsumer {
  readonly #options: EventConsumerOptions;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #types: ReadonlySet<string>;
  readonly #pageLimit: number;
  readonly #window: number;

  #run: { abort: AbortController; over: Promise<void> } | undefined;
  /** Ends the present look at the channel, and what comes of it, but not the run. */
  #round = new AbortController();
  #paused: { over: Promise<void>; end: () => void } | undefined;
  #seekTo: StartPosition | undefined;
  #state: ConsumerState = { kind: "stopped" };
  #lastErrorCode: string | undefined;

  #cursor: Cursor | undefined;
  #reader: PageReader;
  #pace: PollPace;
  #backoff: Backoff;
  #delivered = 0;
  #reservedAt = Number.NEGATIVE_INFINITY;
  #ahead = 0;
  #savedAt = Number.NEGATIVE_INFINITY;

  /** Throws `ArgumentError` for limits that cannot work. */
  constructor(options: EventConsumerOptions) {
    const { pageLimit = PAGE_LIMITS.events.default, window = 50, types = [] } = options;
    checkLimits({ pageLimit, window, pollMinMs: 1_000, pollMaxMs: 15_000, ...options });
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#types = new Set(types);
    this.#pageLimit = pageLimit;
    this.#window = window;
    this.#reader = this.#newReader();
    this.#pace = this.#newPace();
    this.#backoff = new Backoff(this.#random);
  }

  get state(): ConsumerState {
    return this.#state;
  }

  /**
   * Starts reading. Does nothing when it runs already. Where another consumer in this process has the same
   * identity, this one is `stopped` with the error `CONSUMER_NAME_TAKEN`, which the other is told too.
   */
  start(): void {
    if (this.#run !== undefined) {
      if (this.#run.abort.signal.aborted) void this.#run.over.then(() => this.start());
      return;
    }
    const free = claimName(this.#options.identity, () => this.#tell(nameTaken(this.#options.identity)));
    if (free === undefined) {
      const error = nameTaken(this.#options.identity);
      this.#show({ kind: "stopped", error });
      this.#tell(error);
      return;
    }
    const abort = new AbortController();
    const over = Promise.resolve().then(() => this.#keepReading(abort.signal, free));
    this.#run = { abort, over };
    this.#show({ kind: "connecting" });
  }

  /** Ends reading, even in the middle of a request, and stores the place. Never rejects. */
  async stop(): Promise<void> {
    this.#run?.abort.abort();
    await this.#run?.over;
  }

  /** Hands nothing over until `resume()`. An event being handed over is finished. */
  pause(): void {
    if (this.#paused !== undefined) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#paused = { over: promise, end: resolve };
    if (this.#run !== undefined) this.#show({ kind: "paused" });
  }

  resume(): void {
    const paused = this.#paused;
    this.#paused = undefined;
    paused?.end();
    if (paused === undefined || this.#run === undefined) return;
    if (this.#cursor === undefined) this.#show({ kind: "connecting" });
    else this.#showConnected();
  }

  /**
   * Forgets the place and goes on at another one: a number is the offset of the first event to deliver.
   * Also starts a consumer again that was stopped by an error about its cursor.
   */
  seek(to: number | StartPosition): void {
    this.#seekTo = typeof to === "number" ? { offset: to } : to;
    this.#round.abort();
    if (this.#run === undefined && this.#state.kind === "stopped" && this.#state.error) this.start();
  }

  async #keepReading(signal: AbortSignal, free: () => void): Promise<void> {
    this.#startAfresh();
    let failure: CrecError | undefined;
    while (!signal.aborted && failure === undefined) {
      this.#round = new AbortController();
      const round = AbortSignal.any([signal, this.#round.signal]);
      try {
        await this.#unlessPaused(round);
        const news = await this.#look(round);
        this.#backoff.succeeded();
        this.#lastErrorCode = undefined;
        this.#showConnected();
        await this.#clock.sleep(this.#pace.next({ news }), round);
      } catch (thrown) {
        this.#cursor?.release();
        if (round.aborted) continue;
        const error = asCrecError(thrown);
        if (FINAL_ERRORS.has(error.code)) failure = error;
        else await this.#clock.sleep(this.#explain(error), round);
      }
    }
    failure = (await this.#close()) ?? failure;
    free();
    this.#run = undefined;
    this.#show(failure === undefined ? { kind: "stopped" } : { kind: "stopped", error: failure });
    if (failure !== undefined) this.#tell(failure);
  }

  #startAfresh(): void {
    this.#cursor = undefined;
    this.#reader = this.#newReader();
    this.#pace = this.#newPace();
    this.#backoff = new Backoff(this.#random);
    this.#delivered = 0;
    this.#lastErrorCode = undefined;
  }

  /** One look at the channel: everything that is there now is handed over. Tells whether there was news. */
  async #look(signal: AbortSignal): Promise<boolean> {
    const cursor =
      this.#seekTo === undefined ? (this.#cursor ?? (await this.#open(signal))) : await this.#seek(signal);
    let news = false;
    for await (const batch of this.#reader.read(cursor.floor, cursor.cursor, signal)) {
      await this.#unlessPaused(signal);
      if (await this.#handOver(cursor, batch, signal)) news = true;
    }
    if (this.#reader.takeEndMovedBack()) await this.#requireWithin(cursor, signal);
    return news;
  }

  /** Takes up the stored place, or settles where to begin and stores that before anything else. */
  async #open(signal: AbortSignal): Promise<Cursor> {
    const { store, identity, start } = this.#options;
    const stored = await store.load();
    if (stored === undefined) return this.#begin(start, signal);
    const { channelId, service } = stored.identity;
    if (channelId !== identity.channelId || service !== identity.service)
      throw ofAnotherChannel(stored.identity);
    const cursor = new Cursor({ ...stored, identity });
    await this.#requireWithin(cursor, signal);
    this.#cursor = cursor;
    return cursor;
  }

  async #seek(signal: AbortSignal): Promise<Cursor> {
    const position = this.#seekTo ?? "now";
    this.#reader = this.#newReader();
    const cursor = await this.#begin(position, signal);
    if (this.#seekTo === position) this.#seekTo = undefined;
    return cursor;
  }

  async #begin(start: StartPosition, signal: AbortSignal): Promise<Cursor> {
    const { store, identity } = this.#options;
    const newest = await this.#reader.newest(signal);
    const cursor = new Cursor(
      start === "now"
        ? stateAfter(identity, newest.events, { window: this.#window, more: newest.more })
        : start === "beginning"
          ? stateFrom(identity, 0)
          : "offset" in start
            ? stateFrom(identity, start.offset)
            : stateFrom(identity, 0, start.time),
    );
    await this.#requireWithin(cursor, signal);
    await store.save(cursor.snapshot(), "now");
    this.#cursor = cursor;
    return cursor;
  }

  async #requireWithin(cursor: Cursor, signal: AbortSignal): Promise<void> {
    if (cursor.cursor < 0) return;
    let end = -1;
    for (let look = 1; look <= END_LOOKS; look += 1) {
      end = (await this.#reader.newest(signal)).last ?? -1;
      if (cursor.cursor <= end) return;
      if (look < END_LOOKS) await this.#clock.sleep(END_LOOK_PAUSE_MS, signal);
      throwIfAborted(signal);
    }
    throw beyondEnd(cursor.cursor, end);
  }

  async #handOver(cursor: Cursor, { events, final }: Batch, signal: AbortSignal): Promise<boolean> {
    const fresh = cursor.admit(events);
    const wanted = new Set(fresh.filter((event) => this.#isWanted(event, cursor)));
    const last = [...wanted].at(-1);
    if (last !== undefined) await this.#reserve(cursor, last.headers.offset);
    for (const event of fresh) {
      if (wanted.has(event)) {
        await this.#unlessPaused(signal);
        await this.#deliver(event, cursor, signal);
      }
      cursor.settle(event.event_id);
      this.#showConnected();
      await this.#saveNowAndThen(cursor);
    }
    cursor.finalize(final);
    if (fresh.length > 0) await this.#options.store.save(cursor.snapshot(), "soon");
    return fresh.length > 0;
  }

  async #deliver(event: ChannelEvent, cursor: Cursor, signal: AbortSignal): Promise<void> {
    const judged = await this.#judge(event, signal);
    throwIfAborted(signal);
    const { offset } = event.headers;
    const { redelivered } = cursor.handOver(event);
    const handedOver = (async () => this.#options.deliver({ ...judged, offset, redelivered }))();
    try {
      await unlessAborted(handedOver, signal, () => this.#clock.sleep(STOP_GRACE_MS, NEVER));
    } catch (cause) {
      throwIfAborted(signal);
      throw deliveryFailed(event, cause);
    }
    this.#delivered += 1;
    if (this.#delivered % YIELD_EVERY === 0) await nextTurn();
  }

  #judge(event: ChannelEvent, signal: AbortSignal): Promise<Judged> {
    const { source, verify, proofWaitMs = 30_000 } = this.#options;
    // An old event that has no proof by now will not get one. Its age is told by the service's own times.
    const ageMs = ((this.#reader.newestTime ?? 0) - (timeOf(event) ?? Number.POSITIVE_INFINITY)) * 1000;
    const waitMs = ageMs > proofWaitMs ? 0 : proofWaitMs;
    return judgeWithPatience(event, { source, clock: this.#clock, waitMs, verify }, signal);
  }

  #isWanted(event: ChannelEvent, { notBefore }: Cursor): boolean {
    if (this.#types.size > 0 && !this.#types.has(typeOf(event))) return false;
    if (notBefore !== undefined && (timeOf(event) ?? notBefore) < notBefore) return false;
    try {
      return this.#options.filter?.(event) ?? true;
    } catch {
      return true;
    }
  }

  /**
   * Has the store know, before a page is handed over, up to where events may have been. While a backlog is
   * drained it reserves more and more, so that the disk is not written to for each page; but never beyond what
   * exists, so that an event made after a crash is not taken for a repetition.
   */
  async #reserve(cursor: Cursor, upTo: number): Promise<void> {
    if (upTo <= cursor.handedOut) return;
    const now = this.#clock.now();
    const isDraining = now - this.#reservedAt < RESERVE_AHEAD_WITHIN_MS;
    this.#ahead = isDraining ? Math.min(Math.max(2 * this.#ahead, this.#pageLimit), 64 * this.#pageLimit) : 0;
    this.#reservedAt = now;
    cursor.reserve(Math.max(upTo, Math.min(upTo + this.#ahead, this.#reader.highest ?? upTo)));
    await this.#options.store.save(cursor.snapshot(), "now");
  }

  async #saveNowAndThen(cursor: Cursor): Promise<void> {
    const now = this.#clock.now();
    if (now - this.#savedAt < SAVE_EVERY_MS) return;
    this.#savedAt = now;
    await this.#options.store.save(cursor.snapshot(), "soon");
  }

  /** Stores the exact place. Gives the error that came of it, if one did. */
  async #close(): Promise<CrecError | undefined> {
    const { store } = this.#options;
    try {
      if (this.#cursor !== undefined) await store.save(this.#cursor.snapshot({ exact: true }), "now");
      await store.close?.();
      return undefined;
    } catch (thrown) {
      return asCrecError(thrown);
    }
  }

  async #unlessPaused(signal: AbortSignal): Promise<void> {
    while (this.#paused !== undefined) {
      this.#show({ kind: "paused" });
      await unlessAborted(this.#paused.over, signal);
    }
    throwIfAborted(signal);
  }

  /** Shows an error for what it is, and gives the time to wait before the next look. */
  #explain(error: CrecError): number {
    const trouble = troubleOf(error);
    const inMs = this.#backoff.next(trouble, retryAfterOf(error));
    if (trouble === "waiting") this.#show({ kind: "waiting_for_channel" });
    else if (trouble === "refused") this.#show({ kind: "refused", error });
    else this.#show({ kind: "retrying", inMs, error });
    this.#tell(error);
    return inMs;
  }

  #tell(error: CrecError): void {
    if (error.code === this.#lastErrorCode) return;
    this.#lastErrorCode = error.code;
    quietly(() => this.#options.onError?.(error));
  }

  #showConnected(): void {
    const { highest } = this.#reader;
    const behind =
      highest === undefined || !this.#cursor ? undefined : Math.max(0, highest - this.#cursor.cursor);
    this.#show({ kind: "connected", behind, delivered: this.#delivered });
  }

  #show(state: ConsumerState): void {
    if (this.#paused !== undefined && state.kind !== "stopped" && state.kind !== "paused") return;
    if (isSame(this.#state, state)) return;
    this.#state = state;
    quietly(() => this.#options.onState?.(state));
  }

  #newReader(): PageReader {
    const { source } = this.#options;
    const [type, ...others] = this.#types;
    return new PageReader({
      source,
      clock: this.#clock,
      limit: this.#pageLimit,
      window: this.#window,
      ...(type === undefined || others.length > 0 ? {} : { type }),
    });
  }

  #newPace(): PollPace {
    const { pollMinMs = 1_000, pollMaxMs = 15_000 } = this.#options;
    return new PollPace({ minMs: pollMinMs, maxMs: pollMaxMs, random: this.#random });
  }
}

function troubleOf({ code }: CrecError): Trouble {
  if (code === "KEY_REFUSED" || code === "ORGANIZATION_NOT_FOUND" || code === "FORBIDDEN") return "refused";
  return code === "CHANNEL_NOT_FOUND" || code === "NOT_FOUND" ? "waiting" : "error";
}

function retryAfterOf(error: CrecError): number | undefined {
  const { retryAfterMs } = error as { retryAfterMs?: unknown };
  return typeof retryAfterMs === "number" ? retryAfterMs : undefined;
}

function isSame(a: ConsumerState, b: ConsumerState): boolean {
  if (a.kind === "connected" && b.kind === "connected")
    return a.behind === b.behind && a.delivered === b.delivered;
  const isPlain = a.kind === "connecting" || a.kind === "waiting_for_channel" || a.kind === "paused";
  return isPlain && a.kind === b.kind;
}

/** A listener's own trouble must not become the consumer's. */
function quietly(call: () => void): void {
  try {
    call();
  } catch {}
}

function checkLimits({
  pageLimit,
  window,
  pollMinMs = 0,
  pollMaxMs = 0,
}: Pick<EventConsumerOptions, "pollMinMs" | "pollMaxMs"> & { pageLimit: number; window: number }): void {
  const { max } = PAGE_LIMITS.events;
  if (!Number.isInteger(pageLimit) || pageLimit < 1 || pageLimit > max)
    throw new ArgumentError("pageLimit", `The page limit must be a whole number from 1 to ${max}.`);
  if (!Number.isInteger(window) || window < 0 || window > pageLimit - 2)
    throw new ArgumentError(
      "window",
      `The window must be a whole number from 0 to ${pageLimit - 2}, less than a page.`,
    );
  if (!(pollMinMs > 0 && pollMinMs <= pollMaxMs))
    throw new ArgumentError(
      "pollMinMs",
      "The shortest poll interval must be above 0 and not above the longest.",
    );
}

function asCrecError(thrown: unknown): CrecError {
  if (thrown instanceof CrecError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new CrecError("CONSUMER_FAILED", `Reading events failed: ${message}. It is tried again.`, {
    cause: thrown,
    retryable: true,
  });
}

function nameTaken({ consumer, channelId }: CursorIdentity): CrecError {
  return new CrecError(
    "CONSUMER_NAME_TAKEN",
    `Two consumers are called "${consumer}" on channel ${channelId}. Give each its own name, or remove one; the first goes on, the second does not read.`,
  );
}

function ofAnotherChannel({ channelId, service }: CursorIdentity): CrecError {
  return new CrecError(
    "CURSOR_OF_ANOTHER_CHANNEL",
    `The stored cursor belongs to channel ${channelId} of ${service}. Use another consumer name, or reset the cursor to start over on this channel.`,
  );
}

function beyondEnd(cursor: number, end: number): CrecError {
  return new CrecError(
    "CURSOR_BEYOND_END",
    `The cursor is at offset ${cursor}, but the channel ends at ${end < 0 ? "nothing: it is empty" : end}. The service may have been started afresh, or this is another channel of that id; choose where to go on by resetting the cursor.`,
  );
}

function deliveryFailed({ headers }: ChannelEvent, cause: unknown): CrecError {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new CrecError(
    "DELIVERY_FAILED",
    `The event at offset ${headers.offset} could not be handed over: ${message}. It is tried again.`,
    { cause, retryable: true },
  );
}
