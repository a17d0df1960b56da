import should from "should";
import { alertNode } from "../support/alert-harness.ts";
import { EventHarness } from "../support/event-harness.ts";
import { harnessFlow } from "../support/flow-harness.ts";
import { type FlowNode, NodeRed } from "../support/node-red.ts";
import { contractNode, createWatcherNode, eventsInNode } from "../support/nodes.ts";
import type { Passing } from "../support/proxy.ts";

const STOPPED = { fill: "grey", shape: "ring", code: "stopped" };
const CONNECTED = "connected";
const WATCHING = "watching";
const TOKEN = "a-token-that-is-long-enough";

describe("the status of a node whose flow is stopped", function () {
  this.timeout(120_000);
  let harness: EventHarness;
  let nodeRed: NodeRed;

  before(async () => {
    const define = ["runtimeState.enabled=true", `crec.monitoring.token=${TOKEN}`];
    harness = await EventHarness.start(2, { define });
    nodeRed = harness.nodeRed;
  });
  after(() => harness?.close());

  const state = async (wanted: "start" | "stop") => {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ state: wanted });
    const answer = await nodeRed.fetch("flows/state", { method: "POST", headers, body });
    should(answer.status).equal(200, await answer.text());
  };
  /** A node that has them in each test has ids of its own, so that each status is of that test. */
  const nodes = (test: string) => ({
    reader: eventsInNode({ id: `${test}-reader`, consumer: test }),
    alert: alertNode({ id: `${test}-alert`, name: "large transfers" }),
  });
  const flow = (config: readonly FlowNode[], ...used: ReadonlyArray<[FlowNode, number]>) =>
    harnessFlow([...harness.config(), ...config], used);
  const deploy = (...used: ReadonlyArray<[FlowNode, number]>) => nodeRed.deploy(flow([], ...used));
  const texts = (id: string) => nodeRed.statuses(id).map(({ code }) => code);
  /** What an editor is told that opens now. */
  const retained = async (id: string): Promise<string | undefined> => {
    const socket = new WebSocket(`${nodeRed.url.replace("http", "ws")}comms`);
    await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }));
    // What is sent last is answered last.
    socket.send(JSON.stringify({ subscribe: "status/#" }));
    socket.send(JSON.stringify({ subscribe: "notification/runtime-state" }));
    const seen: Array<{ topic: string; data: { text?: string } }> = [];
    await new Promise<void>((resolve) =>
      socket.addEventListener("message", ({ data }) => {
        seen.push(...JSON.parse(String(data)));
        if (seen.some(({ topic }) => topic === "notification/runtime-state")) resolve();
      }),
    );
    socket.close();
    return seen.find(({ topic }) => topic === `status/${id}`)?.data.text;
  };

  it("is a grey ring until the flows run again", async () => {
    const { reader, alert } = nodes("stop");
    const { ready } = harness.service;
    const wait = createWatcherNode({ id: "stop-wait", watcherName: "stops", timeout: "60" });
    harness.proxy.harm = ({ method, path }: Passing) =>
      method === "GET" && path.includes("/watchers/") ? { kind: "stall" } : undefined;
    await nodeRed.deploy(flow([contractNode(ready)], [reader, 2], [alert, 3], [wait, 2]));
    await nodeRed.status(reader.id, CONNECTED);
    await nodeRed.status(alert.id, WATCHING);
    await nodeRed.press("press-stop-wait");
    await nodeRed.showing("stop-wait:1");
    await state("stop");
    for (const { id } of [reader, alert]) should(await nodeRed.status(id, STOPPED.code)).match(STOPPED);
    const interrupted = "interrupted";
    should(await nodeRed.status(wait.id, interrupted)).match({ ...STOPPED, code: interrupted });
    should(await retained(reader.id)).equal("stopped");

    harness.proxy.harm = () => undefined;
    await state("start");
    await nodeRed.status(reader.id, CONNECTED);
    await nodeRed.status(alert.id, WATCHING);
    await nodeRed.status(wait.id, "active");
  });

  it("says what is missing where a deploy starts a node again that cannot work", async () => {
    const { alert } = nodes("unset");
    await deploy([alert, 3]);
    await nodeRed.status(alert.id, WATCHING);
    const within = "$" + "{CREC_WINDOW_THAT_IS_NOT_SET}";
    await deploy([{ ...alert, within }, 3]);
    await nodeRed.status(alert.id, /CREC_WINDOW_THAT_IS_NOT_SET/);
    should(texts(alert.id)).containEql(STOPPED.code);
  });

  for (const type of ["full", "flows", "nodes"] as const)
    it(`does not stay after a deploy: ${type}`, async () => {
      const { reader, alert } = nodes(type);
      await deploy([reader, 2], [alert, 3]);
      await nodeRed.status(alert.id, WATCHING);
      await nodeRed.status(reader.id, CONNECTED);
      const changed: Array<[FlowNode, number]> = [
        [{ ...reader, name: "changed" }, 2],
        [{ ...alert, name: "changed" }, 3],
      ];
      await nodeRed.deploy(flow([], ...changed), type);
      await nodeRed.status(alert.id, WATCHING);
      await nodeRed.status(reader.id, CONNECTED);
      should(texts(alert.id)).deepEqual([WATCHING, STOPPED.code, WATCHING]);
    });

  it("is not set where the node is removed or disabled, or its tab is", async () => {
    const { reader, alert } = nodes("gone");
    const both: ReadonlyArray<[FlowNode, number]> = [
      [reader, 2],
      [alert, 3],
    ];
    const run = async () => {
      await deploy(...both);
      await nodeRed.status(reader.id, CONNECTED);
      await nodeRed.status(alert.id, WATCHING);
    };
    const ends: Record<string, FlowNode[]> = {
      removed: flow([]),
      disabled: flow([], ...both.map(([node, ports]): [FlowNode, number] => [{ ...node, d: true }, ports])),
      "on a disabled tab": flow([], ...both).map((node) =>
        node.type === "tab" ? { ...node, disabled: true } : node,
      ),
    };
    for (const [what, flows] of Object.entries(ends)) {
      await run();
      await nodeRed.deploy(flows);
      for (const { id } of [reader, alert]) {
        should(texts(id).includes(STOPPED.code)).equal(false, `${id} ${what}`);
        should(await retained(id)).equal(undefined, `${id} ${what}`);
      }
    }
  });

  it("is not set in safe mode, and health says that the flows are stopped", async () => {
    const { reader } = nodes("safe");
    await deploy([reader, 2]);
    await nodeRed.status(reader.id, CONNECTED);
    await nodeRed.stop();
    const define = ["safeMode=true", `crec.monitoring.token=${TOKEN}`];
    nodeRed = await NodeRed.start(harness.userDir, {}, { define });
    harness.nodeRed = nodeRed;
    should(await retained(reader.id)).equal(undefined);
    const headers = { authorization: `Bearer ${TOKEN}` };
    const health = (await (await nodeRed.fetch("crec/health", { headers })).json()) as {
      reasons: Array<{ code: string; message: string }>;
    };
    const [reason] = health.reasons;
    should(reason?.code).equal("flows_not_running");
    should(reason?.message).startWith("The flows are stopped");
  });
});
