import { createHmac } from "node:crypto";
import should from "should";
import { type Borrowed, borrowNodeRed } from "../support/borrowed-node-red.ts";
import { environmentNode } from "../support/example.ts";
import { example, type FlowNode, freshId, type NodeRed } from "../support/node-red.ts";
import { Outlet } from "../support/outlet.ts";

const ALERT = {
  kind: "alert",
  id: "a-1",
  title: "Large transfer",
  text: "250 tokens <went> to 0x…d02",
  severity: "warning",
};
const SUBFLOW = "c9e3a1f27b6d4058";
const RESULTS = ["accepted", "failed", "handed over"];

type Left = { payload: unknown; topic: string; crec: unknown; outbox: string; error?: { message: string } };

/** The subflow of the examples alone, with a button before it and a debug node behind each output. */
describe("the subflow notify", function () {
  this.timeout(120_000);

  let outlet: Outlet;
  let second: Outlet;
  let borrowed: Borrowed;
  let nodeRed: NodeRed;
  const button = freshId();

  before(async () => {
    [outlet, second, borrowed] = await Promise.all([Outlet.start(), Outlet.start(), borrowNodeRed()]);
    nodeRed = borrowed.nodeRed;
  });
  after(async () => {
    await borrowed?.giveBack();
    await Promise.all([outlet?.close(), second?.close()]);
  });

  afterEach(() => {
    outlet.answer = 200;
    second.answer = 200;
  });

  /** Deploys it with these properties, beside other nodes of the same tab. */
  async function deploy(
    properties: Record<string, string>,
    others: (tab: string) => FlowNode[] = () => [],
    type = "str",
  ) {
    const [tab, notify, ...debugs] = [freshId(), freshId(), freshId(), freshId(), freshId()];
    const nodes = (await example("02-large-transfer-alert"))
      .filter(({ type, z }) => type === "subflow" || z === SUBFLOW)
      // Twenty seconds are too long for a test.
      .map((node) => (node.type === "link call" ? { ...node, timeout: "1" } : node));
    await nodeRed.deploy([
      environmentNode({ ALERT_SECOND_OUTLET: second.url("/person") }),
      { id: tab, type: "tab", label: "outbox" },
      ...nodes,
      { id: button, type: "inject", z: tab, props: [], wires: [[notify]] },
      {
        id: notify,
        type: `subflow:${SUBFLOW}`,
        z: tab,
        // A subflow without a place in the drawing is not run.
        ...{ x: 0, y: 0 },
        env: Object.entries(properties).map(([name, value]) => ({ name, value, type })),
        wires: debugs.map((id) => [id]),
      },
      ...debugs.map((id, index) => ({
        ...{ id, type: "debug", z: tab, name: RESULTS[index] ?? "", active: true, tosidebar: true },
        ...{ complete: "true", targetType: "full" },
      })),
      ...others(tab),
    ]);
  }

  /** Sends the alert, and waits for what leaves the subflow. */
  async function send(message: Record<string, unknown> = {}): Promise<Left> {
    const before = nodeRed.shown().filter(({ name }) => RESULTS.includes(name)).length;
    await nodeRed.press(button, { payload: ALERT, topic: "kept", crec: { eventId: "e-1" }, ...message });
    const shown = await nodeRed.shows(
      ({ name }) =>
        RESULTS.includes(name) &&
        nodeRed.shown().filter(({ name }) => RESULTS.includes(name)).length > before,
    );
    const { name, value } =
      nodeRed
        .shown()
        .filter(({ name }) => RESULTS.includes(name))
        .at(-1) ?? shown;
    should((value as Left).outbox).equal(name);
    return value as Left;
  }

  it("posts the alert to a URL, and lets the message leave as it came", async () => {
    await deploy({ OUTLET: outlet.url("/hook") });
    const left = await send();
    should(left).have.properties({
      outbox: "accepted",
      payload: ALERT,
      topic: "kept",
      crec: { eventId: "e-1" },
    });
    // Nothing of the request stays: a URL can be a secret.
    should(JSON.stringify(left)).not.containEql(outlet.url());
    const [received] = await outlet.receiving(1, ({ path }) => path === "/hook");
    should(JSON.parse(received?.body ?? "")).deepEqual(ALERT);
    should(received?.headers).have.properties({
      "content-type": "application/json",
      "webhook-id": "alert:a-1",
    });
    should(received?.headers).not.have.property("webhook-signature");
  });

  for (const [secret, key] of [
    ["plain text", "plain text"],
    [`whsec_${Buffer.from("a key of bytes").toString("base64")}`, "a key of bytes"],
  ] as const) {
    it(`signs what it posts with the secret ${secret.slice(0, 6)}…`, async () => {
      const path = `/signed-${key.length}`;
      await deploy({ OUTLET: outlet.url(path), SECRET: secret });
      should(await send()).have.property("outbox", "accepted");
      const [received] = await outlet.receiving(1, (one) => one.path === path);
      const {
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        "webhook-signature": signature,
      } = received?.headers ?? {};
      should(Math.abs(Date.now() / 1000 - Number(timestamp))).be.below(60);
      const signed = createHmac("sha256", key)
        .update(`${id}.${timestamp}.${received?.body}`)
        .digest("base64");
      should(signature).equal(`v1,${signed}`);
    });
  }

  it("tells of an answer that is an error, of a connection that is cut, and of an address that is wrong", async () => {
    await deploy({ OUTLET: outlet.url("/down") });
    for (const answer of [500, 404, 0]) {
      outlet.answer = answer;
      const left = await send();
      should(left).have.properties({ outbox: "failed", payload: ALERT, crec: { eventId: "e-1" } });
      should(left.error?.message).be.a.String().and.not.containEql(outlet.url());
    }
    outlet.answer = 200;
    await deploy({ OUTLET: "no such link in" });
    should(await send()).have.property("outbox", "failed");
  });

  it("hands a message over to the second outlet after the last attempt, tries while that fails, and never the first again", async () => {
    await deploy({ OUTLET: outlet.url("/poison"), ATTEMPTS: "3" });
    outlet.answer = 500;
    for (const attempt of [1, 2, 3]) {
      should(await send({ crec: { eventId: "e-1", attempt } })).have.property("outbox", "failed");
    }
    should(await send({ crec: { eventId: "e-1", attempt: 4 } })).have.property("outbox", "handed over");
    outlet.answer = 200;
    should(outlet.received("/poison")).have.length(3);
    const [received] = second.received("/person");
    should(JSON.parse(received?.body ?? "")).deepEqual(ALERT);
    // It fails, too.
    second.answer = 503;
    should(await send({ crec: { eventId: "e-1", attempt: 5 } })).have.property("outbox", "failed");
    second.answer = 200;
    should(await send({ crec: { eventId: "e-1", attempt: 6 } })).have.property("outbox", "handed over");
    should(outlet.received("/poison")).have.length(3);
  });

  it("tries again itself where nothing else sends the message again", async () => {
    await deploy({ OUTLET: outlet.url("/again") });
    outlet.answer = 500;
    const sent = send({ crec: { note: "kept" } });
    await outlet.receiving(2, ({ path }) => path === "/again");
    outlet.answer = 200;
    should(await sent).have.properties({ outbox: "accepted", payload: ALERT, topic: "kept" });
    should((await sent).crec).have.properties({ note: "kept", attempt: 3 });
    should(outlet.received("/again").map(({ answered }) => answered)).deepEqual([500, 500, 200]);
  });

  it("sends the end of an alert behind the alert that it keeps, and other alerts at once", async () => {
    await deploy({ OUTLET: outlet.url("/order") });
    outlet.answer = 500;
    const press = (key: string, kind: string) =>
      nodeRed.press(button, { payload: { kind, id: key }, crec: { alert: { rule: "r", key, kind } } });
    await press("a", "alert");
    await outlet.receiving(1, ({ path }) => path === "/order");
    outlet.answer = 200;
    for (const [key, kind] of [
      ["a", "recovered"],
      ["a", "next"],
      ["b", "alert"],
    ] as const)
      await press(key, kind);
    await outlet.receiving(5, ({ path }) => path === "/order");
    const accepted = outlet.received("/order").filter(({ answered }) => answered === 200);
    const said = accepted.map(({ body }) => JSON.parse(body)).map(({ id, kind }) => `${id} ${kind}`);
    should(said).deepEqual(["b alert", "a alert", "a recovered", "a next"]);
  });

  it("hands over what it tried too often itself", async () => {
    await deploy({ OUTLET: outlet.url("/twice"), ATTEMPTS: "2" });
    outlet.answer = 500;
    const left = await send({ crec: {} });
    should(left).have.property("outbox", "handed over");
    // Why the first outlet did not accept it.
    should(left.error?.message).containEql("HTTP status 500");
    outlet.answer = 200;
    should(outlet.received("/twice")).have.length(2);
  });

  it("shows the alert in the sidebar where no outlet is set", async () => {
    await deploy({ OUTLET: "ALERT_OUTLET", SECRET: "ALERT_SECRET" }, undefined, "env");
    should(await send()).have.property("outbox", "accepted");
    should(nodeRed.shown("no outlet is set").map(({ value }) => value)).deepEqual([ALERT.text]);
    should(nodeRed.log).containEql(ALERT.text);
  });

  describe("with a link in node as the outlet", () => {
    const outletOf = (code: string) => (tab: string) => {
      const [linkIn, work, back, errors] = [freshId(), freshId(), freshId(), freshId()];
      return [
        { id: linkIn, type: "link in", z: tab, name: "my outlet", links: [], wires: [[work]] },
        { id: work, type: "function", z: tab, name: "", func: code, outputs: 1, libs: [], wires: [[back]] },
        { id: errors, type: "catch", z: tab, name: "", scope: [work], uncaught: false, wires: [[back]] },
        { id: back, type: "link out", z: tab, name: "", mode: "return", links: [] },
      ];
    };

    it("is accepted when that answers", async () => {
      await deploy({ OUTLET: "my outlet" }, outletOf("msg.payload = msg.payload.text; return msg;"));
      should(await send()).have.properties({ outbox: "accepted", payload: ALERT });
    });

    it("has failed when that answers with an error", async () => {
      await deploy({ OUTLET: "my outlet" }, outletOf('throw new Error("nobody is there");'));
      const left = await send();
      should(left).have.properties({ outbox: "failed", payload: ALERT });
      should(left.error?.message).containEql("nobody is there");
    });

    it("has failed when that does not answer in time", async () => {
      await deploy({ OUTLET: "my outlet" }, outletOf("return null;"));
      should(await send()).have.property("outbox", "failed");
    });
  });
});
