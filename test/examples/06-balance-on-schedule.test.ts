import should from "should";
import { RunningExample } from "../support/example.ts";

type Point = { payload: number; topic: string };

describe("the example balance on a schedule", function () {
  this.timeout(120_000);

  let flow: RunningExample;
  before(async () => {
    flow = await RunningExample.start("06-balance-on-schedule", {
      // A minute is too long for a test.
      change: (flows) => flows.map((node) => (node.repeat === "60" ? { ...node, repeat: "1" } : node)),
    });
  });
  after(() => flow?.close());

  it("sends a value for a chart automatically, without a setup", async () => {
    const { value } = await flow.nodeRed.showing("chart");
    should(value).have.properties({ payload: 0, topic: "demo token" });
  });

  it("sends another value each time", async () => {
    await flow.next("chart");
    should(flow.values("chart").length).be.above(1);
  });

  it("reports tokens", async () => {
    const rising = flow.next<Point>("chart", ({ payload }) => payload !== 0);
    await flow.press("Send 2.5 tokens");
    should(await rising).have.properties({ payload: 2.5, topic: "demo token" });
  });

  it("reported no error", () => {
    should(flow.values("error")).be.empty();
  });
});
