import fc from "fast-check";
import should from "should";
import { CrecError } from "../../src/errors.ts";
import type { SharedState } from "../../src/ownership/index.ts";
import { LeaseKeeper, MemorySharedState } from "../../src/ownership/index.ts";
import { randomFrom } from "../support/random.ts";
import { inVariants } from "../support/variants.ts";
import { forward } from "./lease-reader.ts";
import { LEASE_MS, LeaseWorld, type SimulatedCopy } from "./lease-world.ts";

const KEYS = ["k1", "k2", "k3", "k4", "k5"];

describe("LeaseKeeper", () => {
  it("takes what is free and renews it, with one call for all", async () => {
    const world = new LeaseWorld();
    const a = world.add("a");
    a.want(...KEYS);
    await world.pass(100);
    should(a.sure.sort()).eql(KEYS);
    const before = a.link.calls.length;
    await world.pass(10 * LEASE_MS);
    should(a.sure.sort()).eql(KEYS);
    should(KEYS.map((key) => a.leases.get(key)?.epoch)).eql([1, 1, 1, 1, 1]);
    const calls = a.link.calls.slice(before);
    should(new Set(calls)).eql(new Set(["members"]));
    should(calls.length).be.within(40, 55);
    await world.stop();
    should(world.broken).equal(undefined);
  });

  it("shows who has a lease, and takes it within a moment when it is released in order", async () => {
    const world = new LeaseWorld();
    const [a, b] = [world.add("a"), world.add("b")];
    a.want("k");
    await world.pass(100);
    b.want("k");
    await world.pass(2_000);
    should(b.stateOf("k")).equal("elsewhere (a, 1)");
    await world.finish(a.stop());
    const since = world.base.now();
    await world.until(() => b.sure.length > 0);
    should(world.base.now() - since).be.belowOrEqual(500);
    should(a.log).eql(["k: held (1)", "open k", "close k", "closed k"]);
    should(b.log).eql(["k: elsewhere (a, 1)", "k: held (2)", "open k"]);
    await world.stop();
  });

  it("takes the lease of a copy that died, within the lease and one look", async () => {
    const world = new LeaseWorld();
    const [a, b] = [world.add("a"), world.add("b")];
    a.want("k");
    await world.pass(100);
    b.want("k");
    await world.pass(3_000);
    a.clock.suspend();
    const since = world.base.now();
    await world.until(() => b.sure.length > 0);
    should(world.base.now() - since).be.within(LEASE_MS / 2, LEASE_MS + 300);
    a.clock.resume();
    await world.pass(1_000);
    should(a.log.slice(2)).eql(["k: looking", "close k lost", "closed k", "k: elsewhere (b, 2)"]);
    should(a.leases.get("k")?.over.reason).match({ code: "CONSUMER_MOVED" });
    await world.stop();
    should(world.broken).equal(undefined);
  });

  it("keeps a lease over a suspension when no other copy wanted it", async () => {
    const world = new LeaseWorld();
    const a = world.add("a");
    a.want("k");
    await world.pass(100);
    a.clock.suspend();
    await world.pass(5 * LEASE_MS);
    should(a.sure).eql([]);
    a.clock.resume();
    await world.pass(50);
    should(a.sure).eql(["k"]);
    should(a.log).eql(["k: held (1)", "open k"]);
    await world.stop();
  });

  it("gives the surplus to a copy that joins, after it has closed what it had open", async () => {
    const world = new LeaseWorld();
    const [a, b, c] = [world.add("a"), world.add("b"), world.add("c")];
    a.want(...KEYS);
    await world.pass(1_000);
    let close = () => {};
    a.closing = () =>
      new Promise((resolve) => {
        close = resolve;
      });
    b.want(...KEYS);
    await world.until(() => a.log.includes("close k4"));
    // What is being closed is still its own, so that the cursor can be saved.
    await world.pass(200);
    should(a.stateOf("k5")).equal("held (1)");
    should(a.leases.get("k5")).match({ isSure: true });
    should(b.sure).eql([]);
    a.closing = async () => {};
    close();
    await world.until(() => b.sure.length === 2);
    should(a.sure.length).equal(3);
    should(["k4", "k5"].map((key) => a.stateOf(key)).sort()).match([
      /^(elsewhere|waiting)/,
      /^(elsewhere|waiting)/,
    ]);
    c.want(...KEYS);
    await world.pass(2_000);
    should([a, b, c].map(({ sure }) => sure.length).sort()).eql([1, 2, 2]);
    // And it stays like that.
    const logs = [a, b, c].map(({ log }) => log.length);
    await world.pass(20 * LEASE_MS);
    should([a, b, c].map(({ log }) => log.length)).eql(logs);
    await world.finish(b.stop());
    await world.pass(2_000);
    should([...a.sure, ...c.sure].sort()).eql(KEYS);
    await world.stop();
    should(world.broken).equal(undefined);
  });

  it("says that it leaves a free lease to the others, when it holds its share", async () => {
    const world = new LeaseWorld();
    const [a, b] = [world.add("a"), world.add("b")];
    a.want("k1", "k2");
    b.want("k1", "k2");
    await world.pass(3_000);
    // A copy that is alive and does not get its leases: it cannot take.
    b.link.take = async () => undefined;
    for (const wanted of b.wanted.values())
      if (wanted.state.kind === "held") await world.finish(b.keeper.stop());
    b.want("k1", "k2");
    await world.pass(5_000);
    should(a.sure.length).equal(1);
    should(["k1", "k2"].map((key) => a.stateOf(key))).containEql("waiting_for_share");
    await world.stop();
  });

  it("goes on while the engine is away, until it is not sure any more; and continues when it is back", async () => {
    const world = new LeaseWorld();
    const a = world.add("a");
    a.want("k");
    await world.pass(2_000);
    a.link.isDown = true;
    await world.pass(LEASE_MS / 2);
    should(a.sure).eql(["k"]);
    should(a.stateOf("k")).equal("held (1)");
    await world.pass(LEASE_MS);
    should(a.sure).eql([]);
    should(a.stateOf("k")).equal("error (SHARED_STATE_UNREACHABLE)");
    should(a.leases.get("k")?.over.reason).match({
      code: "CONSUMER_MOVED",
      message: /could not be reached for 1 s/,
    });
    a.link.isDown = false;
    const since = world.base.now();
    await world.until(() => a.sure.length > 0);
    should(world.base.now() - since).be.belowOrEqual(500);
    should(a.stateOf("k")).equal("held (2)");
    await world.stop();
  });

  it("ends a lease in time when the engine does not answer at all", async () => {
    const world = new LeaseWorld();
    const a = world.add("a");
    a.want("k");
    await world.pass(2_000);
    a.link.delayMs.request = 3_600_000;
    const since = world.base.now();
    await world.until(() => a.leases.get("k")?.over.aborted === true);
    should(world.base.now() - since).be.belowOrEqual(1.5 * LEASE_MS);
    a.link.delayMs.request = 0;
    await world.until(() => a.sure.length > 0);
    await world.stop();
  });

  it("does not count a lease as held whose answer came late, and does not keep it from others", async () => {
    const world = new LeaseWorld();
    const [a, b] = [world.add("a"), world.add("b")];
    a.link.delayMs.answer = 2 * LEASE_MS;
    a.want("k");
    // Until the take has reached the engine.
    a.link.members = async () => ({ copies: [{ id: "id of a", name: "a" }], lost: [], holders: new Map() });
    await world.pass(100);
    b.want("k");
    await world.pass(10 * LEASE_MS);
    should(a.log.filter((line) => line.startsWith("open"))).eql([]);
    a.link.isDown = true;
    await world.until(() => b.sure.length > 0);
    await world.stop();
    should(world.broken).equal(undefined);
  });

  it("is not sure of a lease that a late take has replaced, once it gives that back", async () => {
    const world = new LeaseWorld();
    const [a, b] = [world.add("a"), world.add("b")];
    // The first take arrives at the engine after the second one, as over another connection.
    const take = a.link.take;
    a.link.take = async (...given) => {
      a.link.take = take;
      await world.base.sleep(700, new AbortController().signal);
      return take(...given);
    };
    a.want("k");
    await world.until(() => a.sure.length > 0);
    b.want("k");
    await world.pass(3_000);
    should(world.broken).equal(undefined);
    should(a.log).containEql("close k lost");
    await world.stop();
  });

  it("takes again what it was given without getting the answer", async () => {
    const world = new LeaseWorld();
    const a = world.add("a");
    a.link.losesAnswers = true;
    a.want("k");
    await world.pass(50);
    a.link.members = async () => ({ copies: [{ id: "id of a", name: "a" }], lost: [], holders: new Map() });
    await world.pass(400);
    should(a.sure).eql([]);
    should(a.link.calls).containEql("take");
    a.link.losesAnswers = false;
    await world.until(() => a.sure.length > 0);
    should(a.leases.get("k")?.epoch).be.above(1);
    await world.stop();
  });

  it("shows the error of one lease that cannot be taken, and has the others", async () => {
    const world = new LeaseWorld((engine) => ({
      ...forward(engine),
      take: async (key, ...more) => {
        if (key === "k2") throw new CrecError("SHARED_STATE_REFUSED", "No right to this row.");
        return engine.take(key, ...more);
      },
    }));
    const a = world.add("a");
    a.want("k1", "k2", "k3");
    await world.pass(2_000);
    should(a.sure.sort()).eql(["k1", "k3"]);
    should(a.stateOf("k2")).equal("error (SHARED_STATE_REFUSED)");
    await world.stop();
  });

  it("is not misled by a wall clock that is set, and looks again when it is", async () => {
    const world = new LeaseWorld();
    const a = world.add("a");
    a.clock.wallMs = 3_600_000;
    a.want("k");
    await world.pass(2_000);
    should(a.sure).eql(["k"]);
    for (const wallMs of [0, -3_600_000, 7_200_000]) {
      a.clock.wallMs = wallMs;
      const lease = a.leases.get("k");
      should(lease?.isSure).equal(false);
      const calls = a.link.calls.length;
      await world.finish(lease?.confirm() ?? Promise.reject());
      should(a.link.calls.length).be.above(calls);
      should(lease?.isSure).equal(true);
    }
    // With the engine away it only waits.
    a.link.isDown = true;
    a.clock.wallMs = 0;
    await world.pass(LEASE_MS / 2);
    should(a.leases.get("k")?.over.aborted).equal(false);
    a.link.isDown = false;
    await world.pass(LEASE_MS);
    should(a.log).eql(["k: held (1)", "open k"]);
    await world.stop();
  });

  it("is not sure after the machine has slept, although the monotonic clock stood still", async () => {
    const world = new LeaseWorld();
    const [a, b] = [world.add("a"), world.add("b")];
    a.want("k");
    await world.pass(100);
    b.want("k");
    await world.pass(1_000);
    a.clock.suspend();
    const began = world.base.now();
    await world.pass(10 * LEASE_MS);
    a.clock.stoodStillMs = world.base.now() - began;
    should(a.sure).eql([]);
    should(b.sure).eql(["k"]);
    a.clock.resume();
    await should(a.leases.get("k")?.confirm()).be.rejectedWith({ code: "CONSUMER_MOVED" });
    await world.stop();
    should(world.broken).equal(undefined);
  });

  it("releases all when it stops, and is no member any more", async () => {
    const world = new LeaseWorld();
    const [a, b] = [world.add("a"), world.add("b")];
    a.want(...KEYS);
    await world.pass(100);
    await world.finish(a.stop());
    should(a.link.calls.filter((call) => call === "release").length).equal(5);
    should(a.link.calls.at(-1)).equal("leave");
    b.want(...KEYS);
    await world.until(() => b.sure.length === 5, 200);
    // A copy that has stopped can begin again.
    a.want(...KEYS);
    await world.pass(2_000);
    should(a.sure.length).equal(2);
    await world.stop();
  });

  it("gives a lease to the next that wants it in the same process, when the first has left", async () => {
    const world = new LeaseWorld();
    const a = world.add("a");
    a.want("k");
    const first = a.wanted.get("k");
    await world.pass(100);
    a.want("k");
    await world.pass(3_000);
    should(a.log).eql(["k: held (1)", "open k"]);
    await world.finish(first?.leave() ?? Promise.reject());
    await world.pass(600);
    should(a.log.slice(2)).eql(["close k", "closed k", "k: held (2)", "open k"]);
    await world.stop();
  });

  it("releases what does not close in time, and does not open it again before it is closed", async () => {
    const world = new LeaseWorld();
    const [a, b] = [world.add("a"), world.add("b")];
    a.want("k1", "k2");
    await world.pass(100);
    a.closing = () => new Promise(() => {});
    b.want("k1", "k2");
    await world.pass(3 * LEASE_MS);
    should([a.sure.length, b.sure.length]).eql([1, 1]);
    await world.finish(b.stop());
    await world.pass(3 * LEASE_MS);
    should(a.sure.length).equal(1);
    should(world.broken).equal(undefined);
    a.closing = async () => {};
    await world.stop();
  });

  it("takes thousands of leases, some at a time", async () => {
    const world = new LeaseWorld();
    const a = world.add("a");
    const keys = Array.from({ length: 1_000 }, (_, index) => `k${index}`);
    a.want(...keys);
    await world.until(() => a.sure.length === 1_000);
    should(a.link.calls.filter((call) => call === "members").length).be.belowOrEqual(25);
    await world.stop();
  });

  it("refuses a lease that is too short to be renewed", () => {
    const copy = { id: "1", name: "a" };
    for (const leaseMs of [0, 199, Number.NaN])
      should(() => new LeaseKeeper({ shared: new MemorySharedState(), copy, leaseMs })).throw({
        path: "leaseMs",
      });
  });

  it("never lets two copies be sure of one lease, whatever happens to them", async function () {
    this.timeout(120_000);
    await fc.assert(
      fc.asyncProperty(scripts, fc.nat(), async (script, seed) => {
        const world = new LeaseWorld();
        await play(world, script, seed);
        should(world.broken).equal(undefined);
        // After quiet, everything is held, and shared out.
        const sure = world.copies.flatMap((copy) => copy.sure).sort();
        should(sure).eql(world.copies.some(({ wanted }) => wanted.size > 0) ? KEYS : []);
        const running = world.copies.filter(({ wanted }) => wanted.size > 0);
        const share = Math.ceil(KEYS.length / running.length);
        for (const copy of running) should(copy.sure.length).be.belowOrEqual(share);
        await world.stop();
      }),
      { numRuns: 60 },
    );
  });

  inVariants(() => {
    it("would let two be sure if the engine ended a lease earlier than the copy believes", async () => {
      const control = (engine: SharedState): SharedState => ({
        ...forward(engine),
        take: (key, copy, leaseMs) => engine.take(key, copy, leaseMs / 2),
        members: (presence) => engine.members({ ...presence, leaseMs: presence.leaseMs / 2 }),
      });
      const broken = await brokenWith(control);
      should(broken).match(/are sure of/);
    });

    it("would let two be sure if the engine renewed any lease", async () => {
      const control = (engine: SharedState): SharedState => ({
        ...forward(engine),
        members: async (presence) => ({ ...(await engine.members(presence)), lost: [] }),
      });
      const broken = await brokenWith(control);
      should(broken).match(/are sure of/);
    });
  });
});

/** What breaks first over a number of runs with a changed engine. */
async function brokenWith(change: (engine: SharedState) => SharedState): Promise<string | undefined> {
  for (const [index, script] of fc.sample(scripts, { numRuns: 60, seed: 7 }).entries()) {
    const world = new LeaseWorld(change);
    await play(world, script, index);
    await world.stop();
    if (world.broken !== undefined) return world.broken;
  }
  return undefined;
}

type Event = {
  copy: number;
  kind: "suspend" | "sleep" | "down" | "lost" | "slow" | "set clock" | "join or leave" | "none";
  forMs: number;
  waitMs: number;
};

const scripts: fc.Arbitrary<Event[]> = fc.array(
  fc.record({
    copy: fc.nat({ max: 2 }),
    kind: fc.constantFrom("suspend", "sleep", "down", "lost", "slow", "set clock", "join or leave", "none"),
    forMs: fc.constantFrom(10, 200, 700, 950, 1_050, 1_500, 4_000),
    waitMs: fc.constantFrom(0, 30, 300, 900, 1_100, 2_500),
  }),
  { maxLength: 14, size: "max" },
);

/** Plays a script with three copies, heals everything, and lets time pass until it is quiet. */
async function play(world: LeaseWorld, script: readonly Event[], seed: number): Promise<void> {
  const random = randomFrom(seed);
  const copies = ["a", "b", "c"].map((name) => world.add(name, random));
  for (const copy of copies) copy.want(...KEYS);
  await world.pass(50);
  const heals: Array<() => void> = [];
  const later = (ms: number, heal: () => void) => {
    heals.push(heal);
    void world.base.sleep(ms, new AbortController().signal).then(heal);
  };
  for (const { copy: index, kind, forMs, waitMs } of script) {
    const copy = copies[index] as SimulatedCopy;
    happen(copy, kind, forMs, later, world);
    await world.pass(waitMs);
  }
  for (const heal of heals) heal();
  for (const copy of copies) copy.clock.resume();
  await world.pass(8 * LEASE_MS);
}

function happen(
  copy: SimulatedCopy,
  kind: Event["kind"],
  forMs: number,
  later: (ms: number, heal: () => void) => void,
  { base }: LeaseWorld,
): void {
  const { clock, link } = copy;
  if (kind === "suspend") {
    clock.suspend();
    later(forMs, () => clock.resume());
  } else if (kind === "sleep" && !clock.isSuspended) {
    clock.suspend();
    const began = base.now();
    let isAwake = false;
    later(forMs, () => {
      if (!isAwake) clock.stoodStillMs += base.now() - began;
      isAwake = true;
      clock.resume();
    });
  } else if (kind === "down") {
    link.isDown = true;
    later(forMs, () => {
      link.isDown = false;
    });
  } else if (kind === "lost") {
    link.losesAnswers = true;
    later(forMs, () => {
      link.losesAnswers = false;
    });
  } else if (kind === "slow") {
    link.delayMs = { request: forMs / 2, answer: forMs / 2 };
    later(forMs, () => {
      link.delayMs = { request: 0, answer: 0 };
    });
  } else if (kind === "set clock") clock.wallMs += forMs % 400 === 0 ? -3_600_000 : 3_600_000;
  else if (kind === "join or leave") {
    if (copy.wanted.size === 0) copy.want(...KEYS);
    else {
      for (const wanted of copy.wanted.values()) void wanted.leave();
      copy.wanted.clear();
    }
  }
}
