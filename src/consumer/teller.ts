import type { CrecError } from "../errors.ts";
import type { Clock } from "./clock.ts";
import type { ConsumerStart, ConsumerState, EventConsumerOptions } from "./options.ts";
import { quietly } from "./quietly.ts";

export type TellerOptions = Pick<EventConsumerOptions, "onStart" | "onRestored" | "onState" | "onError"> & {
  clock: Clock;
};

/** While events flow, their count changes more often than anybody can read it. */
const COUNTS_EVERY_MS = 100;

/** Tells the listeners what the consumer does: each state once, each error once, counts now and then. */
export class Teller {
  readonly #options: TellerOptions;
  #state: ConsumerState = { kind: "stopped" };
  #told: ConsumerState = this.#state;
  #toldAt = Number.NEGATIVE_INFINITY;
  /** Set while newer counts wait to be told. */
  #waiting: AbortController | undefined;
  #lastErrorCode: string | undefined;

  constructor(options: TellerOptions) {
    this.#options = options;
  }

  get state(): ConsumerState {
    return this.#state;
  }

  show(state: ConsumerState): void {
    if (isSame(this.#state, state)) return;
    this.#state = state;
    const waitMs = this.#toldAt + COUNTS_EVERY_MS - this.#options.clock.now();
    if (state.kind !== "connected" || this.#told.kind !== "connected" || waitMs <= 0) this.#tellState();
    else if (this.#waiting === undefined) this.#tellStateIn(waitMs);
  }

  tellStart(start: ConsumerStart): void {
    quietly(() => this.#options.onStart?.(start));
  }

  tellRestored(upTo: number): void {
    quietly(() => this.#options.onRestored?.(upTo));
  }

  /** Once, until another error or `forgetError`. */
  tell(error: CrecError): void {
    if (error.code === this.#lastErrorCode) return;
    this.#lastErrorCode = error.code;
    quietly(() => this.#options.onError?.(error));
  }

  forgetError(): void {
    this.#lastErrorCode = undefined;
  }

  #tellStateIn(ms: number): void {
    const waiting = new AbortController();
    this.#waiting = waiting;
    void this.#options.clock.sleep(ms, waiting.signal).then(() => {
      if (!waiting.signal.aborted) this.#tellState();
    });
  }

  #tellState(): void {
    this.#waiting?.abort();
    this.#waiting = undefined;
    this.#toldAt = this.#options.clock.now();
    if (isSame(this.#told, this.#state)) return;
    this.#told = this.#state;
    quietly(() => this.#options.onState?.(this.#state));
  }
}

function isSame(a: ConsumerState, b: ConsumerState): boolean {
  if (a.kind === "connected" && b.kind === "connected")
    return (
      a.behind === b.behind &&
      a.delivered === b.delivered &&
      a.late === b.late &&
      a.waitingForAcks === b.waitingForAcks &&
      a.repeating?.attempt === b.repeating?.attempt &&
      a.repeating?.offset === b.repeating?.offset &&
      a.skipped === b.skipped &&
      a.filtered === b.filtered
    );
  const isPlain = a.kind === "connecting" || a.kind === "waiting_for_channel" || a.kind === "paused";
  return isPlain && a.kind === b.kind;
}
