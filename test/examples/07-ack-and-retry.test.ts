import should from "should";
import { RunningExample } from "../support/example.ts";
import { itWide } from "../support/wide.ts";

type Done = { tokens: number; attempt: number };

describe("the example process with ack and retry", function () {
  this.timeout(120_000);

  let flow: RunningExample;
  before(async () => {
    flow = await RunningExample.start("07-ack-and-retry", { alone: true });
    should(await flow.pressed("Set up", "ready")).equal("active");
  });
  after(() => flow?.close());

  it("processes an order", async () => {
    should(await flow.pressed<Done>("Succeeds", "processed")).deepEqual({ tokens: 1, attempt: 1 });
  });

  it("processes an order at the second attempt when the first failed", async () => {
    const before = flow.values("retried").length;
    const done = await flow.pressed<Done>("Succeeds at the second attempt", "processed");
    should(done).deepEqual({ tokens: 2, attempt: 2 });
    should(flow.values("retried").slice(before)).deepEqual(["Error: The printer is out of paper."]);
  });

  it("rejects an order that always fails, and continues with the next", async () => {
    const before = flow.values("retried").length;
    should(await flow.pressed("Always fails", "rejected"))
      .be.a.String()
      .and.not.be.empty();
    should(flow.values("retried")).have.length(before + 3);
    should(await flow.pressed<Done>("Succeeds", "processed")).deepEqual({ tokens: 1, attempt: 1 });
  });

  it("skips transfers to others", async () => {
    const elsewhere = { to: "0x00000000000000000000000000000000DeaDBeef", amount: "1000000000000000000" };
    await flow.call("POST", "/local/faucet", elsewhere);
    await flow.nodeRed.status(flow.id("crec-ack", "no order"), ({ text }) => Boolean(text));
    should(await flow.pressed<Done>("Succeeds", "processed")).deepEqual({ tokens: 1, attempt: 1 });
  });

  itWide("sends an unacknowledged order again after Node-RED was killed", async () => {
    // Failed once, and not processed yet: a crash now must not lose it.
    await flow.pressed("Succeeds at the second attempt", "retried");
    await flow.restart();
    const { value } = await flow.nodeRed.showing("processed", (done) => (done as Done).tokens === 2);
    should(value).have.property("tokens", 2);
  });

  itWide("reported no other error", () => {
    should(flow.values("error")).be.empty();
  });
});
