import { Cursor } from "../../src/consumer/cursor/cursor.ts";
import {
  type Delivery,
  EventConsumer,
  type EventConsumerOptions,
  type EventSource,
} from "../../src/consumer/index.ts";
import { firstToRead } from "../../src/consumer/pages/gap.ts";
import { CrecError } from "../../src/errors.ts";
import { type ChannelEvent, type EventEnvelope, type EventPage, unlisted } from "../../src/protocol/index.ts";
import type { CursorState, CursorStore } from "../../src/storage/index.ts";
import { SimulatedClock } from "../support/simulated-clock.ts";

export { SimulatedClock };

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

  /** Whether a consumer that starts with what may be stored now notices that the event at an offset is gone. */
  wouldMiss(offset: number): boolean {
    const isNoticed = (state: CursorState | undefined) => {
      const mark = state && new Cursor(state).mark;
      return mark !== undefined && firstToRead(mark) <= offset;
    };
    return isNoticed(this.stored) && (this.#soon === undefined || isNoticed(this.#soon));
  }

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
