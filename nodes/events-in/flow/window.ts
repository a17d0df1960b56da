import type { Sending } from "./attempts.ts";
import type { FlowWork } from "./flow-work.ts";
import type { Work } from "./work.ts";

/** After this long without a report of any node, the flow is taken for one that does not report. */
const SILENCE_MS = 10_000;
const TELL_EVERY_MS = 100;

/** Limits how many messages of a node are in its flow at once, as far as the flow's nodes report what they complete. */
export class FlowWindow {
  readonly #flowWork: FlowWork;
  readonly #limit: number;
  readonly #onSilence: () => void;
  readonly #onChange: () => void;
  readonly #open = new Set<Work>();
  #change = newChange();
  #isSilenceTold = false;
  #telling: NodeJS.Timeout | undefined;

  /** `onSilence` is called once, when the flow reports nothing and more is let in; `onChange` when it fills or empties. */
  constructor(options: { flowWork: FlowWork; limit: number; onSilence: () => void; onChange: () => void }) {
    this.#flowWork = options.flowWork;
    this.#limit = options.limit;
    this.#onSilence = options.onSilence;
    this.#onChange = options.onChange;
  }

  /** How many messages the flow has not completed. */
  get size(): number {
    return this.#open.size;
  }

  get isFull(): boolean {
    return this.#open.size >= this.#limit;
  }

  /** Sends a message that counts until all that came of it is completed. */
  send(msg: object, { send, isWired }: Sending): void {
    const work = this.#flowWork.follow(msg, () => this.#remove(work));
    this.#open.add(work);
    send();
    if (!isWired) work.endIfDone();
    if (this.isFull) this.#tellSoon();
  }

  /** Waits until there is room, or the flow has been silent for so long that it is not waited for. */
  async untilRoom(signal: AbortSignal): Promise<void> {
    while (this.isFull && !signal.aborted) {
      const { promise } = this.#change;
      if (await isFirst(promise, SILENCE_MS, signal)) continue;
      if (signal.aborted) return;
      this.#letMoreIn();
    }
  }

  #letMoreIn(): void {
    this.clear();
    if (!this.#isSilenceTold) this.#onSilence();
    this.#isSilenceTold = true;
    this.#tellSoon();
  }

  /** Stops counting what is in the flow now. */
  clear(): void {
    for (const work of this.#open) this.#flowWork.forget(work);
    this.#open.clear();
  }

  /** At its limit it fills and empties with each event. */
  #tellSoon(): void {
    this.#telling ??= setTimeout(() => {
      this.#telling = undefined;
      this.#onChange();
    }, TELL_EVERY_MS).unref();
  }

  #remove(work: Work): void {
    const wasFull = this.isFull;
    if (!this.#open.delete(work)) return;
    this.#change.resolve();
    this.#change = newChange();
    if (wasFull) this.#tellSoon();
  }
}

type Change = { promise: Promise<void>; resolve: () => void };

/** By hand: Node.js 20 has no `Promise.withResolvers`. */
function newChange(): Change {
  let resolve = () => {};
  const promise = new Promise<void>((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve: () => resolve() };
}

/** Whether something happens before so much time has passed, and before the signal. */
function isFirst(happens: Promise<void>, ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (answer: boolean) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", aborted);
      resolve(answer);
    };
    const aborted = () => end(false);
    const timer = setTimeout(() => end(false), ms);
    signal.addEventListener("abort", aborted);
    void happens.then(() => end(true));
  });
}
