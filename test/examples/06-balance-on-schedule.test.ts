import should from "should";
import { RunningExample } from "../support/example.ts";

type Point = { payload: number; topic: string };

describe("the example balance on a schedule", function () {
  this.timeout(120_000);

  let flow: RunningExample;
  before(async () => {
    flow = await RunningExample.start("06-balance-on-schedule", {
      // A minute is too long for a test.
      change: (flows) => flows.map((node) => (node.duration === "-60" ? { ...node, duration: "-1" } : node)),
    });
  });
  after(() => flow?.close());

  it("sends nothing until it is started, then tokens as numbers for a chart, until it is stopped", async () => {
    const { data } = await flow.call<{ data: unknown[] }>("GET", "/channels");
    should(data).be.empty();
    should(flow.nodeRed.statuses(flow.id("crec-run-query"))).be.empty();

    // Now, and again and again.
    should(await flow.pressed("Start", "balance")).deepEqual({ payload: 0, topic: "demo token" });
    await flow.next("balance");

    const rising = flow.next<Point>("balance", ({ payload }) => payload !== 0);
    await flow.press("Send 2.5 tokens");
    should(await rising).deepEqual({ payload: 2.5, topic: "demo token" });
    // Drawn below a node.
    const { text } = await flow.nodeRed.status(flow.id("function", "draw as text"), /█ 2\.5$/);
    should(text).match(/^▁+█+ 2\.5$/);

    await flow.press("Stop");
    await flow.nodeRed.status(flow.id("trigger"), ({ text }) => !text);
    should(flow.values("error")).be.empty();
  });
});
