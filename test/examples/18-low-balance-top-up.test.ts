import should from "should";
import { RunningExample } from "../support/example.ts";
import type { FlowNode } from "../support/node-red.ts";
import { Outlet } from "../support/outlet.ts";

type Told = { title: string; text: string; severity: string };
type Operations = { data: Array<{ status: string }> };

describe("the example low balance, topped up", function () {
  this.timeout(180_000);

  let flow: RunningExample;
  let outlet: Outlet;
  const told = () => outlet.received().map(({ body }) => JSON.parse(body) as Told);
  const telling = async (accept: (message: Told) => boolean) => {
    const [found] = await outlet.receiving(1, ({ body }) => accept(JSON.parse(body) as Told));
    return JSON.parse(found?.body ?? "") as Told;
  };
  const operations = async () =>
    (await flow.call<Operations>("GET", `/channels/${await flow.channelId()}/operations?limit=100`)).data;

  before(async () => {
    outlet = await Outlet.start();
    flow = await RunningExample.start("18-low-balance-top-up", {
      alone: true,
      env: { ALERT_OUTLET: outlet.url("/chat") },
      // Quiet for long enough that the balance rises before: a busy machine takes seconds for a transfer.
      change: (flows) => flows.map((node) => withLow(faster(node, "1m"), "5")),
    });
    should(await flow.pressed("Set up", "ready")).match(/^0x[0-9a-fA-F]{40}$/);
  });
  after(async () => {
    await flow?.close();
    await outlet?.close();
  });

  it("tops up a low balance up to the cap of a day, also after a crash, and tells a person, again if that failed", async () => {
    // Tops up a low balance, and tells a person.
    await flow.press("Start");
    const message = await telling(({ title }) => title === "Topped up");
    should(message).have.properties({ severity: "info" });
    should(message.text).containEql("Sent 10 tokens, number 1 of 3 today.");
    should(message.text).startWith("0x0000");
    await flow.nodeRed.showing("balance", (value) => value === "10");

    // Tells when the balance is above the limit again, and stops topping up.
    const recovered = await telling(({ title }) => /recovered/i.test(title));
    should(recovered.title).containEql("Low balance");
    await flow.next("balance");
    should(await operations()).have.length(1);

    // Never sends more than the cap of a day, also when it has forgotten what it sent.
    // A limit that no top-up reaches: each read is low. What the alert node remembers is of the old limit.
    await flow.press("Stop");
    await flow.deploy(flow.flows.map((node) => withLow(faster(node, "1s"), "1000")));
    await flow.press("Start");
    const last = await telling(({ title }) => title === "Low balance, and no top-up left today");
    should(last).have.property("severity", "critical");
    // The last one may still be under way when the next read finds no number left.
    await outlet.receiving(3, ({ body }) => (JSON.parse(body) as Told).title === "Topped up");
    should(await operations()).have.length(3);
    await flow.restart();
    await flow.nodeRed.status(flow.id("crec-alert"), ({ text }) => Boolean(text));
    const before = outlet.received().length;
    await flow.press("Start");
    await outlet.receiving(before + 1);
    should(await operations()).have.length(3);
    should(told().filter(({ title }) => title === "Topped up")).have.length(3);

    // Tells again what the outlet did not accept.
    outlet.answer = 503;
    await outlet.receiving(1, ({ answered }) => answered === 503);
    outlet.answer = 200;
    await flow.next("told");

    should(flow.values("error")).be.empty();
  });
});

/** A minute, and ten, are too long for a test. */
function faster(node: FlowNode, quiet: string): FlowNode {
  if (node.duration === "-60") return { ...node, duration: "-1" };
  return node.type === "crec-alert" ? { ...node, quiet } : node;
}

function withLow(node: FlowNode, value: string): FlowNode {
  if (node.type !== "tab") return node;
  const env = (node.env as Array<{ name: string }>).map((one) =>
    one.name === "LOW" ? { ...one, value } : one,
  );
  return { ...node, env };
}
