import should from "should";
import { RunningExample } from "../support/example.ts";

type Acted = { celsius: number; status: string; transaction: string };

describe("the example sensor reading, anchored", function () {
  this.timeout(120_000);

  let flow: RunningExample;
  before(async () => {
    flow = await RunningExample.start("03-sensor-anchored");
    should(await flow.pressed("Set up", "ready")).match(/^0x[0-9a-fA-F]{40}$/);
  });
  after(() => flow?.close());

  it("acts on a reading only when it is confirmed on the chain", async () => {
    const acted = await flow.pressed<Acted>("Measure", "cold: release", { payload: 3.4 });
    should(acted).have.properties({ celsius: 3.4, status: "confirmed" });
    should(acted.transaction).match(/^0x[0-9a-f]{64}$/);
    const order = flow.nodeRed.shown().map(({ name, value }) => (name === "operation status" ? value : name));
    should(order.indexOf("confirmed_latest")).be.above(0);
    should(order.indexOf("cold: release")).be.above(order.indexOf("confirmed_latest"));
    should(order.indexOf("cold: release")).be.above(order.indexOf("confirmed"));
  });

  it("takes the other branch when the reading is too warm", async () => {
    const acted = await flow.pressed<Acted>("Measure", "too warm: recall", { payload: 9.25 });
    should(acted).have.properties({ celsius: 9.25, status: "confirmed" });
  });

  it("creates random readings without a sensor", async () => {
    await flow.press("Measure");
    await flow.nodeRed.shows(({ value }) => value === "accepted");
  });

  it("reads the reading back from the chain", async () => {
    const reading = await flow.pressed<{ celsius: number; alarm: boolean }>("Read back", "anchored");
    should(reading).have.properties({ celsius: 9.25, alarm: true });
  });

  it("reported no error", () => {
    should(flow.values("error")).be.empty();
  });
});
