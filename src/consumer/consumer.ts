import type { CrecError } from "../errors.ts";
import { type ChannelEvent, canonicalId } from "../protocol/index.ts";
import { Checkpointer } from "./checkpointer.ts";
import { type Clock, systemClock } from "./clock.ts";
import type { CursorIdentity } from "./cursor-state.ts";
import { Dispatcher } from "./dispatcher.ts";
import { asCrecError, errorClassOf, isFinal, isOfChannel, retryAfterOf } from "./error-class.ts";
import type { Refusal } from "./in-flight.ts";
import { Backoff, PollPace, type Random } from "./intervals.ts";
import { Notifier } from "./notifier.ts";
import {
  type ConsumerState,
  type EventConsumerOptions,
  type Limits,
  limitsOf,
  type StartPosition,
} from "./options.ts";
import { Pause } from "./pause.ts";
import { type Found, Reading } from "./reading.ts";
import { claimName, nameTaken } from "./running.ts";
import { Selection } from "./selection.ts";

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
 * await consumer.stop();
 */
export class EventConsumer {
  readonly #options: EventConsumerOptions;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #selection: Selection;
  readonly #pause = new Pause();
  readonly #limits: Limits;
  readonly #notifier: Notifier;
  readonly #checkpointer: Checkpointer;
  readonly #dispatcher: Dispatcher;

  #run: { abort: AbortController; over: Promise<void> } | undefined;
  /** Ends the present look at the channel, and what comes of it, but not the run. */
  #round = new AbortController();
  #seekTo: StartPosition | undefined;

  #reading: Reading;
  #pace: PollPace;
  #backoff: Backoff;

  /** Throws `ArgumentError` for limits that cannot work, and for types that are not listed. */
  constructor(options: EventConsumerOptions) {
    this.#limits = limitsOf(options);
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#selection = new Selection(options);
    const onError = (error: CrecError) => this.#notifier.notifyError(error);
    const parts = { clock: this.#clock, store: options.store, onError };
    this.#notifier = new Notifier({ ...options, clock: this.#clock });
    this.#checkpointer = new Checkpointer({ ...parts, pageLimit: this.#limits.pageLimit });
    this.#dispatcher = new Dispatcher({
      ...options,
      ...parts,
      limits: this.#limits,
      pause: this.#pause,
      selection: this.#selection,
      checkpointer: this.#checkpointer,
      onProgress: () => {
        if (this.state.kind === "connected") this.#showConnected();
      },
    });
    this.#reading = this.#newReading();
    this.#pace = this.#newPace();
    this.#backoff = new Backoff(this.#random);
  }

  /** Whose place it keeps. */
  get identity(): CursorIdentity {
    return this.#options.identity;
  }

  get state(): ConsumerState {
    return this.#notifier.state;
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
    const taken = nameTaken(this.identity);
    const free = claimName(this, () => this.#notifier.notifyError(taken));
    if (free === undefined) {
      this.#show({ kind: "stopped", error: taken });
      this.#notifier.notifyError(taken);
      return;
    }
    const abort = new AbortController();
    const over = Promise.resolve().then(() => this.#keepReading(abort.signal, free));
    this.#run = { abort, over };
    this.#show(this.#pause.over === undefined ? { kind: "connecting" } : { kind: "paused" });
  }

  /**
   * Ends reading, even in the middle of a request, and stores the place. What is in flight counts as not
   * acknowledged. Never rejects.
   */
  async stop(): Promise<void> {
    this.#run?.abort.abort();
    await this.#run?.over;
  }

  /** Hands nothing over until `resume()`. An event being handed over is finished; acknowledgements count. */
  pause(): void {
    if (this.#pause.begin() && this.#run !== undefined) this.#show({ kind: "paused" });
  }

  resume(): void {
    if (!this.#pause.end() || this.#run === undefined) return;
    if (this.#reading.cursor === undefined) this.#show({ kind: "connecting" });
    else this.#showConnected();
  }

  /**
   * Forgets the place and goes on at another one: a number is the offset of the first event to deliver.
   * Also starts a consumer again that was stopped by an error about its cursor.
   */
  seek(to: number | StartPosition): void {
    this.#seekTo = typeof to === "number" ? { offset: to } : to;
    this.#dispatcher.inFlight.clear();
    this.#round.abort();
    if (this.#run === undefined && this.state.kind === "stopped" && this.state.error) this.start();
  }

  /** Whether an event was handed over and waits for its acknowledgement. */
  isInFlight(eventId: string): boolean {
    return this.#dispatcher.inFlight.has(canonicalId(eventId));
  }

  /** Says that an event is done with. Tells whether it was in flight; if not, nothing happens. */
  ack(eventId: string): boolean {
    return this.#dispatcher.inFlight.ack(canonicalId(eventId));
  }

  /**
   * Says that an event could not be processed: it comes again after `afterMs` milliseconds, unless it was sent
   * too often, or with `reject` goes to `onRejected`. Tells whether it was in flight; if not, nothing happens.
   * Throws `ArgumentError` for a delay that is no number of 0 or more.
   */
  refuse(eventId: string, refusal: Refusal): boolean {
    return this.#dispatcher.inFlight.refuse(canonicalId(eventId), refusal);
  }

  async #keepReading(signal: AbortSignal, free: () => void): Promise<void> {
    this.#startAfresh();
    let failure: CrecError | undefined;
    while (!signal.aborted && failure === undefined) {
      this.#round = new AbortController();
      const round = AbortSignal.any([signal, this.#round.signal]);
      try {
        await this.#pause.passed(round);
        const news = await this.#look(round);
        this.#backoff.succeeded();
        this.#notifier.forgetError();
        this.#showConnected();
        await this.#clock.sleep(this.#pace.next({ news }), round);
      } catch (thrown) {
        this.#reading.cursor?.release((eventId) => this.isInFlight(eventId));
        if (round.aborted) continue;
        const error = asCrecError(thrown);
        if (isFinal(error)) {
          failure = error;
          // Somewhere that cannot be gone to is not tried again by a later start.
          this.#seekTo = undefined;
        } else await this.#clock.sleep(this.#explain(error), round);
      }
    }
    this.#dispatcher.inFlight.clear();
    failure = (await this.#checkpointer.close(this.#reading.cursor)) ?? failure;
    free();
    this.#run = undefined;
    this.#show(failure === undefined ? { kind: "stopped" } : { kind: "stopped", error: failure });
    if (failure !== undefined) this.#notifier.notifyError(failure);
  }

  #startAfresh(): void {
    this.#reading = this.#newReading();
    this.#pace = this.#newPace();
    this.#backoff = new Backoff(this.#random);
    this.#dispatcher.reset();
    this.#notifier.forgetError();
  }

  /** One look at the channel: everything that is there now is handed over. Tells whether there was news. */
  async #look(signal: AbortSignal): Promise<boolean> {
    const found = await this.#findPlace(signal);
    const { cursor, looks, reader } = found;
    // Once the channel was seen to end below the cursor, one look at a time has to do.
    const endLooks = this.state.kind === "beyond_end" ? 1 : undefined;
    await this.#reading.requireWithin(found, signal, endLooks);
    await this.#options.prepare?.([], signal);
    // Nothing is asked for that could not be handed on.
    await this.#dispatcher.untilRoom(cursor, signal);
    const take = async (events: readonly ChannelEvent[]) => {
      await this.#pause.passed(signal);
      this.#showConnected();
      const news = await this.#dispatcher.take(events, { cursor, reader, signal });
      this.#showConnected();
      await this.#dispatcher.untilRoom(cursor, signal);
      return news;
    };
    const lateBefore = this.#dispatcher.counts.late;
    const news = await looks.look(take, signal);
    if (this.#dispatcher.counts.late > lateBefore) looks.foundLate();
    await this.#reading.requireWithin(found, signal);
    return news;
  }

  /** The place in use, or where somebody wants to go. */
  async #findPlace(signal: AbortSignal): Promise<Found> {
    const goal = this.#seekTo;
    if (goal === undefined) return this.#reading.find(signal);
    this.#checkpointer.cancel();
    const found = await this.#reading.goTo(goal, signal);
    if (this.#seekTo === goal) this.#seekTo = undefined;
    return found;
  }

  /** Shows an error for what it is, and gives the time to wait before the next look. */
  #explain(error: CrecError): number {
    const errorClass = errorClassOf(error);
    const inMs = this.#backoff.next(errorClass, retryAfterOf(error));
    if (isOfChannel(error)) this.#show({ kind: "waiting_for_channel" });
    else if (error.code === "CURSOR_BEYOND_END") this.#show({ kind: "beyond_end", inMs, error });
    else if (errorClass === "refused") this.#show({ kind: "refused", error });
    else this.#show({ kind: "retrying", inMs, error });
    this.#notifier.notifyError(error);
    return inMs;
  }

  #showConnected(): void {
    this.#show({ kind: "connected", behind: this.#reading.behind, ...this.#dispatcher.counts });
  }

  #show(state: ConsumerState): void {
    if (this.#pause.over !== undefined && state.kind !== "stopped" && state.kind !== "paused") return;
    this.#notifier.setState(state);
  }

  #newReading(): Reading {
    return new Reading({
      ...this.#options,
      clock: this.#clock,
      limits: this.#limits,
      selection: this.#selection,
      notifier: this.#notifier,
    });
  }

  #newPace(): PollPace {
    const { pollMinMs, pollMaxMs } = this.#limits;
    return new PollPace({ minMs: pollMinMs, maxMs: pollMaxMs, random: this.#random });
  }
}
