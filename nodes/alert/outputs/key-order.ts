import type { Library } from "../../common/library.ts";
import type { NamedEvent } from "../../common/status/channel-progress.ts";

type KeyOrderOptions = Pick<Library, "findInFlight"> & {
  /** Whether an event that is not in flight may come again, such as after a restart. */
  mayCome: (event: NamedEvent) => boolean;
  /** Milliseconds, of a clock that is never set. */
  now?: () => number;
};

/** An event that an alert left with. `goneAt`: since when it is not in flight, and may come again. */
type Awaited = NamedEvent & { goneAt?: number | undefined };

/** A message without an event that waits for its turn. */
type InTurn = {
  /** The same each time it is sent. */
  id: string;
  /** Of the alert. */
  alertId: string;
  isEnd: boolean;
  /** That of the alert, which may have left before this process began. */
  event?: NamedEvent | undefined;
  /** Resolves when the next message of the key may leave. */
  run: () => Promise<void> | undefined;
  /** It need not be sent any more. */
  dropped: () => void;
  /** It was not sent before the node was closed. */
  unsent: () => void;
};

type Turns = {
  events: Awaited[];
  /** With so many, those that are settled are forgotten. */
  mostEvents: number;
  /** By their ids, in the order in which they came. */
  waiting: Map<string, InTurn>;
  /** The id of what runs. */
  running: string | undefined;
};

const LOOK_AGAIN_MS = 500;
/** With so many, it is looked which are settled; then at twice as many as are left. */
const FEW_EVENTS = 8;
const FEW_KEYS = 1_000;
/** What may come again, and is not in flight, is waited for so long: its channel may be away for good. */
const LONGEST_GONE_MS = 3_600_000;

/**
 * The order of what leaves for one key: the end of an alert must not reach an outlet before the alert. It waits while the
 * event of the alert is in flight or may come again, and while a message of its key waits for its acknowledgement. Never
 * for a reader that is gone, and never for other keys.
 */
export class KeyOrder {
  readonly #options: Required<KeyOrderOptions>;
  readonly #keys = new Map<string, Turns>();
  #mostKeys = FEW_KEYS;
  #isClosed = false;
  /** One for all keys: after a restart, there may be many. */
  #next: NodeJS.Timeout | undefined;

  constructor(options: KeyOrderOptions) {
    this.#options = { now: () => performance.now(), ...options };
  }

  /** An alert leaves with its event. */
  left(key: string, event: NamedEvent): void {
    const awaited = { ...event };
    if (this.#isClosed || !this.#isAwaited(awaited)) return;
    const turns = this.#turnsOf(key);
    turns.events.push(awaited);
    if (turns.events.length > turns.mostEvents) {
      this.#forgetSettled(turns);
      turns.mostEvents = FEW_EVENTS + 2 * turns.events.length;
    }
    if (this.#keys.size > this.#mostKeys) this.#forgetIdle();
  }

  /** Runs it now, or after what came before it. */
  add(key: string, one: InTurn): void {
    if (this.#isClosed) {
      one.unsent();
      return;
    }
    const turns = this.#turnsOf(key);
    if (turns.running === one.id || turns.waiting.has(one.id)) return;
    const isFirst = turns.waiting.size === 0;
    turns.waiting.set(one.id, one);
    if (one.event !== undefined) turns.events.push({ ...one.event });
    // What waits already is looked at before it.
    if (isFirst) this.#look(key, turns);
  }

  /** The end of an alert is known to its receivers: what would tell it is dropped. */
  dropEnds(key: string, alertId: string): void {
    const waiting = this.#keys.get(key)?.waiting;
    for (const one of waiting?.values() ?? []) {
      if (!one.isEnd || one.alertId !== alertId) continue;
      waiting?.delete(one.id);
      one.dropped();
    }
  }

  /** What waits, and what comes from now on, is not sent. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#next);
    for (const { waiting } of this.#keys.values()) {
      for (const one of waiting.values()) one.unsent();
    }
    this.#keys.clear();
  }

  #lookAtAll(): void {
    this.#next = undefined;
    for (const [key, turns] of this.#keys) {
      if (turns.waiting.size > 0) this.#look(key, turns);
    }
  }

  #look(key: string, turns: Turns): void {
    if (turns.running !== undefined || this.#keys.get(key) !== turns) return;
    for (const [id, first] of turns.waiting) {
      this.#forgetSettled(turns);
      if (turns.events.length > 0) {
        this.#next ??= setTimeout(() => this.#lookAtAll(), LOOK_AGAIN_MS);
        return;
      }
      turns.waiting.delete(id);
      const running = first.run();
      if (running === undefined) continue;
      turns.running = id;
      void running.then(() => {
        turns.running = undefined;
        this.#look(key, turns);
      });
      return;
    }
    if (turns.events.length === 0) this.#keys.delete(key);
  }

  #isAwaited(event: Awaited): boolean {
    const { eventId, channelId, consumer } = event;
    const { findInFlight, mayCome, now } = this.#options;
    const isInFlight = findInFlight(eventId, channelId).some(
      ({ identity }) => consumer === undefined || identity.consumer === consumer,
    );
    event.goneAt = isInFlight ? undefined : (event.goneAt ?? now());
    return isInFlight || (mayCome(event) && now() - Number(event.goneAt) < LONGEST_GONE_MS);
  }

  #turnsOf(key: string): Turns {
    const turns = this.#keys.get(key) ?? {
      ...{ events: [], mostEvents: FEW_EVENTS, waiting: new Map(), running: undefined },
    };
    this.#keys.set(key, turns);
    return turns;
  }

  #forgetSettled(turns: Turns): void {
    turns.events = turns.events.filter((event) => this.#isAwaited(event));
  }

  #forgetIdle(): void {
    for (const [key, turns] of this.#keys) {
      if (turns.running !== undefined || turns.waiting.size > 0) continue;
      this.#forgetSettled(turns);
      if (turns.events.length === 0) this.#keys.delete(key);
    }
    this.#mostKeys = FEW_KEYS + 2 * this.#keys.size;
  }
}
