import should from "should";
import { Notifier } from "../../src/consumer/notifier.ts";
import { verifyWhenProofArrives } from "../../src/consumer/proof-wait.ts";
import { eventually } from "../support/eventually.ts";
import { makeEvent, SimulatedChannel, SimulatedClock } from "./simulation.ts";

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

  it("shows its counts as soon", async () => {
    const clock = new SimulatedClock();
    const shown: unknown[] = [];
    const notifier = new Notifier({ clock, onState: (state) => shown.push(state) });
    const connected = { kind: "connected" as const, behind: 0, rejected: 0, late: 0 };
    notifier.setState({ ...connected, delivered: 1 });
    clock.set(-3 * HOUR);
    notifier.setState({ ...connected, delivered: 2 });
    await clock.pass(60_000);
    await eventually("the second state", () => shown.length === 2);
  });
});
