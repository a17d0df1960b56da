import type { CrecError } from "../../errors.ts";
import type { Clock } from "../../timing/index.ts";
import type { ConsumerStart, EventConsumerOptions } from "../options.ts";
import type { ConsumerState } from "../state.ts";

type NotifierOptions = Pick<EventConsumerOptions, "onStart" | "onRestored" | "onState" | "onError"> & {
  clock: Clock;
};

/** How often counts are reported while they change. */
const COUNTS_INTERVAL_MS = 100;

/** Calls the listeners of a consumer: once for each state and each error, and at intervals for counts. */
export class Notifier {
  readonly #options: NotifierOptions;
  #state: ConsumerState = { kind: "stopped" };
  #notified: ConsumerState = this.#state;
  #notifiedAt = Number.NEGATIVE_INFINITY;
  /** Set while newer counts wait to be reported. */
  #waiting: AbortController | undefined;
  #lastErrorCode: string | undefined;

  constructor(options: NotifierOptions) {
    this.#options = options;
  }

  get state(): ConsumerState {
    return this.#state;
  }

  setState(state: ConsumerState): void {
    if (isSame(this.#state, state)) return;
    this.#state = state;
    const waitMs = this.#notifiedAt + COUNTS_INTERVAL_MS - this.#options.clock.elapsed();
    if (state.kind !== "connected" || this.#notified.kind !== "connected" || waitMs <= 0) this.#notifyState();
    else if (this.#waiting === undefined) this.#notifyStateIn(waitMs);
  }

  notifyStart(start: ConsumerStart): void {
    callListener(() => this.#options.onStart?.(start));
  }

  notifyRestored(upTo: number): void {
    callListener(() => this.#options.onRestored?.(upTo));
  }

  /** Once, until another error or `forgetError`. */
  notifyError(error: CrecError): void {
    if (error.code === this.#lastErrorCode) return;
    this.#lastErrorCode = error.code;
    callListener(() => this.#options.onError?.(error));
  }

  forgetError(): void {
    this.#lastErrorCode = undefined;
  }

  #notifyStateIn(ms: number): void {
    const waiting = new AbortController();
    this.#waiting = waiting;
    void this.#options.clock.sleep(ms, waiting.signal).then(() => {
      if (!waiting.signal.aborted) this.#notifyState();
    });
  }

  #notifyState(): void {
    this.#waiting?.abort();
    this.#waiting = undefined;
    this.#notifiedAt = this.#options.clock.elapsed();
    if (isSame(this.#notified, this.#state)) return;
    this.#notified = this.#state;
    callListener(() => this.#options.onState?.(this.#state));
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

/** Calls a listener, and ignores what it throws: an error of a listener must not become one of the consumer. */
export function callListener(call: () => void): void {
  try {
    call();
  } catch {}
}
