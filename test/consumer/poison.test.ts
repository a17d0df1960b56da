import fc from "fast-check";
import should from "should";
import { sized } from "../support/variants.ts";
import { Machine, type Part } from "./crashing-machine.ts";
import { range } from "./simulation.ts";

const numRuns = Number(process.env.CONSUMER_RUNS ?? sized(50, 150));

/** What the first arrivals are. */
const firsts = (arrivals: readonly number[]) => [...new Set(arrivals)];
const countOf = (arrivals: readonly number[], offset: number) =>
  arrivals.filter((one) => one === offset).length;

/** A machine with one consumer, and that consumer. */
function machineWith(part: Part) {
  const machine = new Machine(part);
  const [one] = machine.parts;
  if (one === undefined) throw new Error("There is one.");
  return { machine, one };
}

describe("an event that ends the process", () => {
  for (const [commit, inFlight] of [
    ["on-send", 1] as const,
    ["on-ack", 1] as const,
    ["on-ack", 10] as const,
  ]) {
    it(`is rejected after five counted crashes, and no other one (${commit}, ${inFlight} in flight)`, async () => {
      const { machine, one } = machineWith({ events: 30, poison: [7], commit, inFlight, workMs: 100 });
      machine.boot();
      await machine.until(() => one.isDone);
      should(one.rejected).eql([[7, "The process ended 5 times while this event was handed over."]]);
      // The first time it was one of several, and nothing was counted.
      should(countOf(one.arrivals, 7)).equal(6);
      should(machine.starts).equal(7);
      should(firsts(one.arrivals)).eql(range(1, 30));
      should(one.errors).eql([]);
      await machine.end();
      should(one.stored).containEql({ cursor: 30 }).and.not.have.property("starts");
    });
  }

  it("is given up together with others like it, one after the other", async () => {
    const poison = [3, 4, 20];
    const { machine, one } = machineWith({ events: 20, poison, commit: "on-ack", inFlight: 10, workMs: 50 });
    machine.boot();
    await machine.until(() => one.isDone);
    should(one.rejected.map(([offset]) => offset)).eql(poison);
    await machine.end();
  });

  it("is given up where it takes its time, and others do not come beside it meanwhile", async () => {
    const part = {
      events: 5,
      poison: [2],
      commit: "on-ack",
      inFlight: 3,
      workMs: 10,
      fuseMs: 90_000,
    } as const;
    const { machine, one } = machineWith(part);
    machine.keepSoon = true;
    machine.boot();
    await machine.until(() => one.rejected.length > 0);
    // Sent again after a minute, as others are; that is no start.
    should(one.arrivals.slice(0, 16)).eql([1, 2, 3, 4, 5, 2, ...Array(10).fill(2)]);
    await machine.until(() => one.isDone);
    await machine.end();
  });

  it("is not one that only waited each time, and is one that ends it each time the work goes on", async () => {
    const part = { events: 3, waiting: [2], commit: "on-ack", inFlight: 1 } as const;
    const { machine, one } = machineWith(part);
    const untilItWaits = () => {
      const isUncounted = () => one.stored !== undefined && one.stored.starts === undefined;
      return machine.until(() => countOf(one.arrivals, 2) === machine.starts && isUncounted());
    };
    machine.boot();
    for (let crash = 1; crash <= 7; crash += 1) {
      await untilItWaits();
      await machine.restart({ orderly: false });
    }
    await machine.until(() => countOf(one.arrivals, 2) === machine.starts);
    should(one.rejected).eql([]);
    for (let crash = 1; crash <= 5; crash += 1) {
      await one.goOn(2, { isDeadly: true });
      await machine.restart({ orderly: false });
      await machine.until(() => one.rejected.length > 0 || countOf(one.arrivals, 2) === machine.starts);
    }
    should(one.rejected.map(([offset]) => offset)).eql([2]);
    await machine.until(() => one.done.has(3));
    await machine.end();
  });

  it("is counted for nobody that has ended meanwhile, nor that is no suspect", async () => {
    const part = { events: 2, waiting: [1], commit: "on-ack", inFlight: 1 } as const;
    const { machine, one } = machineWith(part);
    machine.boot();
    await machine.until(() => one.arrivals.length === 1);
    should(one.setWaiting(1, true)).equal(undefined);
    await machine.restart({ orderly: false });
    await machine.until(() => one.arrivals.length === 2 && one.stored?.starts === undefined);
    should(one.setWaiting(2, true)).equal(undefined);
    const counted = one.setWaiting(1, false);
    await one.setWaiting(1, false);
    await counted;
    should(one.stored?.starts).have.length(1);
    await one.setWaiting(1, true);
    should(one.stored?.starts).equal(undefined);
    const late = one.setWaiting(1, false);
    await one.goOn(1, { isDeadly: false });
    await late;
    await machine.until(() => one.done.has(2));
    await machine.end();
    should(one.stored).containEql({ cursor: 2 }).and.not.have.property("starts");
  });

  it("is reported as an error when nothing receives rejected events", async () => {
    for (const commit of ["on-send", "on-ack"] as const) {
      const part = { events: 3, poison: [2], commit, onRejected: undefined, maxCrashes: 2 };
      const { machine, one } = machineWith(part);
      machine.boot();
      await machine.until(() => one.done.has(3));
      should(one.errors.map(({ code, message }) => [code, message])).eql([
        [
          "EVENT_REJECTED",
          "The event at offset 2 is skipped. The process ended 2 times while this event was handed over. Set onRejected to receive such events.",
        ],
      ]);
      await machine.end();
    }
  });

  it("is passed over in the end where those who take rejected events do not survive it either", async () => {
    for (const commit of ["on-send", "on-ack"] as const) {
      const part = { events: 3, poison: [2], commit, rejectionCrashes: true };
      const { machine, one } = machineWith(part);
      machine.boot();
      await machine.until(() => one.done.has(3));
      should(one.errors.map(({ code }) => code)).eql(["EVENT_REJECTED"]);
      should(machine.starts).equal(12);
      await machine.end();
    }
  });

  it("is sent again without limit when so configured, and the others as well", async () => {
    const part = {
      events: 9,
      poison: [2],
      maxCrashes: 0,
      commit: "on-ack",
      inFlight: 3,
      fuseMs: 1_000,
    } as const;
    const { machine, one } = machineWith(part);
    machine.boot();
    await machine.until(() => machine.starts > 8);
    should(one.rejected).eql([]);
    should(one.done.size).equal(8);
    should(one.stored).not.have.property("starts");
    await machine.end();
  });

  it("is not mistaken for one that another consumer had settled before", async () => {
    for (const workMs of [1, 50, 700]) {
      const machine = new Machine(
        { events: 20, commit: "on-ack", workMs },
        { events: 20, commit: "on-send" },
        { events: 20, poison: [5], commit: "on-ack", inFlight: 5, workMs: 20 },
      );
      machine.boot();
      await machine.until(() => machine.parts.every(({ isDone }) => isDone));
      should(machine.parts.map(({ rejected }) => rejected.map(([offset]) => offset))).eql([[], [], [5]]);
      await machine.end();
    }
  });

  it("is not mistaken for one of another consumer of the process", async () => {
    const machine = new Machine(
      { events: 20, poison: [5], commit: "on-ack", inFlight: 5, workMs: 20 },
      { events: 20, commit: "on-ack", workMs: 700 },
      { events: 20, commit: "on-send" },
      // It waits for a person.
      { events: 1, commit: "on-ack", workMs: 20 * 60_000, ackTimeoutMs: 3_600_000 },
    );
    machine.boot();
    await machine.until(() => machine.parts.every(({ isDone }) => isDone));
    should(machine.parts.map(({ rejected }) => rejected.map(([offset]) => offset))).eql([[5], [], [], []]);
    await machine.end();
  });

  it("is in the range that the consumer reports after a crash, once, before the first of them is sent", async () => {
    const part = { events: 9, commit: "on-ack", inFlight: 3, workMs: 10_000 } as const;
    const { machine, one } = machineWith(part);
    machine.keepSoon = true;
    machine.boot();
    await machine.pass(15_000);
    should([...one.done]).eql([1, 2, 3]);
    should(one.suspects).eql([]);
    await machine.restart({ orderly: false });
    await machine.until(() => one.isDone);
    // A page was announced to the store as a whole.
    should(one.suspects).eql([{ from: 4, to: 9 }]);
    await machine.end();
  });

  it("is none after an orderly stop, whatever was in flight, and none that a stop ended counts", async () => {
    const part = { events: 9, commit: "on-ack", inFlight: 3, workMs: 10_000, maxCrashes: 1 } as const;
    const { machine, one } = machineWith(part);
    machine.boot();
    await machine.pass(5_000);
    await machine.restart({ orderly: true });
    await machine.pass(5_000);
    should(one.arrivals).eql([1, 2, 3, 1, 2, 3]);
    should(one.suspects).eql([]);
    await machine.restart({ orderly: false });
    await machine.pass(5_000);
    should(one.arrivals.slice(6)).eql([1]);
    should(one.stored).have.property("starts", [["event-1", 1]]);
    // Still one at a time: the stop does not tell which of them it was.
    await machine.restart({ orderly: true });
    await machine.pass(5_000);
    should(one.arrivals.slice(7)).eql([1]);
    await machine.until(() => one.isDone);
    should(one.rejected).eql([]);
    await machine.end();
  });

  it("is counted from the first crash on where the start before it ended in order", async () => {
    const part = { events: 1, poison: [1], maxCrashes: 1, commit: "on-ack", fuseMs: 2_000 } as const;
    const { machine, one } = machineWith(part);
    machine.boot();
    await machine.pass(1_000);
    await machine.restart({ orderly: true });
    await machine.until(() => one.isDone);
    should(machine.starts).equal(4);
    await machine.end();
  });

  it("is counted once a start, however often its count cannot be stored", async () => {
    const { machine, one } = machineWith({ events: 3, poison: [2], maxCrashes: 3 });
    machine.boot();
    await machine.until(() => machine.starts === 2);
    let failures = 4;
    one.disk.fault = () => {
      failures -= 1;
      if (failures > 0) throw new Error("The disk is full.");
    };
    await machine.until(() => one.isDone);
    should(countOf(one.arrivals, 2)).equal(4);
    should(one.rejected.length).equal(1);
    await machine.end();
  });

  it("is the only one given up, and all others arrive in order, whatever else ends the process", function () {
    this.timeout(120_000);
    const step = fc.record({
      waitMs: fc.constantFrom(0, 5, 100, 1_000, 10_000),
      orderly: fc.boolean(),
      keepSoon: fc.boolean(),
    });
    const part = fc.record({
      events: fc.integer({ min: 1, max: 60 }),
      poison: fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 3 }),
      commit: fc.constantFrom("on-send" as const, "on-ack" as const),
      inFlight: fc.constantFrom(1, 2, 10, 100),
      workMs: fc.constantFrom(0, 5, 300, 3_000),
      maxCrashes: fc.constantFrom(1, 2, 5),
    });
    const property = fc.asyncProperty(
      part,
      fc.constantFrom(0, 0, 2_000),
      fc.array(step, { maxLength: 8 }),
      fc.boolean(),
      async (part, fuseMs, steps, keepSoon) => {
        // On send, one that ends the process later is done by then.
        const { machine, one } = machineWith({ ...part, fuseMs: part.commit === "on-send" ? 0 : fuseMs });
        machine.keepSoon = keepSoon;
        let others = 0;
        machine.boot();
        for (const { waitMs, orderly, keepSoon } of steps) {
          await machine.pass(waitMs);
          // As often as may be laid to one innocent event.
          const isCrash = !orderly && others + 1 < part.maxCrashes;
          if (isCrash) others += 1;
          machine.keepSoon = keepSoon;
          await machine.restart({ orderly: !isCrash });
        }
        await machine.until(() => one.isDone, 24 * 3_600_000);
        // What was done before a crash may come again.
        await machine.pass(600_000);
        await machine.end();
        const poison = part.poison.filter((offset) => offset <= part.events).sort((a, b) => a - b);
        should([...new Set(one.rejected.map(([offset]) => offset))]).eql(poison);
        should(firsts(one.arrivals)).eql(range(1, part.events));
        should(one.errors).eql([]);
        should(one.stored).have.property("cursor", part.events);
      },
    );
    return fc.assert(property, { numRuns });
  });
});
