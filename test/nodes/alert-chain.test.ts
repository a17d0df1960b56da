import { setTimeout as sleep } from "node:timers/promises";
import should from "should";
import { type AlertMessage, alertNode } from "../support/alert-harness.ts";
import { eventually } from "../support/eventually.ts";
import { harnessFlow, type Message } from "../support/flow-harness.ts";
import { type FlowNode, freshId, NODES_OF_EXAMPLES } from "../support/node-red.ts";
import { createWatcherNode, eventsInNode, TRANSFER_ABI } from "../support/nodes.ts";
import { OperationHarness } from "../support/operation-harness.ts";
import { Outlet } from "../support/outlet.ts";

const [ALERT, RESOLVED, PASSED] = ["alert:0", "alert:1", "alert:2"] as const;

/** Alerts behind events in, on a chain that can be reorganized and a service that can be away. */
describe("alert behind events in", function () {
  this.timeout(180_000);

  let harness: OperationHarness;
  before(async () => {
    harness = await OperationHarness.start({}, { define: [NODES_OF_EXAMPLES] });
    await harness.deploy([[createWatcherNode({ contract: "contract" }), 2]], [transfers()]);
    await harness.ask("watcher", {});
  });
  after(() => harness?.close());

  const transfers = (): FlowNode => {
    const token = harness.config().find(({ id }) => id === "token") as FlowNode;
    return { ...token, id: "contract", abi: TRANSFER_ABI, decimals: "18" };
  };
  const call = async (path: string, body: unknown): Promise<void> => {
    const { base_url, api_key } = harness.service.ready;
    const headers = { authorization: `Apikey ${api_key}`, "content-type": "application/json" };
    const answer = await fetch(`${base_url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    should(answer.status).equal(200);
  };
  /** To an address of its own. */
  const pay = async (amount: number, to = `0x${freshId().padStart(40, "0")}`): Promise<string> => {
    await call("/local/faucet", { to, amount: `${amount}${"0".repeat(18)}` });
    return to;
  };
  /** Node-RED takes a node that comes with credentials for a changed one, and restarts what uses it. */
  const unchanged = ({ credentials: _same, ...node }: FlowNode): FlowNode => node;
  const deploy = (
    alert: Partial<FlowNode>,
    events: Partial<FlowNode> = {},
    { more = [], type }: { more?: readonly FlowNode[]; type?: "full" | "nodes" } = {},
  ) =>
    harness.nodeRed.deploy(
      harnessFlow(
        [...(type === "nodes" ? harness.config().map(unchanged) : harness.config()), transfers(), ...more],
        [
          [
            eventsInNode({ start: "now", types: ["watcher.event"], wires: [["alert"], [], []], ...events }),
            3,
          ],
          [alertNode({ channel: "channel", ...alert }), 3],
          [{ id: "ack", type: "crec-ack", action: "ack" }, 2],
          [{ id: "retry", type: "crec-ack", action: "retry", delay: "0" }, 2],
        ],
      ),
      type,
    );
  const isTo = (to: string) => (value: unknown) => {
    const { payload } = value as { payload: { params?: { to: string }; event?: { params: { to: string } } } };
    const params = payload.params ?? payload.event?.params;
    return params?.to.toLowerCase() === to.toLowerCase();
  };
  const hasTitle = (title: string) => (value: unknown) => (value as AlertMessage).payload.title === title;
  const shown = async (name: string, accept: (value: unknown) => boolean) =>
    (await harness.nodeRed.showing(name, accept)).value as AlertMessage;

  it("takes back an alert whose block was undone, with the alert that people know", async () => {
    await deploy({ takenBack: true, confirmWithin: "1h", title: "Paid" });
    await harness.nodeRed.status("events", /connected/);
    await call("/local/speed", { blockTimeMs: 1_000 });
    try {
      // So that it is known that the watcher reports more than the lowest level.
      const stays = await pay(1);
      await shown(ALERT, isTo(stays));
      const finalized = await shown(PASSED, isTo(stays));
      should(finalized.crec?.alert).have.property("passed", "seen");
      // Only what waits for a block gets one: the payment stays in the newest.
      await call("/local/speed", { blockTimeMs: 60_000 });
      const undone = await pay(2);
      const raised = await shown(ALERT, isTo(undone));
      should(raised.payload.confidence).equal("latest");
      await call("/local/reorg", { depth: 3 });
      await pay(3);
      await call("/local/speed", { blockTimeMs: 100 });
      const { payload, topic, crec } = await shown(RESOLVED, isTo(undone));
      should(topic).equal("takenBack/warning");
      should(payload).have.properties({
        kind: "takenBack",
        id: raised.payload.id,
        title: "Taken back: Paid",
      });
      should(payload.text)
        .match(/^Taken back: .*reorganization/)
        .and.containEql(String(raised.payload.text));
      should(crec).have.only.keys("alert");
      should(harness.nodeRed.shown(RESOLVED)).have.length(1);
    } finally {
      await call("/local/speed", { blockTimeMs: 100 });
    }
  });

  it("raises one alert for a log over all of its levels, and each event is acknowledged behind it", async () => {
    await deploy(
      {
        takenBack: true,
        confirmWithin: "1h",
        wires: [["alert-look-0", "ack"], ["alert-look-1"], ["alert-look-2", "ack"]],
      },
      { commit: "on-ack", inFlight: "1" },
    );
    await harness.nodeRed.status("events", /connected/);
    const to = await pay(4);
    await shown(ALERT, isTo(to));
    await shown(PASSED, (value) => isTo(to)(value) && (value as Message).payload !== undefined);
    const alerts = harness.nodeRed.shown(ALERT).filter(({ value }) => isTo(to)(value));
    should(alerts).have.length(1);
    // With one event in flight, the second level came because the first was acknowledged.
    await harness.nodeRed.status("ack", "ack");
    const last = await pay(6);
    await shown(ALERT, isTo(last));
  });

  it("tells the end of an alert behind its alert: once its event is acknowledged, or with the alert itself", async () => {
    const large = { kind: "field", field: "params.value", is: "above", value: "100", unit: "token" };
    const consumer = freshId();
    const deployed = (name: string, type: "full" | "nodes") =>
      deploy(
        {
          ...{ name, conditions: [large], contract: "contract", recovers: true, title: "Large" },
          wires: [["alert-look-0"], ["alert-look-1"], ["alert-look-2", "ack"]],
        },
        { commit: "on-ack", inFlight: "10", consumer },
        { type },
      );
    await deployed("", "full");
    await harness.nodeRed.status("events", /connected/);
    const endsOf = (id: unknown) =>
      harness.nodeRed.shown(RESOLVED).filter(({ value }) => (value as AlertMessage).payload.id === id);
    const opened = async (amount: number) => {
      const to = await pay(amount);
      return shown(ALERT, isTo(to));
    };
    const first = await opened(200);
    await shown(PASSED, isTo(await pay(1)));
    should(endsOf(first.payload.id)).be.empty();
    await harness.nodeRed.press("press-ack", first);
    await shown(RESOLVED, (value) => (value as AlertMessage).payload.id === first.payload.id);

    const second = await opened(300);
    await shown(PASSED, isTo(await pay(2)));
    await harness.nodeRed.press("press-retry", second);
    const again = await shown(ALERT, (value) => "endedAt" in (value as AlertMessage).payload);
    should(again.payload).have.properties({ id: second.payload.id, title: "Over: Large" });
    await harness.nodeRed.press("press-ack", again);

    // Nothing repeats its end, and deploys do not drop it.
    const third = await opened(400);
    await shown(PASSED, isTo(await pay(3)));
    for (const name of ["changed", "changed again"]) {
      await deployed(name, "nodes");
      await harness.nodeRed.status("alert", ({ fill }) => fill === "green");
    }
    should(endsOf(third.payload.id)).be.empty();
    await harness.nodeRed.press("press-ack", third);
    await shown(RESOLVED, (value) => (value as AlertMessage).payload.id === third.payload.id);

    // It is told once.
    await deployed("", "nodes");
    await harness.nodeRed.status("alert", ({ fill }) => fill === "green");
    await harness.nodeRed.press("press-ack", await opened(500));
    await shown(PASSED, isTo(await pay(4)));
    should(endsOf(third.payload.id)).have.length(1);
    should(endsOf(second.payload.id)).be.empty();
  });

  describe("keeps the end of an alert behind an alert that its outlet has not accepted", () => {
    const large = { kind: "field", field: "params.value", is: "above", value: "100", unit: "token" };
    let outlet: Outlet;
    before(async () => {
      outlet = await Outlet.start();
    });
    after(() => outlet?.close());

    /** Sends what it gets to the outlet, and acknowledges what that accepts. */
    const toOutlet = (path: string): FlowNode[] => {
      const common = { z: "harness-tab", x: 1, y: 1 };
      const post = { method: "POST", ret: "txt", paytoqs: "ignore", url: outlet.url(path) };
      const rules = [{ t: "eq", v: "200", vt: "num" }];
      const check = { property: "statusCode", propertyType: "msg", rules, checkall: "true", outputs: 1 };
      return [
        { ...common, ...post, id: "outlet", type: "http request", wires: [["accepted"]] },
        { ...common, ...check, id: "accepted", type: "switch", wires: [["ack"]] },
      ];
    };

    const ways: Array<
      [how: string, commit: "on-ack" | "on-complete", change: "alert" | "events" | "all" | "kill"]
    > = [
      ["a deploy of the alert node", "on-ack", "alert"],
      ["a deploy of events in", "on-ack", "events"],
      ["a deploy of everything", "on-ack", "all"],
      ["the end of the process", "on-ack", "kill"],
      ["the end of the process while the flow works on it", "on-complete", "kill"],
    ];
    for (const [how, commit, change] of ways) {
      it(`over ${how}`, async () => {
        const path = `/${freshId()}`;
        const consumer = `consumer ${path}`;
        const deployed = (name: string, type: "full" | "nodes") =>
          deploy(
            {
              ...{ name: change === "events" ? "" : name, conditions: [large], contract: "contract" },
              ...{ recovers: true, untilAcked: true, forEach: "field", forEachField: "params.to" },
              wires: [
                ["alert-look-0", "outlet"],
                ["alert-look-1", "outlet"],
                ["alert-look-2", "ack"],
              ],
            },
            { commit, consumer, inFlight: "10", name: change === "alert" ? "" : name },
            { more: toOutlet(path), type },
          );
        const received = (to: string, kind: string) => (one: { path: string; body: string }) => {
          const payload = JSON.parse(one.body);
          return one.path === path && payload.key === to.toLowerCase() && payload.kind === kind;
        };
        const endsOf = (to: string) =>
          outlet
            .received(path)
            .filter(received(to, "recovered"))
            .map(({ answered }) => answered);
        outlet.answer = 200;
        await deployed("", "full");
        await harness.nodeRed.status("events", /connected/);
        // The end of another key, whose alert was accepted.
        const other = await pay(200);
        await outlet.receiving(1, received(other, "alert"));
        await harness.nodeRed.status("ack", "ack");
        outlet.answer = commit === "on-ack" ? 500 : undefined;
        await pay(1, other);
        await outlet.receiving(1, received(other, "recovered"));
        const to = await pay(300);
        await outlet.receiving(1, received(to, "alert"));
        await pay(1, to);
        await shown(PASSED, isTo(to));
        should(endsOf(to)).be.empty();

        outlet.answer = 200;
        if (change === "kill") await harness.restart();
        else await deployed("changed", change === "all" ? "full" : "nodes");
        if (change === "alert") {
          await outlet.receiving(2, received(other, "recovered"));
          should(endsOf(to)).be.empty();
          await harness.nodeRed.press("press-retry", await shown(ALERT, isTo(to)));
        }
        const [, again] = await outlet.receiving(2, received(to, "alert"));
        should(JSON.parse(again?.body ?? "")).have.property("endedAt");
        should(endsOf(to)).be.empty();
        if (change !== "events") {
          // Where its acknowledgement was lost with the process, the alert says it again.
          const isOver = ({ body }: { body: string }) => "endedAt" in JSON.parse(body);
          const told = [received(other, "recovered"), received(other, "alert")];
          await eventually("the end of the other key", () => {
            const [ends = [], alerts = []] = told.map((accept) => outlet.received(path).filter(accept));
            return ends.length > 1 || alerts.some(isOver);
          });
        }
        const last = await pay(400);
        await outlet.receiving(1, received(last, "alert"));
        should(endsOf(to)).be.empty();
      });
    }
  });

  describe("beside another reader of its channel whose outlet is down", () => {
    const absence = { when: "absence", absentFor: "3s", recovers: true };
    const tab = { id: "far", type: "tab", label: "far" };
    const link = (id: string, type: string, more: object) => ({ id, type, x: 1, y: 1, ...more });
    const linkOut = link("far-out", "link out", { z: "far", mode: "link", links: ["near-in"], wires: [] });
    const linkIn = link("near-in", "link in", { z: "harness-tab", links: ["far-out"], wires: [["alert"]] });
    const nearby = { id: "near", type: "junction", z: "harness-tab", x: 1, y: 1, wires: [["alert"]] };
    /** It has one event in flight, which nobody acknowledges. */
    const stuck = (...to: string[]) =>
      eventsInNode({
        ...{ id: "stuck", name: "to the broker", z: "far", x: 1, y: 1, consumer: freshId(), start: "now" },
        ...{ types: ["watcher.event"], commit: "on-ack", ackTimeout: "3600", wires: [to, [], []] },
      });
    const raised = (title: string) => shown(ALERT, hasTitle(title));
    const isBehind = ({ fill = "", text = "" }) => fill === "yellow" && /to the broker/.test(text);

    it("waits only while its events get to it, by the wires of the last deploy", async () => {
      const deployed = (title: string, isLinked: boolean, type: "full" | "nodes") =>
        deploy(
          { ...absence, name: title },
          { wires: [["near"], [], []] },
          { type, more: [tab, nearby, stuck(...(isLinked ? ["far-out"] : [])), linkOut, linkIn] },
        );
      await deployed("first", false, "full");
      await harness.nodeRed.status("events", /connected/);
      await harness.nodeRed.status("stuck", /connected/);
      await raised("first");
      const to = await pay(1);
      await shown(PASSED, isTo(to));
      await harness.nodeRed.status("stuck", ({ text = "" }) => /1/.test(text));
      await shown(RESOLVED, hasTitle("Recovered: first"));
      // Another event of the other reader is in flight now, and time passes all the same.
      await deployed("second", false, "nodes");
      await raised("second");
      await shown(PASSED, isTo(await pay(2)));
      await deployed("third", true, "nodes");
      await harness.nodeRed.status("alert", isBehind);
      should(harness.nodeRed.shown(ALERT).filter(({ value }) => hasTitle("third")(value))).be.empty();
      await deployed("third", false, "nodes");
      await raised("third");
    });

    it("waits in each instance of a subflow for itself", async () => {
      const subflow = {
        ...{ id: "heart", type: "subflow", name: "heart", in: [{ x: 1, y: 1, wires: [{ id: "inner" }] }] },
        out: [],
      };
      const use = (id: string) => ({ id, type: "subflow:heart", z: "far", x: 1, y: 1, wires: [] });
      const inner = alertNode({
        ...absence,
        id: "inner",
        z: "heart",
        channel: "channel",
        wires: [[], [], []],
      });
      await deploy(
        {},
        { wires: [["alert", "use-own"], [], []] },
        {
          more: [
            tab,
            subflow,
            inner,
            use("use-own"),
            use("use-far"),
            stuck("wait"),
            {
              ...{ id: "wait", type: "delay", z: "far", x: 1, y: 1, pauseType: "delay", timeout: "1" },
              ...{ timeoutUnits: "hours", wires: [["use-far"]] },
            },
          ],
        },
      );
      await harness.nodeRed.status("events", /connected/);
      await harness.nodeRed.status("stuck", /connected/);
      await pay(1);
      await harness.nodeRed.status("use-far-inner", isBehind);
      await harness.nodeRed.status("use-own-inner", /alerts: [1-9]/);
    });

    it("does not wait for an event of its own outlet", async () => {
      await deploy(
        { ...absence, name: "own", wires: [["alert-look-0"], ["alert-look-1"], ["alert-look-2"]] },
        { commit: "on-ack", confidence: "highest", ackTimeout: "3600" },
      );
      await harness.nodeRed.status("events", /connected/);
      await raised("own");
      await shown(PASSED, isTo(await pay(1)));
      await shown(RESOLVED, hasTitle("Recovered: own"));
      const owns = () => harness.nodeRed.shown(ALERT).filter(({ value }) => hasTitle("own")(value));
      await eventually("the absence after it", () => owns().length > 1);
    });
  });

  it("notices that events are absent, but not while the service or events in is away", async () => {
    const forMs = 3_000;
    await deploy({ when: "absence", absentFor: `${forMs / 1000}s`, recovers: true, name: "heartbeat" });
    await harness.nodeRed.status("events", /connected/);
    const heartbeats = () =>
      harness.nodeRed
        .shown(ALERT)
        .filter(({ value }) => (value as AlertMessage).payload.title === "heartbeat");
    await harness.proxy.goDown();
    await harness.nodeRed.status("events", /retry|again/i);
    // Only time can show that nothing is concluded from it.
    await sleep(3 * forMs);
    should(heartbeats()).be.empty();
    await harness.nodeRed.press("press-events", { topic: "pause" });
    await harness.nodeRed.status("events", "paused");
    await harness.proxy.comeBack();
    await sleep(2 * forMs);
    should(heartbeats()).be.empty();
    await harness.nodeRed.press("press-events", { topic: "resume" });
    const raised = await shown(ALERT, hasTitle("heartbeat"));
    should(raised.payload).have.properties({ kind: "alert", count: 0, text: `Nothing for 3s` });
    const to = await pay(5);
    await shown(RESOLVED, hasTitle("Recovered: heartbeat"));
    await shown(PASSED, isTo(to));
  });
});
