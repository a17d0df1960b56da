import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type Clock,
  type CursorState,
  type CursorStore,
  type Delivery,
  EventConsumer,
  type EventConsumerOptions,
  type EventSource,
} from "../../src/consumer/index.ts";
import { CrecError } from "../../src/errors.ts";
import { type ChannelEvent, type EventEnvelope, type EventPage, unlisted } from "../../src/protocol/index.ts";

/** A clock that only moves when everybody sleeps. */
export class SimulatedClock implements Clock {
  #now = 1_800_000_000_000;
  /** Something that changes as long as there is work going on that does not sleep. */
  activity: () => number = () => 0;
  #sleepers = new Set<{ at: number; wake: () => void }>();

  now(): number {
    return this.#now;
  }

  elapsed(): number {
    return this.#now;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const sleeper = {
        at: this.#now + ms,
        wake: () => {
          this.#sleepers.delete(sleeper);
          signal.removeEventListener("abort", sleeper.wake);
          resolve();
        },
      };
      this.#sleepers.add(sleeper);
      signal.addEventListener("abort", sleeper.wake, { once: true });
    });
  }

  /** Lets everything that can happen without time passing happen; then goes to the next waking, if there is one. */
  async step(): Promise<void> {
    await this.#settle();
    const next = [...this.#sleepers].sort((a, b) => a.at - b.at)[0];
    if (next === undefined) return;
    this.#now = Math.max(this.#now, next.at);
    next.wake();
  }

  /** Turns the clock until the condition holds; fails after `limitMs` of simulated time. */
  async until(condition: () => boolean, limitMs = 3_600_000): Promise<void> {
    const end = this.#now + limitMs;
    for (let idle = 0; !condition(); idle += 1) {
      if (this.#now > end || idle > 100_000) throw new Error("The simulation did not get there.");
      await this.step();
    }
  }

  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    void this.sleep(ms, new AbortController().signal);
    await this.until(() => this.#now >= end, ms + 1);
    await this.#settle();
  }

  async #settle(): Promise<void> {
    for (let quiet = 0, before = this.activity(); quiet < 3; ) {
      await nextTurn();
      const now = this.activity();
      quiet = now === before ? quiet + 1 : 0;
      before = now;
    }
  }
}

export type Habits = {
  /** Whether the page at an offset has the event of that offset. */
  inclusive: boolean;
  /** Whether pages by offset lead to newer or to older events. */
  direction: "up" | "down";
  order: "ascending" | "descending" | "mixed";
  hasMore: "honest" | "always" | "never";
  /** More than this is never given, whatever the limit asked for. */
  pageCap: number;
  /** Each page has its first event twice. */
  repeats: boolean;
  honoursType: boolean;
};

export const PLAIN_HABITS: Habits = {
  inclusive: true,
  direction: "up",
  order: "ascending",
  hasMore: "honest",
  pageCap: 200,
  repeats: false,
  honoursType: true,
};

export function makeEvent(
  offset: number,
  more: { type?: string; id?: string; at?: number } = {},
): ChannelEvent {
  const { type = "watcher.status", id = `event-${offset}`, at } = more;
  return {
    event_id: id,
    headers: { type: unlisted(type), offset, proofs: [] },
    payload: { status: "active" },
    ...(at === undefined ? {} : { created_at: at }),
  };
}

/** A channel of a service with given habits. Events are visible from when they are published. */
export class SimulatedChannel implements EventSource {
  readonly habits: Habits;
  visible: EventEnvelope[] = [];
  /** Parameters of each poll. */
  readonly polls: Array<{ offset?: number; limit: number; type?: string }> = [];
  readonly gets: string[] = [];
  /** How many events were on its pages. */
  given = 0;
  /** Runs before each call; may throw, or never end. */
  fault: (() => void | Promise<void>) | undefined;

  constructor(habits: Partial<Habits> = {}) {
    this.habits = { ...PLAIN_HABITS, ...habits };
  }

  publish(...events: EventEnvelope[]): void {
    this.visible.push(...events);
  }

  async poll(params: { offset?: number; limit: number; type?: string }): Promise<EventPage<EventEnvelope>> {
    this.polls.push(params);
    await this.fault?.();
    const { inclusive, direction, order, hasMore, pageCap, repeats, honoursType } = this.habits;
    const { offset, type } = params;
    const up = offset !== undefined && direction === "up";
    const all = this.visible
      .filter(({ headers }) => !honoursType || type === undefined || headers.type === type)
      .filter(({ headers }) => {
        if (offset === undefined) return true;
        if (headers.offset === offset) return inclusive;
        return up ? headers.offset > offset : headers.offset < offset;
      })
      .sort((a, b) => (up ? 1 : -1) * (a.headers.offset - b.headers.offset));
    const events = all.slice(0, Math.min(params.limit, pageCap));
    this.given += events.length;
    const more = { honest: all.length > events.length, always: true, never: false }[hasMore];
    const sorted = events.sort(
      (a, b) => (order === "ascending" ? 1 : -1) * (a.headers.offset - b.headers.offset),
    );
    const mixed =
      order === "mixed"
        ? [...sorted.filter((_, i) => i % 2), ...sorted.filter((_, i) => i % 2 === 0)]
        : sorted;
    const [first] = mixed;
    return structuredClone({
      events: repeats && first !== undefined ? [first, ...mixed] : mixed,
      has_more: more,
    });
  }

  async get(eventId: string): Promise<EventEnvelope> {
    this.gets.push(eventId);
    await this.fault?.();
    const event = this.visible.find(({ event_id }) => event_id === eventId);
    if (event === undefined) throw new CrecError("EVENT_NOT_FOUND", "There is no such event.");
    return structuredClone(event);
  }
}

/** A disk: what was saved with `now` survives a crash, what was saved with `soon` perhaps. */
export class SimulatedDisk {
  /** Runs before each write; may throw. */
  fault: (() => void) | undefined;
  stored: CursorState | undefined;
  #soon: CursorState | undefined;
  readonly saves: CursorState[] = [];

  /** A store of one process; after `crash` it writes nothing more. */
  open(): CursorStore & { crash(keepSoon: boolean): void } {
    let alive = true;
    return {
      load: async () => structuredClone(this.stored),
      save: async (state, urgency = "soon") => {
        if (!alive) return;
        this.fault?.();
        const copy = structuredClone(state);
        this.saves.push(copy);
        if (urgency === "now") this.stored = copy;
        this.#soon = urgency === "now" ? undefined : copy;
      },
      close: async () => {
        if (alive && this.#soon !== undefined) this.stored = this.#soon;
      },
      crash: (keepSoon) => {
        alive = false;
        if (keepSoon && this.#soon !== undefined) this.stored = this.#soon;
        this.#soon = undefined;
      },
    };
  }
}

let worlds = 0;

export const IDENTITY = { consumer: "test", channelId: "channel-1", service: "http://service.test" };

/** A consumer on a simulated channel with everything it did written down. */
export function simulate(options: Partial<EventConsumerOptions> & { source: EventSource }) {
  // Names are taken in the whole process: one test's failure must not become another's.
  worlds += 1;
  const identity = { ...IDENTITY, consumer: `test ${worlds}` };
  const clock = new SimulatedClock();
  const disk = new SimulatedDisk();
  const deliveries: Delivery[] = [];
  const states: string[] = [];
  const errors: CrecError[] = [];
  clock.activity = () => deliveries.length + disk.saves.length;
  const make = (changes: Partial<EventConsumerOptions> = {}) =>
    new EventConsumer({
      store: disk.open(),
      identity,
      start: "beginning",
      clock,
      random: () => 0.5,
      deliver: (delivery) => {
        deliveries.push(delivery);
      },
      onState: ({ kind }) => {
        if (states.at(-1) !== kind) states.push(kind);
      },
      onError: (error) => errors.push(error),
      ...options,
      ...changes,
    });
  const offsets = () => deliveries.map(({ offset }) => offset);
  return {
    clock,
    disk,
    deliveries,
    states,
    errors,
    make,
    end: (consumer: EventConsumer) => end(clock, consumer),
    offsets,
  };
}

/** Stops a consumer, whatever the hands of the clock have to do for it. */
export async function end(clock: SimulatedClock, consumer: EventConsumer): Promise<void> {
  let over = false;
  void consumer.stop().then(() => {
    over = true;
  });
  await clock.until(() => over);
}

export function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
