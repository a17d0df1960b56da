import should from "should";
import { RunningExample } from "../support/example.ts";

const SET_UP = new Set(["comment", "catch", "inject", "crec-manage", "crec-create-watcher", "crec-api"]);

describe("the example first alert", function () {
  this.timeout(120_000);

  let flow: RunningExample;
  before(async () => {
    flow = await RunningExample.start("00-first-alert");
  });
  after(() => flow?.close());

  it("is a path of three nodes", () => {
    const [tab] = flow.flows;
    const drawn = flow.flows.filter(
      ({ z, type, name }) => z === tab?.id && !SET_UP.has(type) && name !== "problem",
    );
    should(drawn.map(({ type }) => type)).deepEqual(["crec-events-in", "crec-alert", "debug"]);
    const [events, alert, debug] = drawn;
    should(events?.wires).have.property("0", [alert?.id]);
    should(alert?.wires).deepEqual([[debug?.id], [], []]);
  });

  it("sets up with one press, and reports a transfer above the threshold of the form, not one below it", async () => {
    await flow.press("Set up");
    await flow.nodeRed.status(flow.id("crec-create-watcher"), /active/);
    await flow.press("Send 30 tokens");
    const text = await flow.pressed<string>("Send 250 tokens", "alert");
    should(text).match(/^250 tokens went to 0x0000\S*0d02$/i);
    should(flow.values("alert")).have.length(1);
    should(flow.values("problem")).be.empty();
  });
});
