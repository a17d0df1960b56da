import { throwIfAborted } from "../../../src/abort.ts";
import { InFlight } from "../../../src/consumer/delivery/in-flight.ts";
import { PauseGate } from "../../../src/consumer/delivery/pause-gate.ts";
import type { Refusal } from "../../../src/consumer/delivery/refusal.ts";
import { Selection } from "../../../src/consumer/delivery/selection.ts";
import { type Limits, limitsOf } from "../../../src/consumer/options.ts";
import { EventTimes } from "../../../src/consumer/pages/page-source.ts";
import type {
  AckReceiver,
  ChannelEvent,
  ConsumerState,
  CrecError,
  CursorIdentity,
  EventConsumerOptions,
} from "../../../src/index.ts";
import { canonicalId } from "../../../src/protocol/ids.ts";
import { systemClock } from "../../../src/timing/index.ts";

type PastConsumerOptions = Omit<
  EventConsumerOptions,
  | "source"
  | "store"
  | "start"
  | "lease"
  | "pace"
  | "commit"
  | "untilReady"
  | "onStart"
  | "onState"
  | "onError"
> & {
  /** Called when an event is acknowledged or refused; `refusal` is undefined where it is acknowledged. */
  onAnswer: (eventId: string, refusal: Refusal | undefined) => void;
  onError: (error: unknown) => void;
  /** Called when the work on an event begins. Returns what ends it. */
  begin: () => () => void;
  /** Aborted when the node is closed. */
  signal: AbortSignal;
};

/**
 * Delivers events that are handed to it, one after another, as the consumer of a live node does: the same selection,
 * the same limit of events in flight, the same attempts, by the clock of the process. There is no cursor, and no event
 * is late or delivered twice.
 */
export class PastConsumer implements AckReceiver {
  readonly #options: PastConsumerOptions;
  readonly #limits: Limits;
  readonly #gate = new PauseGate({ clock: systemClock });
  readonly #times = new EventTimes(() => systemClock.now());
  readonly #selection: Selection;
  readonly #inFlight: InFlight;
  #delivered = 0;
  #skipped = 0;
  #filtered = 0;
  #queued = 0;
  #last: Promise<void> = Promise.resolve();

  /** @throws {ArgumentError} for limits that cannot work, as the live consumer. */
  constructor(options: PastConsumerOptions) {
    const { deliver, onRejected, ackRejected = false, onError } = options;
    this.#options = options;
    this.#limits = limitsOf({ ...options, source: NOTHING, store: NOTHING, start: "now" });
    this.#selection = new Selection(options);
    const { inFlight: limit, ackTimeoutMs, maxAttempts } = this.#limits;
    this.#inFlight = new InFlight({
      ...{ clock: systemClock, gate: this.#gate, limit, ackTimeoutMs, maxAttempts },
      ...{ deliver, onRejected, ackRejected },
      settled: () => {},
      failed: (error: CrecError) => onError(error),
      repeated: () => {},
    });
    options.signal.addEventListener("abort", () => this.#inFlight.clear(), { once: true });
  }

  get identity(): CursorIdentity {
    return this.#options.identity;
  }

  get state(): ConsumerState {
    const counts = { delivered: this.#delivered, skipped: this.#skipped, filtered: this.#filtered };
    return { kind: "connected", behind: 0, late: 0, waitingForAcks: this.#inFlight.size, ...counts };
  }

  /** Whether all events that it was given are settled. */
  get isIdle(): boolean {
    return this.#queued === 0 && this.#inFlight.size === 0;
  }

  /** Takes the next event of the channel. It is delivered when those before it were. */
  take(event: ChannelEvent): void {
    this.#queued += 1;
    const end = this.#options.begin();
    this.#last = this.#last
      .then(() => this.#process(event))
      .catch((error: unknown) => {
        if (!this.#options.signal.aborted) this.#options.onError(error);
      })
      .finally(() => {
        this.#queued -= 1;
        end();
      });
  }

  pause(): void {
    this.#gate.close();
  }

  resume(): void {
    this.#gate.open();
  }

  /** A process of a rehearsal is not killed. */
  setWaiting(): undefined {}

  isInFlight(eventId: string): boolean {
    return this.#inFlight.has(canonicalId(eventId));
  }

  ack(eventId: string): boolean {
    if (!this.isInFlight(eventId)) return false;
    this.#options.onAnswer(eventId, undefined);
    return this.#inFlight.ack(canonicalId(eventId));
  }

  refuse(eventId: string, refusal: Refusal): boolean {
    if (!this.isInFlight(eventId)) return false;
    this.#options.onAnswer(eventId, refusal);
    return this.#inFlight.refuse(canonicalId(eventId), refusal);
  }

  get isHeldUp(): boolean {
    return this.#inFlight.isHeldUp;
  }

  resend(eventId: string): boolean {
    return this.#inFlight.resend(canonicalId(eventId));
  }

  async #process(event: ChannelEvent): Promise<void> {
    const { prepare, verify, signal } = this.#options;
    await this.#gate.pass(signal);
    this.#times.note([event]);
    await prepare?.([event], signal);
    const selected = this.#selection.select(event, { notBefore: undefined, times: this.#times });
    if (selected === "too old") this.#skipped += 1;
    if (selected === "filtered") this.#filtered += 1;
    if (selected !== "deliver") return;
    const verification = verify && (await verify(event));
    while (this.#inFlight.isFull) await this.#inFlight.untilChange(signal);
    await this.#gate.pass(signal);
    throwIfAborted(signal);
    const first = {
      offset: event.headers.offset,
      redelivered: false,
      late: false,
      restored: false,
      attempt: 1,
    };
    const delivery = { event, ...first, ...(verification ? { verification } : {}) };
    this.#delivered += 1;
    this.#inFlight.add(delivery);
  }
}

/** What a live consumer has beside: the limits do not depend on it. */
const NOTHING = {} as EventConsumerOptions["source"] & EventConsumerOptions["store"];
