import type { Library } from "../lib/runtime/library.ts";

/** An event that an alert left with. */
export type AlertEvent = { eventId: string; channelId: string | undefined; consumer: string | undefined };

/** A message without an event that waits for its turn. */
export type InTurn = {
  /** The same each time it is sent. */
  id: string;
  /** Of the alert. */
  alertId: string;
  isEnd: boolean;
  /** Resolves when the next message of the key may leave. */
  run: () => Promise<void> | undefined;
  /** It need not be sent any more. */
  dropped: () => void;
};

type Turns = {
  events: AlertEvent[];
  /** With so many, those that are settled are forgotten. */
  mostEvents: number;
  waiting: InTurn[];
  /** The id of what runs. */
  running: string | undefined;
  next: NodeJS.Timeout | undefined;
};

const LOOK_AGAIN_MS = 500;
/** With so many, it is looked which are settled; then at twice as many as are left. */
const FEW_EVENTS = 8;
const FEW_KEYS = 1_000;

/**
 * The order of what leaves for one key: the end of an alert must not reach an outlet before the alert. It waits while the
 * event of the alert is in flight, and while a message of its key waits for its acknowledgement. Never for a reader that
 * is gone, and never for other keys.
 */
export class KeyOrder {
  readonly #findInFlight: Library["findInFlight"];
  readonly #keys = new Map<string, Turns>();
  #mostKeys = FEW_KEYS;
  #isClosed = false;

  constructor({ findInFlight }: Pick<Library, "findInFlight">) {
    this.#findInFlight = findInFlight;
  }

  /** An alert leaves with its event. */
  left(key: string, event: AlertEvent): void {
    if (this.#isClosed || !this.#isInFlight(event)) return;
    const turns = this.#turnsOf(key);
    turns.events.push(event);
    if (turns.events.length > turns.mostEvents) {
      this.#forgetSettled(turns);
      turns.mostEvents = FEW_EVENTS + 2 * turns.events.length;
    }
    if (this.#keys.size > this.#mostKeys) this.#forgetIdle();
  }

  /** Runs it now, or after what came before it. */
  add(key: string, one: InTurn): void {
    if (this.#isClosed) return;
    const turns = this.#turnsOf(key);
    if (turns.running === one.id || turns.waiting.some(({ id }) => id === one.id)) return;
    turns.waiting.push(one);
    this.#look(key, turns);
  }

  /** The end of an alert is known to its receivers: what would tell it is dropped. */
  dropEnds(key: string, alertId: string): void {
    const turns = this.#keys.get(key);
    const isOver = (one: InTurn) => one.isEnd && one.alertId === alertId;
    for (const one of turns?.waiting.filter(isOver) ?? []) one.dropped();
    if (turns !== undefined) turns.waiting = turns.waiting.filter((one) => !isOver(one));
  }

  /** What waits is not sent any more. */
  close(): void {
    this.#isClosed = true;
    for (const { next } of this.#keys.values()) clearTimeout(next);
    this.#keys.clear();
  }

  #look(key: string, turns: Turns): void {
    if (turns.running !== undefined || this.#keys.get(key) !== turns) return;
    clearTimeout(turns.next);
    turns.next = undefined;
    while (turns.waiting.length > 0) {
      this.#forgetSettled(turns);
      if (turns.events.length > 0) {
        turns.next = setTimeout(() => this.#look(key, turns), LOOK_AGAIN_MS);
        return;
      }
      const first = turns.waiting.shift();
      const running = first?.run();
      if (running === undefined) continue;
      turns.running = first?.id;
      void running.then(() => {
        turns.running = undefined;
        this.#look(key, turns);
      });
      return;
    }
    if (turns.events.length === 0) this.#keys.delete(key);
  }

  #isInFlight({ eventId, channelId, consumer }: AlertEvent): boolean {
    return this.#findInFlight(eventId, channelId).some(
      ({ identity }) => consumer === undefined || identity.consumer === consumer,
    );
  }

  #turnsOf(key: string): Turns {
    const turns = this.#keys.get(key) ?? {
      ...{ events: [], mostEvents: FEW_EVENTS, waiting: [] },
      ...{ running: undefined, next: undefined },
    };
    this.#keys.set(key, turns);
    return turns;
  }

  #forgetSettled(turns: Turns): void {
    turns.events = turns.events.filter((event) => this.#isInFlight(event));
  }

  #forgetIdle(): void {
    for (const [key, turns] of this.#keys) {
      if (turns.running !== undefined || turns.waiting.length > 0) continue;
      this.#forgetSettled(turns);
      if (turns.events.length === 0) this.#keys.delete(key);
    }
    this.#mostKeys = FEW_KEYS + 2 * this.#keys.size;
  }
}
