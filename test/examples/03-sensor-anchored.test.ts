import should from "should";
import { RunningExample } from "../support/example.ts";
import { Outlet } from "../support/outlet.ts";

type Acted = { celsius: number; status: string; transaction: string };

describe("the example sensor reading, anchored", function () {
  this.timeout(120_000);

  let flow: RunningExample;
  let outlet: Outlet;
  before(async () => {
    outlet = await Outlet.start();
    flow = await RunningExample.start("03-sensor-anchored", { env: { ALERT_OUTLET: outlet.url("/chat") } });
    should(await flow.pressed("Set up", "ready")).match(/^0x[0-9a-fA-F]{40}$/);
  });
  after(async () => {
    await flow?.close();
    await outlet?.close();
  });

  it("acts on a reading once it is confirmed on the chain, tells a person, also when that failed, and reads it back", async () => {
    // Acts on a reading only when it is confirmed on the chain.
    const acted = await flow.pressed<Acted>("Measure", "cold: release", { payload: 3.4 });
    should(acted).have.properties({ celsius: 3.4, status: "confirmed" });
    should(acted.transaction).match(/^0x[0-9a-f]{64}$/);
    const order = flow.nodeRed.shown().map(({ name, value }) => (name === "operation status" ? value : name));
    should(order.indexOf("confirmed_latest")).be.above(0);
    should(order.indexOf("cold: release")).be.above(order.indexOf("confirmed_latest"));
    should(order.indexOf("cold: release")).be.above(order.indexOf("confirmed"));

    // Takes the other branch when the reading is too warm.
    const warm = await flow.pressed<Acted>("Measure", "too warm: recall", { payload: 9.25 });
    should(warm).have.properties({ celsius: 9.25, status: "confirmed" });

    // Tells a person of each anchored reading, also when the outlet was down at first.
    const told = (count: number) => outlet.receiving(count, ({ answered }) => answered === 200);
    const messages = (await told(2)).map(({ body }) => JSON.parse(body));
    should(messages.map(({ title, severity }) => [title, severity])).deepEqual([
      ["Reading anchored", "info"],
      ["Too warm", "critical"],
    ]);
    should(messages[1].text).match(/^9\.25 °C, anchored in transaction 0x[0-9a-f]{64}\. Recall the goods\.$/);
    outlet.answer = 500;
    await flow.pressed<Acted>("Measure", "too warm: recall", { payload: 9.25 });
    await outlet.receiving(1, ({ answered }) => answered === 500);
    outlet.answer = 200;
    await told(3);
    await flow.nodeRed.shows(() => flow.values("told").length === 3);

    // Reads the reading back from the chain.
    const reading = await flow.pressed<{ celsius: number; alarm: boolean }>("Read back", "anchored");
    should(reading).have.properties({ celsius: 9.25, alarm: true });

    // Creates random readings without a sensor.
    await flow.press("Measure");
    await flow.nodeRed.shows(({ value }) => value === "accepted");

    should(flow.values("error")).be.empty();
  });
});
