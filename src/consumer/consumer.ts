import { setImmediate as nextTurn } from "node:timers/promises";
import { CrecError } from "../errors.ts";
import type { ChannelEvent } from "../protocol/index.ts";
import { type Clock, systemClock, throwIfAborted, unlessAborted } from "./clock.ts";
import type { Cursor, CursorIdentity } from "./cursor.ts";
import { Backoff, PollPace, type Random } from "./intervals.ts";
import { claimName } from "./names.ts";
import { type ConsumerState, type EventConsumerOptions, limitsOf, type StartPosition } from "./options.ts";
import { type Batch, PageReader } from "./pages.ts";
import { beginAt, openCursor, type Place, requireWithin } from "./place.ts";
import { type Judged, judgeWithPatience } from "./proof-wait.ts";
import { timeOf, typeOf } from "./source.ts";
import { asCrecError, isFinal, retryAfterOf, troubleOf } from "./trouble.ts";

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
  readonly #limits: ReturnType<typeof limitsOf>;

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
    this.#limits = limitsOf(options);
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#types = new Set(options.types);
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
        if (isFinal(error)) failure = error;
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
    const cursor = await this.#findPlace(signal);
    let news = false;
    for await (const batch of this.#reader.read(cursor.floor, cursor.cursor, signal)) {
      await this.#unlessPaused(signal);
      if (await this.#handOver(cursor, batch, signal)) news = true;
    }
    if (this.#reader.takeEndMovedBack()) await requireWithin(this.#place(), cursor, signal);
    return news;
  }

  /** The cursor in use; else the stored place or the start; or where somebody wants to go. */
  async #findPlace(signal: AbortSignal): Promise<Cursor> {
    const goal = this.#seekTo;
    if (goal === undefined) {
      this.#cursor ??= await openCursor(this.#place(), this.#options.start, signal);
      return this.#cursor;
    }
    this.#reader = this.#newReader();
    this.#cursor = await beginAt(this.#place(), goal, signal);
    if (this.#seekTo === goal) this.#seekTo = undefined;
    return this.#cursor;
  }

  #place(): Place {
    const { identity, store } = this.#options;
    return { identity, store, reader: this.#reader, window: this.#limits.window, clock: this.#clock };
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
    const { source, verify } = this.#options;
    const { proofWaitMs } = this.#limits;
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
    this.#ahead = isDraining
      ? Math.min(Math.max(2 * this.#ahead, this.#limits.pageLimit), 64 * this.#limits.pageLimit)
      : 0;
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
      limit: this.#limits.pageLimit,
      window: this.#limits.window,
      ...(type === undefined || others.length > 0 ? {} : { type }),
    });
  }

  #newPace(): PollPace {
    const { pollMinMs, pollMaxMs } = this.#limits;
    return new PollPace({ minMs: pollMinMs, maxMs: pollMaxMs, random: this.#random });
  }
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

function nameTaken({ consumer, channelId }: CursorIdentity): CrecError {
  return new CrecError(
    "CONSUMER_NAME_TAKEN",
    `Two consumers are called "${consumer}" on channel ${channelId}. Give each its own name, or remove one; the first goes on, the second does not read.`,
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
