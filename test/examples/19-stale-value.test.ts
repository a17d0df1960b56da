import should from "should";
import { RunningExample } from "../support/example.ts";
import type { FlowNode } from "../support/node-red.ts";
import { Outlet } from "../support/outlet.ts";

type Told = { kind: string; title: string; text: string; severity: string; id: string };

describe("the example of a value that is stale", function () {
  this.timeout(180_000);

  let flow: RunningExample;
  let outlet: Outlet;
  const telling = async (accept: (message: Told) => boolean) => {
    const [found] = await outlet.receiving(1, ({ body }) => accept(JSON.parse(body) as Told));
    return JSON.parse(found?.body ?? "") as Told;
  };

  before(async () => {
    outlet = await Outlet.start();
    flow = await RunningExample.start("19-stale-value", {
      env: { ALERT_OUTLET: outlet.url("/chat") },
      change: (flows) => flows.map(faster),
    });
    should(await flow.pressed("Set up", "ready")).match(/^0x[0-9a-fA-F]{40}$/);
  });
  after(async () => {
    await flow?.close();
    await outlet?.close();
  });

  it("tells once of a stale value and of its end, and when nothing is known about it, until it is stopped", async () => {
    // Tells a person of a value that is too old, once.
    await flow.press("Start");
    const message = await telling(({ kind }) => kind === "alert");
    should(message).have.properties({ title: "A value is stale", severity: "warning" });
    // Its time is 0: nobody wants to read that it is 1,800,000,000 seconds old.
    should(message.text).equal("The cold store has not reported any reading yet");
    await flow.next("age");
    await flow.next("age");
    should(outlet.received()).have.length(1);

    // Tells when there is a new value.
    const fresh = flow.next<string>("age", (age) => Number(age) < 300);
    should(await flow.pressed("Report a reading", "reported")).equal("confirmed_latest");
    await fresh;
    const { id } = await telling(({ kind }) => kind === "alert");
    should(await telling(({ kind }) => kind === "recovered")).have.property("id", id);

    // Tells when the read fails three times, which says nothing about the value.
    await flow.call("POST", "/local/faults", {
      match: { method: "POST", path: "/queries" },
      action: "status",
      status: 400,
      times: 3,
    });
    const unknown = await telling(({ title }) => title === "Nothing is known about a value");
    should(unknown).have.property("severity", "critical");
    should(unknown.text).startWith("Three reads failed: ");
    should(outlet.received()).have.length(3);

    // Stops.
    await flow.press("Stop");
    await flow.nodeRed.status(flow.id("trigger"), ({ text }) => !text);
    should(flow.values("error")).be.empty();
  });
});

/** A minute is too long for a test. */
function faster(node: FlowNode): FlowNode {
  return node.duration === "-60" ? { ...node, duration: "-1" } : node;
}
