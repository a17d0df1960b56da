import fc from "fast-check";
import should from "should";
import { findInFlight } from "../../src/consumer/index.ts";
import { SharedCursorDamagedError } from "../../src/fleet/errors.ts";
import type { ConsumerLease, SharedState } from "../../src/ownership/index.ts";
import { randomFrom } from "../support/random.ts";
import { inVariants } from "../support/variants.ts";
import { forward, KEY, ReaderWorld } from "./lease-reader.ts";
import { LEASE_MS } from "./lease-world.ts";
import { makeEvent, range, SimulatedChannel, simulate } from "./simulation.ts";

const NEVER = 86_400_000;

describe("EventConsumer with a lease", () => {
  it("hands over with the epoch, and continues on the next copy where it was stopped", async () => {
    const world = new ReaderWorld();
    world.publish(30);
    const [a, b] = [world.add("a"), world.add("b")];
    const first = world.read(a, () => 100);
    await world.pass(300);
    world.read(b, () => 100);
    await world.until(() => world.acked.size >= 9);
    await world.finish(first.leave());
    await world.until(() => world.acked.size === 30);
    should(world.unmarked).eql([]);
    // Only what was in flight when it was stopped.
    should(world.repeats).be.belowOrEqual(3);
    should(world.overmarked).eql([]);
    should(new Set(world.sent.map(({ copy, epoch }) => `${copy} ${epoch}`))).eql(new Set(["a 1", "b 2"]));
    await world.stop();
    should(world.broken).equal(undefined);
    should(world.saves.at(-1)?.state).containEql({ cursor: 30, handedOut: 30, suspectUpTo: -1 });
  });

  it("stops in a copy that lost its lease, forgets what is in flight, and saves nothing", async () => {
    const world = new ReaderWorld();
    world.publish(10);
    const [a, b] = [world.add("a"), world.add("b")];
    world.read(a, () => NEVER);
    await world.until(() => world.sent.length === 3);
    world.read(b, () => 10, { inFlight: 10 });
    await world.pass(500);
    const consumer = world.consumers.get(a);
    should(findInFlight("event-1").length).equal(1);
    a.clock.suspend();
    await world.until(() => world.acked.size === 10);
    await world.pass(2_000);
    const saves = world.saves.length;
    a.clock.resume();
    await world.until(() => consumer?.state.kind === "stopped");
    should(consumer?.state).match({ kind: "stopped", error: { code: "CONSUMER_MOVED" } });
    should(findInFlight("event-1")).eql([]);
    should(consumer?.ack("event-1")).equal(false);
    should(consumer?.refuse("event-1", {})).equal(false);
    await world.pass(5_000);
    should(a.log).eql(["held", "looking", "CONSUMER_MOVED", "elsewhere"]);
    should(world.saves.length).equal(saves);
    should(world.repeats).equal(3);
    should(world.unmarked).eql([]);
    await world.stop();
    should(world.broken).equal(undefined);
  });

  it("stops at once when a save finds the lease taken", async () => {
    const world = new ReaderWorld();
    world.publish(10);
    const a = world.add("a");
    world.read(a, () => 50);
    await world.until(() => world.acked.size === 2);
    // As by an engine that has restored an older state.
    await world.engine.take(KEY, { id: "id of a", name: "a" }, LEASE_MS);
    await world.until(() => world.acked.size === 10);
    should(a.log).containEql("CONSUMER_MOVED");
    should(world.unmarked).eql([]);
    await world.stop();
  });

  it("stops at a damaged cursor, and continues where it is told to", async () => {
    const damaged = new SharedCursorDamagedError("memory", KEY, 1);
    let isTaken = false;
    const world = new ReaderWorld((engine) => ({
      ...forward(engine),
      take: async (...given) => {
        const taken = await engine.take(...given);
        if (isTaken) return taken;
        isTaken = true;
        throw damaged;
      },
    }));
    world.publish(10);
    const a = world.add("a");
    world.read(a, () => 10);
    await world.pass(1_000);
    const consumer = world.consumers.get(a);
    should(consumer?.state).match({ kind: "stopped", error: { code: "SHARED_CURSOR_DAMAGED" } });
    should(a.sure).eql([KEY]);
    consumer?.seek(8);
    await world.until(() => world.acked.size === 3);
    await world.stop();
    should(world.saves.at(-1)).match({ epoch: 1, state: { cursor: 10 } });
  });

  it("reads again by itself when the engine is back", async () => {
    const world = new ReaderWorld();
    world.publish(100);
    const a = world.add("a");
    world.read(a, () => 20);
    await world.until(() => world.acked.size === 10);
    a.link.isDown = true;
    await world.pass(5 * LEASE_MS);
    const { length } = world.sent;
    should(world.consumers.get(a)?.state).match({ kind: "stopped", error: { code: "CONSUMER_MOVED" } });
    await world.pass(5 * LEASE_MS);
    should(world.sent.length).equal(length);
    a.link.isDown = false;
    await world.until(() => world.acked.size === 100);
    should(world.unmarked).eql([]);
    await world.stop();
    should(world.broken).equal(undefined);
  });

  it("can be stopped while the engine does not answer", async () => {
    const world = new ReaderWorld();
    world.publish(100);
    const a = world.add("a");
    world.read(a, () => 20);
    await world.until(() => world.acked.size === 10);
    a.link.delayMs.request = NEVER;
    const since = world.base.now();
    let tookMs = 0;
    const stopped = a.keeper.stop().then(() => {
      tookMs = world.base.now() - since;
    });
    await world.finish(stopped);
    should(tookMs).be.belowOrEqual(2 * LEASE_MS);
  });

  it("reserves no more than it can hand over in the rest of the lease", async () => {
    for (const [workMs, inFlight, most] of [
      [100, 1, 12],
      [100, 10, 110],
      [1_000, 1, 4],
      [1_000, 10, 22],
    ] as const) {
      const world = new ReaderWorld();
      world.publish(400);
      const [a, b] = [world.add("a"), world.add("b")];
      const random = randomFrom(workMs + inFlight);
      world.read(a, () => workMs * (0.5 + random()), { inFlight });
      await world.until(() => world.acked.size >= 40);
      world.read(b, () => 1, { inFlight });
      await world.pass(700);
      // From time to time, so that it is not a favourable moment.
      const last = world.saves.at(-1)?.state;
      should((last?.handedOut ?? 0) - (last?.cursor ?? 0)).be.belowOrEqual(most);
      a.clock.suspend();
      await world.until(() => world.acked.size === 400);
      should(world.unmarked).eql([]);
      should(world.overmarked.length).be.belowOrEqual(most);
      await world.stop();
      should(world.broken).equal(undefined);
    }
  });

  it("drains a backlog with few saves all the same", async () => {
    const world = new ReaderWorld();
    world.publish(3_000);
    const a = world.add("a");
    world.read(a, () => 0, { inFlight: 100 });
    await world.until(() => world.acked.size === 3_000);
    should(world.saves.length).be.belowOrEqual(30);
    await world.stop();
  });

  it("loses nothing and marks what it repeats, whatever happens to the copies", async function () {
    this.timeout(120_000);
    await fc.assert(
      fc.asyncProperty(scripts, fc.nat(), async (script, seed) => {
        const world = new ReaderWorld();
        should(await play(world, script, seed)).equal(undefined);
      }),
      { numRuns: 40 },
    );
  });

  inVariants(() => {
    it("would send events twice, or move the cursor back, if saves were not fenced", async () => {
      let epoch = 0;
      const unfenced = (engine: SharedState): SharedState => ({
        ...forward(engine),
        take: async (...given) => {
          const taken = await engine.take(...given);
          epoch = taken?.epoch ?? epoch;
          return taken;
        },
        save: async (key, _, state, leaseMs) => {
          await engine.save(key, epoch, state, leaseMs);
          return true;
        },
      });
      should(await brokenWith(() => new ReaderWorld(unfenced))).match(/went back|epoch|again|was not/);
    });

    it("would hand over what another copy has, if the lease was not asked before", async () => {
      const trusting = () => {
        const world = new ReaderWorld();
        world.asLease = ({ epoch }) => ({
          ...{ epoch, isSure: true, over: new AbortController().signal },
          remainingMs: () => LEASE_MS,
          confirm: async () => {},
        });
        return world;
      };
      should(await brokenWith(trusting)).match(/hands over/);
    });
  });
});

describe("the lease of an EventConsumer", () => {
  /** A lease that a test makes unsure. */
  function lease() {
    const over = new AbortController();
    let sure: { promise: Promise<void>; resolve: () => void } | undefined;
    const made = {
      epoch: 7,
      over: over.signal,
      get isSure() {
        return sure === undefined && !over.signal.aborted;
      },
      remainingMs: () => 1_000,
      confirm: async () => {
        await sure?.promise;
      },
    } satisfies ConsumerLease;
    return {
      lease: made,
      doubt: () => {
        let resolve = () => {};
        const promise = new Promise<void>((done) => {
          resolve = done;
        });
        sure = { promise, resolve };
      },
      confirm: () => {
        const { resolve } = sure ?? {};
        sure = undefined;
        resolve?.();
      },
      lose: (reason?: unknown) => over.abort(reason),
    };
  }

  function world(options: Parameters<ReturnType<typeof simulate>["make"]>[0] = {}) {
    const channel = new SimulatedChannel();
    channel.publish(...range(1, 5).map((offset) => makeEvent(offset)));
    const given = lease();
    const simulated = simulate({ source: channel, lease: given.lease, ...options });
    return { channel, ...given, ...simulated };
  }

  it("is waited for before an event is handed over", async () => {
    const { clock, deliveries, doubt, confirm, make, end } = world();
    doubt();
    const consumer = make();
    consumer.start();
    await clock.pass(5_000);
    should(deliveries).eql([]);
    confirm();
    await clock.pass(5_000);
    should(deliveries.map(({ offset, epoch }) => [offset, epoch])).eql(
      range(1, 5).map((offset) => [offset, 7]),
    );
    await end(consumer);
  });

  it("is waited for before an event is sent again, without counting an attempt", async () => {
    const { clock, deliveries, doubt, confirm, make, end } = world({ commit: "on-ack", ackTimeoutMs: 1_000 });
    const consumer = make();
    consumer.start();
    await clock.pass(500);
    doubt();
    await clock.pass(60_000);
    should(deliveries.length).equal(1);
    confirm();
    await clock.pass(100);
    should(deliveries.map(({ attempt }) => attempt)).eql([1, 2]);
    await end(consumer);
  });

  it("is waited for before an event is rejected", async () => {
    const rejected: number[] = [];
    const { clock, doubt, confirm, make, end } = world({
      commit: "on-ack",
      onRejected: ({ offset }) => {
        rejected.push(offset);
      },
    });
    const consumer = make();
    consumer.start();
    await clock.pass(500);
    doubt();
    should(consumer.refuse("event-1", { reject: true })).equal(true);
    await clock.pass(5_000);
    should(rejected).eql([]);
    confirm();
    await clock.pass(100);
    should(rejected).eql([1]);
    await end(consumer);
  });

  it("ends the consumer with its reason, or with one of its own", async () => {
    for (const reason of [undefined, new Error("gone")]) {
      const { clock, disk, errors, doubt, lose, make } = world({ commit: "on-ack" });
      const consumer = make();
      consumer.start();
      await clock.pass(500);
      const saves = disk.saves.length;
      should(consumer.isInFlight("event-1")).equal(true);
      lose(reason);
      should([consumer.isInFlight("event-1"), consumer.ack("event-1")]).eql([false, false]);
      await clock.pass(500);
      should(consumer.state).match({ kind: "stopped", error: { code: "CONSUMER_MOVED" } });
      should(errors.map(({ code }) => code)).eql(["CONSUMER_MOVED"]);
      should(disk.saves.length).equal(saves);
      // And nothing changes that afterwards.
      doubt();
      consumer.start();
      await clock.pass(500);
      should(consumer.state).match({ kind: "stopped", error: { code: "CONSUMER_MOVED" } });
    }
  });
});

const scripts = fc.array(
  fc.record({
    copy: fc.nat({ max: 2 }),
    kind: fc.constantFrom("suspend", "down", "lost", "slow", "redeploy", "publish"),
    forMs: fc.constantFrom(10, 200, 950, 1_050, 2_500),
    waitMs: fc.constantFrom(0, 30, 300, 900, 1_100, 2_500),
  }),
  { maxLength: 10, size: "max" },
);

type Script = typeof scripts extends fc.Arbitrary<infer T> ? T : never;

/** Reads a channel with three copies while all this happens. Returns what was wrong. */
async function play(world: ReaderWorld, script: Script, seed: number): Promise<string | undefined> {
  const random = randomFrom(seed);
  const workMs = () => 5 + 300 * random() ** 3;
  world.publish(60);
  const copies = ["a", "b", "c"].map((name) => world.add(name, random));
  const wanted = copies.map((copy) => world.read(copy, workMs));
  const heals: Array<() => void> = [];
  for (const { copy: index, kind, forMs, waitMs } of script) {
    const copy = copies[index];
    if (copy === undefined) continue;
    const { link, clock } = copy;
    const heal = () => {
      clock.resume();
      link.isDown = false;
      link.losesAnswers = false;
      link.delayMs = { request: 0, answer: 0 };
    };
    if (kind === "suspend") clock.suspend();
    else if (kind === "down") link.isDown = true;
    else if (kind === "lost") link.losesAnswers = true;
    else if (kind === "slow") link.delayMs = { request: forMs / 2, answer: forMs / 2 };
    else if (kind === "publish") world.publish(20);
    else {
      void wanted[index]?.leave();
      wanted[index] = world.read(copy, workMs);
    }
    void world.base.sleep(forMs, new AbortController().signal).then(heal);
    heals.push(heal);
    await world.pass(waitMs);
  }
  for (const heal of heals) heal();
  try {
    await world.until(() => world.acked.size === world.published, 120_000);
  } catch {
    world.broken ??= `Of ${world.published} events, ${world.acked.size} were acknowledged; the others did not come.`;
  }
  await world.stop();
  if (world.unmarked.length > 0) world.broken ??= `${world.unmarked} came again and was not marked.`;
  return world.broken;
}

async function brokenWith(make: () => ReaderWorld): Promise<string | undefined> {
  for (const [index, script] of fc.sample(scripts, { numRuns: 60, seed: 3 }).entries()) {
    const broken = await play(make(), script, index);
    if (broken !== undefined) return broken;
  }
  return undefined;
}
