import should from "should";
import { Notifier } from "../../src/consumer/delivery/notifier.ts";
import { verifyWhenProofArrives } from "../../src/consumer/delivery/proof-wait.ts";
import { eventually } from "../support/eventually.ts";
import { end, makeEvent, SimulatedChannel, SimulatedClock, simulate } from "./simulation.ts";

const HOUR = 3_600_000;

describe("a consumer whose clock is set by three hours", () => {
  it("waits as long for a proof", async () => {
    for (const byMs of [3 * HOUR, -3 * HOUR]) {
      const clock = new SimulatedClock();
      const [began, never] = [clock.elapsed(), new AbortController().signal];
      const options = {
        ...{ source: new SimulatedChannel(), clock, waitMs: 60_000 },
        verify: async () => ({ verified: false, reason: "no_proof", detail: "" }) as never,
      };
      let isOver = false;
      void verifyWhenProofArrives(makeEvent(1), options, never).then(() => {
        isOver = true;
      });
      await clock.pass(1_000);
      clock.set(byMs);
      await clock.until(() => isOver);
      should(clock.elapsed() - began).equal(60_000);
    }
  });

  it("has not read what came while the machine slept, and has read as much as before else", async () => {
    const { clock, make } = simulate({ source: new SimulatedChannel() });
    const consumer = make();
    consumer.start();
    await clock.pass(60_000);
    const readAgo = () => clock.now() - Number(consumer.readUpTo);
    const before = readAgo();
    should(before).be.below(60_000);
    clock.set(3 * HOUR);
    should(readAgo()).be.approximately(before + 3 * HOUR, 1);
    await clock.pass(60_000);
    should(readAgo()).be.below(60_000);
    clock.set(-3 * HOUR);
    should(readAgo()).be.within(0, 60_000);
    await end(clock, consumer);
  });

  it("shows its counts as soon", async () => {
    const clock = new SimulatedClock();
    const shown: unknown[] = [];
    const notifier = new Notifier({ clock, onState: (state) => shown.push(state) });
    const counts = { late: 0, waitingForAcks: 0, skipped: 0, filtered: 0 };
    const connected = { kind: "connected" as const, behind: 0, ...counts };
    notifier.setState({ ...connected, delivered: 1 });
    clock.set(-3 * HOUR);
    notifier.setState({ ...connected, delivered: 2 });
    await clock.pass(60_000);
    await eventually("the second state", () => shown.length === 2);
  });
});
