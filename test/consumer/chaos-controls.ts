import type { InjectedBug } from "./chaos-child.ts";
import { type ChaosRun, problemWith, runScenario, withChild } from "./chaos-run.ts";
import { type ChaosEvent, type ChaosScenario, chaosScenario, withFewerFaults } from "./chaos-scenario.ts";
import type { Verdict } from "./chaos-verdict.ts";
import type { Edit } from "./child-bundle.ts";

/** What a consumer without one of its fixes must be found out by: otherwise the check itself says nothing. */
export type Control = {
  name: string;
  edits?: readonly Edit[];
  injectedBug?: InjectedBug;
  keepsFaults?: boolean;
  /** Has the world show what is to be found. */
  adapt: (world: ChaosScenario) => ChaosScenario;
  finds: keyof Pick<Verdict, "lost" | "unmarked" | "outOfOrder">;
};

const POLLER = "src/consumer/schedule/poller.ts";
const REREAD_SCHEDULE = "src/consumer/pages/reread-schedule.ts";
const CURSOR = "src/consumer/cursor/cursor.ts";
const PAGE_SIZE = "src/paging/page-size.ts";
const ENVELOPE = "src/protocol/envelope.ts";
const CHECKPOINTER = "src/consumer/cursor/checkpointer.ts";

const QUICK = (world: ChaosScenario): ChaosScenario =>
  withConsumer(withFewerFaults(world), { workMs: 0, inFlight: 20, pageLimit: 200 });
const SLOW = (world: ChaosScenario): ChaosScenario =>
  withConsumer(withFewerFaults(world), { workMs: 60, inFlight: 10, storeEveryMs: 10 });
/** Some of its events become visible below others. */
const LATE = (world: ChaosScenario): ChaosScenario => ({
  ...QUICK(world),
  lastLifeIsEarly: true,
  events: world.events.map((one, index) => ({
    ...one,
    lateMs: index % 5 === 0 ? 100 + (index % 7) * 50 : 0,
    isOvertaken: index % 5 === 0,
  })),
});
/** Each fifth event is at a second offset, too. */
const TWINS = (world: ChaosScenario): ChaosScenario => ({
  ...QUICK(world),
  events: world.events.map((one, index) => {
    const before = world.events[index - 1]?.event;
    if (index % 5 !== 4 || before?.event_id === undefined) return one;
    return { ...one, event: { ...before, headers: { ...before.headers, offset: one.event.headers.offset } } };
  }),
});

/** Each twentieth event has no id. */
const NAMELESS = (world: ChaosScenario): ChaosScenario => ({
  ...QUICK(world),
  events: world.events.map((one, index) => {
    if (index % 20 !== 3) return one;
    const { event_id: _, ...event } = one.event;
    return { ...one, event: event as ChaosEvent["event"] };
  }),
});
/** Three of its events fill an answer. */
const LARGE = (world: ChaosScenario): ChaosScenario => ({
  ...withConsumer(QUICK(world), { maxResponseBytes: 60_000 }),
  events: world.events.map((one, index) => {
    if (index % 4 !== 0) return one;
    const payload = { ...one.event.payload, filler: "x".repeat(25_000) };
    return { ...one, event: { ...one.event, payload } };
  }),
});

export const CONTROLS: readonly Control[] = [
  {
    name: "acknowledges before the work is done",
    injectedBug: "ack-first",
    adapt: SLOW,
    finds: "lost",
  },
  {
    name: "takes an empty page for the end",
    injectedBug: "stops-at-empty",
    keepsFaults: true,
    adapt: (world) => withFewerFaults(QUICK(world), { empties: 0.5 }),
    finds: "lost",
  },
  {
    name: "never looks for late events",
    edits: [
      { file: POLLER, line: "return (await this.#reread(take, signal)) || news;", without: "return news;" },
      {
        file: REREAD_SCHEDULE,
        line: "return Math.min(readUpTo, this.#recentPolls[0]?.readUpTo ?? readUpTo);",
        without: "return readUpTo;",
      },
    ],
    adapt: LATE,
    finds: "lost",
  },
  {
    name: "gives up looking for late events at once",
    edits: [
      {
        file: POLLER,
        line: "this.#cursor.finalize(Math.min(settled, this.#cursor.newest(this.#window.events) - 1));",
        without: "",
      },
      {
        file: POLLER,
        line: "if (await take(events)) news = true;",
        without: "if (await take(events)) news = true; cursor.finalize(cursor.cursor);",
      },
    ],
    adapt: LATE,
    finds: "lost",
  },
  {
    name: "does not mark what comes late",
    edits: [{ file: CURSOR, line: "late: entry?.late ?? false", without: "late: false" }],
    adapt: LATE,
    finds: "outOfOrder",
  },
  {
    name: "has a store that forgets what it says is stored",
    injectedBug: "store-that-forgets",
    adapt: SLOW,
    finds: "unmarked",
  },
  {
    name: "hands over before it has stored that",
    edits: [
      { file: CHECKPOINTER, line: "cursor.reserve(reserved);", without: "return cursor.confirm(reserved);" },
    ],
    adapt: SLOW,
    finds: "unmarked",
  },
  {
    name: "does not remember after a kill what it had handed over",
    edits: [{ file: CURSOR, line: "this.#doubtful = state.handedOut;", without: "this.#doubtful = -1;" }],
    adapt: SLOW,
    finds: "unmarked",
  },
  {
    name: "takes an event at another offset for another event",
    edits: [
      {
        file: CURSOR,
        line: "this.#pending.has(id) || this.#delivered.has(id);",
        without: "this.#pending.has(id) || this.#delivered.get(id) === offset;",
      },
    ],
    adapt: TWINS,
    finds: "unmarked",
  },
  {
    name: "refuses a page for an event without an id",
    edits: [
      { file: ENVELOPE, line: "given ?? requestedId ?? byOffset", without: 'given ?? requestedId ?? ""' },
    ],
    adapt: NAMELESS,
    finds: "lost",
  },
  {
    name: "does not ask for less after an answer that is too large",
    edits: [{ file: PAGE_SIZE, line: "if (!isAnswerTooLarge(error)) throw error;", without: "throw error;" }],
    adapt: LARGE,
    finds: "lost",
  },
  {
    name: "forgets the gaps before the furthest event that is done",
    edits: [
      {
        file: CURSOR,
        line: "const open = this.#queue.findIndex(({ done }) => !done);",
        without: "const open = -1; this.#floor = Math.max(this.#floor, this.#queue.at(-1)?.offset ?? -1);",
      },
    ],
    adapt: SLOW,
    finds: "lost",
  },
];

/** Lives of each world, and how many worlds a consumer without its fix may get through unnoticed. */
const KILLS = 4;
const WORLDS = 5;
const PATIENCE_MS = 8_000;

/** How many it finds of what a control is to be found out by, in the first world in which it finds any. */
export function findingsOf(control: Control, firstSeed: number): Promise<number> {
  const { edits, injectedBug, finds } = control;
  return withChild(async (child) => {
    for (let seed = firstSeed; seed < firstSeed + WORLDS; seed += 1) {
      // What is lost never comes. Everything else has been delivered in the end, however long that takes.
      const run = {
        ...runOf(control, seed, child),
        ...(finds === "lost" ? { patienceMs: PATIENCE_MS } : {}),
      };
      const found = await runScenario(injectedBug === undefined ? run : { ...run, injectedBug });
      if (found[finds].length > 0) return found[finds].length;
    }
    return 0;
  }, edits);
}

/** What is wrong in a world of a control with the fix in its place: nothing, or its findings would say nothing. */
export function problemWithFix(control: Control, seed: number): Promise<string | undefined> {
  return withChild(async (child) => {
    const run = runOf(control, seed, child);
    return problemWith(run, await runScenario(run));
  });
}

function runOf({ adapt, keepsFaults = false }: Control, seed: number, child: string): ChaosRun {
  return { world: adapt(chaosScenario(seed, KILLS + 1)), kills: KILLS, child, keepsFaults };
}

function withConsumer(world: ChaosScenario, changes: Partial<ChaosScenario["consumer"]>): ChaosScenario {
  const plain = { maxCrashes: 0, oneType: false, refuses: 0 };
  // By such a clock, an event is an hour old after 15 seconds: on a busy machine, one that passes over those would.
  const consumer = { ...world.consumer, ...plain, speed: 240, skipsOld: false, ...changes };
  return { ...world, lastLifeIsEarly: false, consumer };
}
