import type { StartPosition } from "../../src/consumer/index.ts";
import type { EventEnvelope } from "../../src/protocol/index.ts";
import { randomFrom } from "../support/random.ts";
import { type Habits, makeEvent } from "./simulation.ts";

/** What goes wrong now and then: each number is the share of requests that it happens to. */
export type Faults = {
  /** HTTP 500. */
  fails: number;
  /** HTTP 429. */
  limits: number;
  /** The connection ends in the middle of the answer. */
  cuts: number;
  /** A pause in the middle of the answer. */
  slows: number;
  /** A page without events. */
  empties: number;
  /** A page of a replica that is behind. */
  lags: number;
  /** A page of fewer events than there are, and than were asked for. */
  shorts: number;
  /** The answer is compressed. */
  gzips: number;
};

/** An event, when it is published, and how much later it becomes visible. */
export type ChaosEvent = {
  event: EventEnvelope;
  life: number;
  afterMs: number;
  lateMs: number;
  /** Becomes visible only when a later event was processed: so it comes late on a slow machine, too. */
  isOvertaken?: boolean;
};

/** How a consumer is set up. */
export type ChaosConsumer = {
  /** How much faster its clock runs, so that its minutes are short. */
  speed: number;
  inFlight: number;
  /** How long an event takes to be processed at most, in real milliseconds. */
  workMs: number;
  /** How many of a hundred attempts are refused. */
  refuses: number;
  pageLimit: number;
  storeEveryMs: number;
  /** @default that of the library */
  maxCrashes?: number;
  oneType: boolean;
  start: StartPosition;
  /** Skips events older than an hour, of which there are none. */
  skipsOld: boolean;
  maxResponseBytes?: number;
};

/** Everything about a run that a seed decides; the moments of the kills are its own as well. */
export type ChaosScenario = {
  seed: number;
  habits: Habits;
  faults: Faults;
  /** How far a replica is behind, and how long a pause may last, in milliseconds. */
  lagMs: number;
  slowMs: number;
  /** For how long pages are empty before some lives, in milliseconds. */
  droughtMs: number;
  events: ChaosEvent[];
  consumer: ChaosConsumer;
  /** The last life begins before all that is late is visible: only reading again finds it. */
  lastLifeIsEarly: boolean;
  random: () => number;
};

const NO_TROUBLES: Faults = {
  ...{ fails: 0, limits: 0, cuts: 0, slows: 0 },
  ...{ empties: 0, lags: 0, shorts: 0, gzips: 0 },
};

/** Consumers look back for an hour. */
const LATEST_MS = 40 * 60_000;

/** The first seed of a run of tests: another one each time, unless one is to be looked at again. */
export function firstSeed(): number {
  return Number(process.env.CONSUMER_SEED ?? Date.now() % 1_000_000);
}

/** A random world for a run of so many lives, the same for the same seed. */
export function chaosScenario(seed: number, lives: number, eventsALife = 40): ChaosScenario {
  // Seeds that are close must not make worlds that are.
  const random = randomFrom(Math.imul(seed + 1, 0x9e3779b1) >>> 0);
  const pick = <T>(...choices: [T, ...T[]]): T =>
    choices[Math.floor(random() * choices.length)] ?? choices[0];
  const isSo = (share: number) => random() < share;
  const upTo = (most: number) => Math.floor(random() * (most + 1));

  const speed = pick(1, 10, 60, 240, 500);
  const habits: Habits = {
    inclusive: isSo(0.5),
    direction: pick("up", "down"),
    order: pick("ascending", "descending", "mixed"),
    hasMore: pick("honest", "always", "never"),
    pageCap: pick(200, 200, 60, 20),
    repeats: isSo(0.3),
    honoursType: isSo(0.5),
  };
  const share = (most: number) => (isSo(0.4) ? random() * most : 0);
  const faults: Faults = {
    fails: share(0.1),
    limits: share(0.05),
    cuts: share(0.1),
    slows: share(0.1),
    empties: share(0.1),
    lags: share(0.3),
    shorts: share(0.3),
    gzips: pick(0, 0.5, 1),
  };
  // Nobody can ask a service whose pages begin after the offset for what is at 0.
  const canAskForZero = habits.inclusive || habits.direction === "down";
  const first = pick(canAskForZero ? 0 : 1, 1, 1_000);
  const nowSeconds = Math.floor(Date.now() / 1000);
  const hasLarge = isSo(0.3);
  const consumer: ChaosConsumer = {
    speed,
    inFlight: pick(1, 2, 5, 10, 20),
    workMs: pick(0, 1, 5, 20),
    refuses: pick(0, 0, 2),
    pageLimit: pick(200, 100, 40),
    storeEveryMs: pick(10, 100, 1_000),
    ...(isSo(0.75) ? { maxCrashes: 0 } : {}),
    oneType: isSo(0.25),
    start: pick<StartPosition>("beginning", "beginning", { offset: first }, { time: nowSeconds - 3_600 }),
    // By a clock that is much faster, all of them are old soon.
    skipsOld: speed <= 10 && isSo(0.5),
    ...(hasLarge ? { maxResponseBytes: 60_000 } : {}),
  };
  const latestMs = Math.min(4_000, LATEST_MS / speed);
  const lateness = pick(0, 0.1, 0.3);
  const twins = pick(0, 0, 0.05);
  const nameless = pick(0, 0, 0.03);

  const events: ChaosEvent[] = [];
  for (let life = 0, offset = first - 1; life < lives; life += 1) {
    const together = upTo(2 * eventsALife);
    const spreadMs = pick(0, 100, 400);
    for (let index = 0; index < together; index += 1) {
      offset += events.length === 0 ? 1 : pick(1, 1, 1, 1, 2, 30);
      const type = isSo(0.2) ? "wallet.status" : "watcher.status";
      // Some are wrong: a day ahead, or in milliseconds, or none.
      const at = pick(nowSeconds, nowSeconds, nowSeconds + 86_400, nowSeconds * 1000, 0);
      const made: EventEnvelope = makeEvent(offset, { type, at });
      if (hasLarge && isSo(0.05)) made.payload.filler = "x".repeat(25_000);
      const before = events.at(-1 - upTo(4))?.event;
      const isTwin = isSo(twins) && before !== undefined && idOf(before) === before.event_id;
      const event = isTwin ? { ...before, headers: { ...before.headers, offset } } : made;
      if (!isTwin && isSo(nameless)) Reflect.deleteProperty(event, "event_id");
      const lateMs = isSo(lateness) ? pick(5, 50, 300, 1_000, latestMs) * random() : 0;
      events.push({ event, life, afterMs: random() * spreadMs, lateMs: Math.min(lateMs, latestMs) });
    }
  }
  return {
    seed,
    habits,
    faults,
    lagMs: pick(30, 300, 1_000),
    slowMs: pick(20, 100, 700),
    droughtMs: pick(0, 0, 500, 2_000),
    events,
    consumer,
    lastLifeIsEarly: speed >= 240 && isSo(0.5),
    random,
  };
}

/** The same world with nothing that goes wrong but what is given. */
export function withFewerFaults(world: ChaosScenario, faults: Partial<Faults> = {}): ChaosScenario {
  return { ...world, faults: { ...NO_TROUBLES, ...faults }, droughtMs: 0 };
}

/** What an event without an id is known by. */
export function idOf({ event_id: eventId, headers }: EventEnvelope): string {
  return eventId ?? `offset:${headers.offset}`;
}

/** The ids of all events that the consumer is to get. */
export function expectedIn({ events, consumer }: ChaosScenario): Set<string> {
  const wanted = events.filter(({ event }) => !consumer.oneType || event.headers.type === "watcher.status");
  return new Set(wanted.map(({ event }) => idOf(event)));
}
