import should from "should";
import { findUnwatched, type Unwatched, WatcherCheck } from "../../nodes/events-in/reader/unwatched.ts";
import type { Watcher } from "../../src/index.ts";
import { makeEvent } from "../consumer/simulation.ts";
import { eventually } from "../support/eventually.ts";

const TOKEN = "0xAb00000000000000000000000000000000000001";
const ID = "0f8fad5b-d9cb-469f-a165-70867728950e";
const SIGNAL = new AbortController().signal;

type Asked = Parameters<typeof findUnwatched>[0];
type Source = Parameters<typeof findUnwatched>[1];

/** A channel with these watchers; a service lists them by the names of their events. */
function channel(watchers: ReadonlyArray<Partial<Watcher>>): Source & { asked: number } {
  const made = {
    asked: 0,
    channelId: "channel",
    once: (_key: string, ask: (signal: AbortSignal) => Promise<unknown>) => ask(SIGNAL),
    client: {
      watchers: {
        list: async function* (_channel: string, { event_name: event }: { event_name?: string }) {
          made.asked += 1;
          yield* watchers.filter(({ events = [] }) => event === undefined || events.includes(event));
        },
      },
    },
  };
  return made as unknown as Source & { asked: number };
}

const transfers: Partial<Watcher> = {
  watcher_id: ID,
  name: "transfers",
  status: "active",
  address: TOKEN,
  events: ["Transfer"],
};

function asked(more: {
  types?: string[];
  watchers?: string[];
  events?: string[];
  addresses?: string[];
}): Asked {
  const { types = ["watcher.event"], watchers = [], events = [], addresses = [] } = more;
  return { types, watchers, filter: { contractEvents: events, addresses } } as Asked;
}

describe("events that no watcher sends", () => {
  const find = async (more: Parameters<typeof asked>[0], ...watchers: Array<Partial<Watcher>>) =>
    (await findUnwatched(asked(more), channel(watchers), { signal: SIGNAL, maxAgeMs: 0 }))?.names;

  it("are those whose names no watcher has, given as names or signatures", async () => {
    should(await find({ events: ["Transfer"] }, transfers)).be.undefined();
    should(
      await find({ events: ["Transfer(address,address,uint256)"], types: [] }, transfers),
    ).be.undefined();
    should(await find({ events: ["Transfer", "Transfr", "Approval(address)"] }, transfers)).deepEqual([
      "Transfr",
      "Approval",
    ]);
  });

  it("are all contract events where the channel has no watcher; other types need none", async () => {
    should(await find({})).deepEqual([]);
    should(await find({}, transfers)).be.undefined();
    for (const types of [[], ["watcher.status"], ["watcher.event", "operation.status"]])
      should(await find({ types })).be.undefined();
  });

  it("are also those of archived watchers, and of others than the form selects", async () => {
    should(await find({}, { ...transfers, status: "archived" })).deepEqual([]);
    should(await find({ watchers: ["transfers"] }, transfers)).be.undefined();
    should(await find({ watchers: [ID.toUpperCase()] }, transfers)).be.undefined();
    should(await find({ watchers: ["other"], events: ["Transfer"] }, transfers)).deepEqual(["Transfer"]);
    should(await find({ addresses: [TOKEN.toLowerCase()] }, transfers)).be.undefined();
    should(await find({ addresses: [ID], events: ["Transfer"] }, transfers)).deepEqual(["Transfer"]);
  });

  it("are none where the list of watchers is longer than what is read", async () => {
    const others = Array.from({ length: 250 }, () => ({ ...transfers, name: "other" }));
    should(await find({ watchers: ["transfers"] }, ...others)).be.undefined();
  });
});

describe("the check for events that no watcher sends", () => {
  /** Checks one after another, each ended by the test. */
  function checking() {
    const found: Array<PromiseWithResolvers<Unwatched | undefined>> = [];
    const changes: Array<Unwatched | undefined> = [];
    const closing = new AbortController();
    const check = new WatcherCheck(
      () => {
        const one = Promise.withResolvers<Unwatched | undefined>();
        found.push(one);
        return one.promise;
      },
      () => changes.push(check.unwatched),
    );
    const over = check.run(closing.signal);
    const next = async (count: number) => {
      await eventually(`check number ${count}`, () => found.length >= count);
      return found[count - 1] as PromiseWithResolvers<Unwatched | undefined>;
    };
    const end = () => {
      closing.abort();
      return over;
    };
    return { check, changes, next, end };
  }

  /** How long it pauses, for a channel whose every check comes with an event, and for one without events. */
  async function pauses(found: Unwatched | undefined, { isBusy = false, pollMaxMs = 0, count = 12 }) {
    const closing = new AbortController();
    const paused: number[] = [];
    let isPausing = false;
    const check = new WatcherCheck(
      async () => {
        if (paused.length > count) closing.abort();
        if (isBusy) check.note(makeEvent(1, { type: "watcher.status" }));
        return found;
      },
      () => undefined,
      {
        pollMaxMs,
        pause: async (ms, { aborted }) => {
          if (!aborted) paused.push(ms);
          if (isPausing) closing.abort();
          isPausing = paused.length >= count;
        },
      },
    );
    await check.run(closing.signal);
    return paused;
  }

  it("is not repeated for each event of a busy channel", async () => {
    const watched = await pauses(undefined, { isBusy: true });
    should(watched.slice(0, 3)).deepEqual([500, 1_000, 2_000]);
    should(watched.at(-1)).equal(60_000);
    const unwatched = await pauses({ names: ["Transfer"] }, { isBusy: true });
    should(unwatched.at(-1)).equal(60_000);
  });

  it("is not more frequent than the polls of an idle node", async () => {
    should((await pauses(undefined, { pollMaxMs: 15_000, count: 2 }))[0]).equal(600_000);
    should((await pauses(undefined, { pollMaxMs: 3_600_000, count: 2 }))[0]).equal(36_000_000);
    should((await pauses({ names: [] }, { pollMaxMs: 15_000 })).at(-1)).equal(60_000);
    should((await pauses({ names: [] }, { pollMaxMs: 3_600_000, count: 20 })).at(-1)).equal(3_600_000);
  });

  it("keeps what it knows when the watchers cannot be listed", async () => {
    const { check, changes, next, end } = checking();
    (await next(1)).reject(new Error("The service is down."));
    await new Promise((resolve) => setImmediate(resolve));
    should(check.unwatched).be.undefined();
    should(changes).be.empty();
    await end();
  });

  it("is repeated soon while something is missing, and tells of changes only", async () => {
    const { changes, next, end } = checking();
    (await next(1)).resolve({ names: ["Transfer"] });
    (await next(2)).resolve(undefined);
    await eventually(
      "two changes",
      () => changes,
      (all) => all.length >= 2,
    );
    should(changes).deepEqual([{ names: ["Transfer"] }, undefined]);
    await end();
  });

  it("is repeated at once when the status of a watcher is read", async () => {
    const { check, changes, next, end } = checking();
    (await next(1)).resolve(undefined);
    check.note(makeEvent(1, { type: "watcher.event" }));
    check.note(makeEvent(2, { type: "watcher.status" }));
    (await next(2)).resolve({ names: [] });
    await eventually(
      "a change",
      () => changes,
      (all) => all.length >= 1,
    );
    should(changes).deepEqual([{ names: [] }]);
    await end();
  });
});
