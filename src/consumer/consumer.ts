import { ArgumentError, asCrecError, type CrecError } from "../errors.ts";
import { finite, flag, text } from "../options/index.ts";
import { consumerNameTaken, lockConsumer, lockKeyOf } from "../ownership/consumer-lock.ts";
import { endOf } from "../ownership/lease.ts";
import { type ChannelEvent, canonicalId } from "../protocol/index.ts";
import { POLLS } from "../retry/policies.ts";
import { PollGaps } from "../retry/poll.ts";
import type { CursorIdentity } from "../storage/cursor/cursor-state.ts";
import { type Clock, type Random, readClocks, systemClock, timeOf } from "../timing/index.ts";
import { Checkpointer } from "./cursor/checkpointer.ts";
import { Dispatcher } from "./delivery/dispatcher.ts";
import type { InFlightEvent } from "./delivery/in-flight.ts";
import { Notifier } from "./delivery/notifier.ts";
import { PauseGate } from "./delivery/pause-gate.ts";
import { type Refusal, refusalOf } from "./delivery/refusal.ts";
import { Selection } from "./delivery/selection.ts";
import {
  consumerOptions,
  type EventConsumerOptions,
  type Limits,
  limitsOf,
  type StartPosition,
  startKind,
} from "./options.ts";
import { ReadingProgress } from "./pages/reading-progress.ts";
import { pacedClock } from "./schedule/pace.ts";
import { isChannelMissing, ReadBackoff, readErrorKindOf } from "./schedule/read-errors.ts";
import { type OpenChannel, ReadSession } from "./schedule/read-session.ts";
import type { ConsumerState } from "./state.ts";

/** Those of this process that run. */
export const running = new Set<EventConsumer>();

/**
 * Delivers every event of a channel at least once, in order, across restarts and outages. The store keeps the cursor;
 * an event that may have been delivered before is marked. It never throws while it reads: `onState` and `onError`
 * report errors.
 * @example
 * const consumer = new EventConsumer({
 *   source: eventSource(client.events, channelId),
 *   store: new FileCursorStore({ path: "cursor.json" }),
 *   identity: { consumer: "alerts", channelId, service: baseUrl },
 *   start: "now",
 *   deliver: ({ event }) => handle(event),
 * });
 * consumer.start();
 * await consumer.stop();
 */
export class EventConsumer {
  readonly #options: EventConsumerOptions;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #selection: Selection;
  readonly #gate: PauseGate;
  readonly #limits: Limits;
  readonly #notifier: Notifier;
  readonly #checkpointer: Checkpointer;
  readonly #dispatcher: Dispatcher;

  #run: { abort: AbortController; over: Promise<void> } | undefined;
  /** Aborts the present poll and its deliveries, but not the run. */
  #round = new AbortController();
  #seekTo: StartPosition | undefined;
  #acceptsMove = false;

  readonly #progress = new ReadingProgress();
  /** When the end of the channel was last looked at, by the monotonic clock. */
  #lookedAt = Number.NEGATIVE_INFINITY;
  #session: ReadSession;
  #interval: PollGaps;
  #backoff: ReadBackoff;

  /** Throws `ArgumentError` for limits that cannot work, and for types that are not listed. */
  constructor(options: EventConsumerOptions) {
    const given = consumerOptions(options);
    this.#limits = limitsOf(given);
    this.#options = given;
    this.#clock = pacedClock(given.clock ?? systemClock, given.pace);
    this.#random = given.random ?? Math.random;
    this.#selection = new Selection(given);
    this.#gate = new PauseGate({ clock: this.#clock, lease: given.lease });
    const onError = (error: CrecError) => this.#notifier.notifyError(error);
    const { store, lease } = given;
    const parts = { clock: this.#clock, store, lease, onError };
    this.#notifier = new Notifier({ ...given, clock: this.#clock });
    this.#checkpointer = new Checkpointer({ ...parts, pageLimit: this.#limits.pageLimit });
    this.#dispatcher = new Dispatcher({
      ...given,
      ...parts,
      limits: this.#limits,
      gate: this.#gate,
      selection: this.#selection,
      checkpointer: this.#checkpointer,
      onProgress: () => {
        if (this.state.kind === "connected") this.#showConnected();
      },
    });
    this.#session = this.#newSession();
    this.#interval = this.#newInterval();
    this.#backoff = new ReadBackoff(this.#random);
    const { inFlight } = this.#dispatcher;
    lease?.over.addEventListener("abort", () => inFlight.clear(), { once: true });
  }

  /** Whose cursor it keeps. */
  get identity(): CursorIdentity {
    return this.#options.identity;
  }

  get state(): ConsumerState {
    return this.#notifier.state;
  }

  /**
   * The time up to which the channel was read to its end, with all events delivered and settled. Unix milliseconds, by
   * the clock of this machine. It does not advance during an outage or a pause, unless that clock is set. Undefined before
   * the first time.
   */
  get readUpTo(): number | undefined {
    const { upTo } = this.#progress;
    return upTo && timeOf(upTo, this.#clock);
  }

  /**
   * Like `readUpTo`, for a receiver that has the events in flight already: they need not be settled. While no further
   * event may be delivered, this asks the service whether there is one, at most once in `pollMaxMs`; a later call has
   * the answer.
   */
  get deliveredUpTo(): number | undefined {
    this.#lookAhead();
    const { deliveredUpTo } = this.#progress;
    return deliveredUpTo && timeOf(deliveredUpTo, this.#clock);
  }

  /** The events that were delivered and are not settled. */
  get inFlight(): InFlightEvent[] {
    return this.#dispatcher.inFlight.events;
  }

  /**
   * Starts reading. Does nothing when it runs already. When another consumer in this process has the same identity,
   * this one is `stopped` with the error `CONSUMER_NAME_TAKEN`, which both report to `onError`.
   */
  start(): void {
    if (this.#run !== undefined) {
      if (this.#run.abort.signal.aborted) void this.#run.over.then(() => this.start());
      return;
    }
    const taken = consumerNameTaken(this.identity.consumer);
    let isTaken = false;
    const release = lockConsumer(lockKeyOf(this.identity), (state) => {
      isTaken = state === "waiting";
      if (state !== "alone") this.#notifier.notifyError(taken);
    });
    if (isTaken) {
      release();
      this.#show({ kind: "stopped", error: taken });
      return;
    }
    running.add(this);
    const abort = new AbortController();
    const over = Promise.resolve().then(() => this.#keepReading(abort.signal, release));
    this.#run = { abort, over };
    this.#show({ kind: this.#gate.isPaused ? "paused" : "connecting" });
  }

  /**
   * Stops reading, even during a request, and stores the cursor. Events in flight count as not acknowledged. Never
   * rejects.
   */
  async stop(): Promise<void> {
    this.#run?.abort.abort();
    await this.#run?.over;
  }

  /** Delivers nothing until `resume()`. A delivery under way is finished; acknowledgements count. */
  pause(): void {
    if (this.#gate.close() && this.#run !== undefined) this.#show({ kind: "paused" });
  }

  /** Ends a pause. */
  resume(): void {
    if (!this.#gate.open() || this.#run === undefined) return;
    if (this.#session.cursor === undefined) this.#show({ kind: "connecting" });
    else this.#showConnected();
  }

  /**
   * Continues at another position: a number is the offset of the first event to deliver.
   * Also restarts a consumer that was stopped by an error of its cursor.
   */
  seek(to: number | StartPosition): void {
    this.#seekTo = startKind(typeof to === "number" ? { offset: to } : to, "to");
    this.#dispatcher.inFlight.clear();
    this.#round.abort();
    if (this.#run === undefined && this.state.kind === "stopped" && this.state.error) this.start();
  }

  /**
   * Starts again, at the stored cursor, after the consumer has stopped with `CURSOR_OF_ANOTHER_CHANNEL` since its service
   * has another address now. It goes on only if the service returns the newest event that the cursor remembers, at
   * its offset; else it stops with that error again.
   * Throws `ArgumentError` when it did not stop with that error.
   */
  continueStored(): void {
    const { state } = this;
    if (state.kind !== "stopped" || state.error?.code !== "CURSOR_OF_ANOTHER_CHANNEL") {
      const message =
        "The stored cursor is in use, or was not found to be of another address: there is nothing to take over.";
      throw new ArgumentError("to", message);
    }
    this.#acceptsMove = true;
    this.start();
  }

  /** Whether an event was delivered and waits for its acknowledgement. */
  isInFlight(eventId: string): boolean {
    return this.#dispatcher.inFlight.has(idOf(eventId));
  }

  /**
   * Whether an event at this offset was settled or passed over: it is not delivered again, unless the cursor is moved.
   * Undefined until the consumer has read its cursor.
   */
  isSettled(eventId: string, offset: number): boolean | undefined {
    const id = idOf(eventId);
    finite(offset, "offset");
    return this.#session.cursor?.isSettled(id, offset);
  }

  /** On ack: whether nothing more is delivered until an event is acknowledged or rejected. */
  get isHeldUp(): boolean {
    return this.#dispatcher.inFlight.isHeldUp;
  }

  /** Acknowledges an event. Returns whether it was in flight; if not, nothing happens. */
  ack(eventId: string): boolean {
    return this.#dispatcher.inFlight.ack(idOf(eventId));
  }

  /**
   * Refuses an event that could not be processed: it is sent again after `afterMs` milliseconds, unless it was sent too
   * often, or with `reject` goes to `onRejected`. Returns whether it was in flight; if not, nothing happens.
   * Throws `ArgumentError` for a delay that is not a number of 0 or more.
   */
  refuse(eventId: string, refusal: Refusal): boolean {
    return this.#dispatcher.inFlight.refuse(idOf(eventId), refusalOf(refusal, "refusal"));
  }

  /**
   * Sends an event in flight again at once, because the work on it was interrupted from outside. It is marked as
   * redelivered, and that is no further attempt. Returns whether it was in flight; if not, nothing happens.
   */
  resend(eventId: string): boolean {
    return this.#dispatcher.inFlight.resend(idOf(eventId));
  }

  /**
   * Says that an event in flight only waits, such as for a person: an end of the process is then not counted for it. Say
   * `false`, and wait for the promise, before the work on it goes on. Resolves when that is stored, or could not be.
   * Undefined where nothing is counted for the event, which is usual: only after a crash are events counted.
   */
  setWaiting(eventId: string, isWaiting: boolean): Promise<void> | undefined {
    try {
      return this.#dispatcher.setWaiting(idOf(eventId), flag(isWaiting, "isWaiting"));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async #keepReading(signal: AbortSignal, release: () => void): Promise<void> {
    const { lease } = this.#options;
    const end = lease ? AbortSignal.any([signal, lease.over]) : signal;
    this.#reset();
    let failure: CrecError | undefined;
    while (!end.aborted && failure === undefined) {
      this.#round = new AbortController();
      const round = AbortSignal.any([end, this.#round.signal]);
      try {
        await this.#gate.pass(round);
        const hasNews = await this.#poll(round);
        this.#backoff.succeeded();
        this.#notifier.forgetError();
        this.#showConnected();
        await (this.#options.pace ?? this.#clock).sleep(this.#interval.next({ hasNews }), round);
      } catch (thrown) {
        this.#session.cursor?.release((eventId) => this.isInFlight(eventId));
        if (round.aborted) continue;
        const error = asCrecError(thrown);
        if (readErrorKindOf(error) === "final") {
          failure = error;
          // A later start does not try this position again.
          this.#seekTo = undefined;
        } else await this.#clock.sleep(this.#report(error), round);
      }
    }
    this.#acceptsMove = false;
    this.#dispatcher.inFlight.clear();
    if (lease?.over.aborted) {
      this.#checkpointer.cancel();
      failure = endOf(lease);
    } else failure = (await this.#checkpointer.close(this.#session.cursor)) ?? failure;
    running.delete(this);
    release();
    this.#run = undefined;
    this.#show(failure === undefined ? { kind: "stopped" } : { kind: "stopped", error: failure });
    if (failure !== undefined) this.#notifier.notifyError(failure);
  }

  #reset(): void {
    this.#session = this.#newSession();
    this.#interval = this.#newInterval();
    this.#backoff = new ReadBackoff(this.#random);
    this.#dispatcher.reset();
    this.#notifier.forgetError();
  }

  /** Polls the channel once and delivers everything that is there now. Returns whether something was new. */
  async #poll(signal: AbortSignal): Promise<boolean> {
    const channel = await this.#openChannel(signal);
    const { cursor, poller, reader } = channel;
    // Once the channel was seen to end below the cursor, each poll checks that once.
    const endChecks = this.state.kind === "beyond_end" ? 1 : undefined;
    await this.#session.requireWithin(channel, signal, endChecks);
    await this.#options.prepare?.([], signal);
    // Nothing is requested that could not be delivered.
    await this.#dispatcher.untilRoom(cursor, signal);
    const take = async (events: readonly ChannelEvent[]) => {
      await this.#gate.pass(signal);
      this.#showConnected();
      const news = await this.#dispatcher.take(events, { cursor, reader, signal });
      this.#showConnected();
      await this.#dispatcher.untilRoom(cursor, signal);
      return news;
    };
    const lateBefore = this.#dispatcher.counts.late;
    const begunAt = readClocks(this.#clock);
    const news = await poller.poll(take, signal);
    if (this.#dispatcher.counts.late > lateBefore) poller.lateEventFound();
    await this.#session.requireWithin(channel, signal);
    this.#progress.polled(begunAt, {
      behind: this.#session.behind,
      inFlight: this.#dispatcher.inFlight.size,
      isDelivered: (reader.highest ?? -1) <= (cursor.handedOverUpTo ?? -1),
    });
    return news;
  }

  /** What holds up a receiver is an event that it has not got, not that nothing is polled. */
  #lookAhead(): void {
    const { channel } = this.#session;
    const begunAt = readClocks(this.#clock);
    const isDue = begunAt.monotonic - this.#lookedAt >= this.#limits.pollMaxMs;
    if (channel === undefined || this.#run === undefined || !this.isHeldUp || !isDue) return;
    this.#lookedAt = begunAt.monotonic;
    const signal = AbortSignal.any([this.#run.abort.signal, this.#round.signal]);
    const looked = (end: number) => {
      if (!signal.aborted) this.#progress.looked(begunAt, end === channel.cursor.handedOverUpTo);
    };
    // An error shows at the next poll.
    channel.reader.end(signal).then(looked, () => {});
  }

  /** The channel at the cursor, or at the position of `seek()`. */
  async #openChannel(signal: AbortSignal): Promise<OpenChannel> {
    const position = this.#seekTo;
    if (position === undefined) return this.#session.open(signal, this.#acceptsMove);
    this.#checkpointer.cancel();
    const channel = await this.#session.seek(position, signal);
    if (this.#seekTo === position) this.#seekTo = undefined;
    return channel;
  }

  /** Reports an error, and returns how long to wait before the next poll, in milliseconds. */
  #report(error: CrecError): number {
    const inMs = this.#backoff.next(error);
    if (isChannelMissing(error)) this.#show({ kind: "waiting_for_channel" });
    else if (error.code === "CURSOR_BEYOND_END") this.#show({ kind: "beyond_end", inMs, error });
    else if (readErrorKindOf(error) === "refused") this.#show({ kind: "refused", error });
    else this.#show({ kind: "retrying", inMs, error });
    this.#notifier.notifyError(error);
    return inMs;
  }

  #showConnected(): void {
    this.#show({ kind: "connected", behind: this.#session.behind, ...this.#dispatcher.counts });
  }

  #show(state: ConsumerState): void {
    if (this.#gate.isPaused && state.kind !== "stopped" && state.kind !== "paused") return;
    this.#notifier.setState(state);
  }

  #newSession(): ReadSession {
    return new ReadSession({
      ...this.#options,
      clock: this.#clock,
      limits: this.#limits,
      selection: this.#selection,
      notifier: this.#notifier,
    });
  }

  #newInterval(): PollGaps {
    const { pollMinMs: min, pollMaxMs: max } = this.#limits;
    return new PollGaps({ ...POLLS.channel, min, max }, this.#random);
  }
}

function idOf(eventId: string): string {
  return canonicalId(text(eventId, "eventId"));
}
