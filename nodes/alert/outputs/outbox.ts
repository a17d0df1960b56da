import type { AckReceiver, Refusal } from "../../../src/index.ts";
import type { CrecMessage } from "../../common/messages/message.ts";
import type { Separate } from "./leaving.ts";

/** The wait doubles after each attempt. Milliseconds. */
type Waits = { firstMs: number; maxMs: number };

export type OutboxOptions = {
  /** The name under which an ack event node finds it. */
  consumer: string;
  send: (message: CrecMessage, output: Separate["output"]) => void;
  /** Asked before a message is sent again: another copy may have been told. Never rejects. */
  isDue?: (id: string) => Promise<boolean>;
  /** How long a message that was refused waits: after the given attempt (1, 2, …). Milliseconds. */
  retryMs: (attempt: number) => number;
  /** Called once for what an ack event node has received, or rejected. */
  settled: (item: Separate, why: string | undefined) => void;
  /** How long to wait for the acknowledgement. */
  waits?: Waits;
};

/** Node.js runs a longer timer at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

type Entry = Separate & {
  attempt: number;
  next: NodeJS.Timeout | undefined;
  settled: Promise<void>;
  done: () => void;
};

const WAITS: Waits = { firstMs: 30_000, maxMs: 600_000 };

/**
 * Sends messages again, with growing waits, until an ack event node receives them. It stores nothing: the rule keeps
 * them over a restart.
 */
export class Outbox implements AckReceiver {
  readonly identity: { consumer: string; channelId: string; service: string };
  readonly #options: OutboxOptions;
  readonly #entries = new Map<string, Entry>();

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.identity = { consumer: options.consumer, channelId: "", service: "" };
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Sends a message now, unless it is already waiting for its acknowledgement. Resolves when it waits no longer. */
  add(item: Separate): Promise<void> {
    const known = this.#entries.get(item.id);
    if (known !== undefined) return known.settled;
    let done = () => {};
    const settled = new Promise<void>((resolve) => {
      done = resolve;
    });
    const entry: Entry = { ...item, attempt: 0, next: undefined, settled, done };
    this.#entries.set(item.id, entry);
    this.#send(entry);
    return settled;
  }

  isInFlight(id: string): boolean {
    return this.#entries.has(id);
  }

  /** Returns whether the message was waiting. */
  ack(id: string): boolean {
    return this.#settle(id, undefined);
  }

  /** A rejected message is not sent again; any other is, after the delay. */
  refuse(id: string, refusal: Refusal): boolean {
    const entry = this.#entries.get(id);
    if (entry === undefined) return false;
    if ("reject" in refusal) return this.#settle(id, refusal.reason ?? "");
    this.#schedule(entry, refusal.afterMs ?? this.#options.retryMs(entry.attempt));
    return true;
  }

  /** Stops sending. After a restart, the rule has what was not acknowledged. */
  close(): void {
    for (const { next } of this.#entries.values()) clearTimeout(next);
    this.#entries.clear();
  }

  #settle(id: string, why: string | undefined): boolean {
    const entry = this.#entries.get(id);
    if (entry === undefined) return false;
    clearTimeout(entry.next);
    this.#entries.delete(id);
    this.#options.settled(entry, why);
    entry.done();
    return true;
  }

  #send(entry: Entry): void {
    entry.attempt += 1;
    this.#schedule(entry, this.#waitOf(entry));
    const { id, message, output, attempt } = entry;
    const { consumer } = this.#options;
    const sent = { eventId: id, consumer, attempt, redelivered: attempt > 1 };
    // The flow may change the message that it receives.
    const { payload, crec, ...rest } = structuredClone(message);
    this.#options.send({ ...rest, payload, crec: { ...crec, ...sent } }, output);
  }

  async #again(entry: Entry): Promise<void> {
    const isDue = (await this.#options.isDue?.(entry.id)) ?? true;
    // It may have been settled meanwhile.
    if (this.#entries.get(entry.id) !== entry) return;
    if (isDue) this.#send(entry);
    else {
      this.#entries.delete(entry.id);
      entry.done();
    }
  }

  #schedule(entry: Entry, ms: number): void {
    clearTimeout(entry.next);
    entry.next = setTimeout(() => void this.#again(entry), Math.min(ms, LONGEST_TIMER_MS));
  }

  #waitOf({ attempt }: Entry): number {
    const { firstMs, maxMs } = this.#options.waits ?? WAITS;
    return Math.min(maxMs, firstMs * 2 ** (attempt - 1));
  }
}
