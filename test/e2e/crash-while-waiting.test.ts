import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import { Custodian } from "../support/custodian.ts";
import { eventually } from "../support/eventually.ts";
import { functionNode } from "../support/flow-harness.ts";
import type { FlowNode } from "../support/node-red.ts";
import { NodeRedWithChannel } from "../support/node-red-with-channel.ts";
import { channelNode, connectionNode, eventsInNode } from "../support/nodes.ts";
import { OperationHarness, RECEIVER } from "../support/operation-harness.ts";
import { submitNode, walletNode } from "../support/operation-nodes.ts";
import { describeWide } from "../support/wide.ts";

const TAB = "crash-tab";
const EVENTS = 2;
const CRASHES = 2;
/** More than the time after which a flow that only waits is not counted any more. */
const DELAY_MS = 1_000;
/** One more than rejects an event, with the default of the form. */
const KILLS = 6;

const KILL = "if (msg.crec.offset === 1) process.exit(1);";
const killer = (id: string, func: string): FlowNode => ({
  ...functionNode(id, func, []),
  ...{ z: TAB, libs: [{ var: "process", module: "process" }] },
});

/** These take their time until they end Node-RED. */
const killers: Record<string, { commit: string; nodes: FlowNode[] }> = {
  "a function that awaits": {
    commit: "on-complete",
    nodes: [killer("first", `await new Promise((resolve) => setTimeout(resolve, ${DELAY_MS})); ${KILL}`)],
  },
  "a function behind a delay": {
    commit: "on-complete",
    nodes: [
      {
        ...{
          id: "first",
          z: TAB,
          type: "delay",
          pauseType: "delay",
          timeout: "1",
          timeoutUnits: "seconds",
        },
        wires: [["killer"]],
      },
      killer("killer", KILL),
    ],
  },
  "a timer in a function, which has reported before": {
    commit: "on-ack",
    nodes: [killer("first", `setTimeout(() => { ${KILL} }, ${DELAY_MS});`)],
  },
  "a function behind a trigger, which has reported before": {
    commit: "on-ack",
    nodes: [
      {
        ...{ id: "first", z: TAB, type: "trigger", op1type: "nul", op2type: "payl", extend: false },
        ...{ op1: "", op2: "", duration: "1", units: "s", wires: [["killer"]] },
      },
      killer("killer", KILL),
    ],
  },
  "a function behind a message from elsewhere, such as an approval": {
    commit: "on-ack",
    nodes: [
      { ...functionNode("first", 'if (msg.crec.offset === 1) flow.set("crec", msg.crec);', []), z: TAB },
      {
        ...{ id: "elsewhere", z: TAB, type: "inject", props: [], repeat: "1", once: false },
        wires: [["approved"]],
      },
      { ...functionNode("approved", 'return { crec: flow.get("crec") };', ["killer"]), z: TAB },
      killer("killer", `if (msg.crec) { ${KILL} }`),
    ],
  },
};

describeWide("an event that takes its time until Node-RED ends", function () {
  this.timeout(300_000);
  let stage: NodeRedWithChannel;

  before(async () => {
    stage = await NodeRedWithChannel.prepare(EVENTS);
  });
  after(() => stage?.close());

  /** Has the reader there from the next start on, for it may end Node-RED before a deploy has ended. */
  const enable = async () => {
    const file = join(stage.userDir.path, "flows.json");
    const flows = JSON.parse(await readFile(file, "utf8")) as FlowNode[];
    await writeFile(file, JSON.stringify(flows.map(({ d, ...node }) => node)));
  };

  for (const [kind, { commit, nodes }] of Object.entries(killers)) {
    it(`is rejected: ${kind}`, async () => {
      const reader = eventsInNode({
        ...{ id: "reader", z: TAB, d: true, consumer: kind.replaceAll(/\W/g, "-"), verify: false, commit },
        ...{ crashes: String(CRASHES), start: "beginning", wires: [["first"], []] },
      });
      const { service } = stage;
      await (await stage.launch()).deploy([
        { id: TAB, type: "tab", label: "crashes" },
        connectionNode(service.ready),
        channelNode({ channel: service.channelName }),
        reader,
        ...nodes,
      ]);
      await stage.nodeRed?.stop();
      await enable();
      const isRejected = () =>
        stage.nodeRed?.log.includes(`The event at offset 1 was rejected: Node-RED ended ${CRASHES} times`);
      let starts = 0;
      for (; !isRejected(); starts += 1) {
        should(starts).be.below(CRASHES + 3);
        // It may end before it is ready.
        await stage.launch().catch(() => {});
        await eventually(
          "the end of Node-RED, or of the event",
          () => !stage.nodeRed?.running || isRejected(),
        );
      }
      await stage.nodeRed?.kill();
    });
  }
});

describeWide("an event that waits for a person while Node-RED is killed", function () {
  this.timeout(60_000);
  const settings = fileURLToPath(new URL("../nodes/custody-settings.cjs", import.meta.url));
  let harness: OperationHarness;
  let custodian: Custodian;

  before(async () => {
    harness = await OperationHarness.start({}, { settings });
    custodian = await Custodian.start(harness.key);
  });
  after(async () => {
    await custodian?.close();
    await harness?.close();
  });

  type Stored = { cursor: number; handedOut: number; starts?: unknown };
  const stored = async (consumer: string): Promise<Stored> => {
    const text = await readFile(join(harness.userDir.path, "crec-cursors", `${consumer}.json`), "utf8");
    return (JSON.parse(text) as { state: Stored }).state;
  };
  /** Once it is counted no more for an event that the flow has. */
  const untilUncounted = (consumer: string) =>
    eventually(
      `the count of ${consumer} taken back`,
      () => stored(consumer).catch(() => undefined),
      (state) => state !== undefined && state.starts === undefined,
    );

  it("comes again each time, until it is signed, or acknowledged", async () => {
    const read = (consumer: string, first: string, more: Partial<FlowNode>) =>
      eventsInNode({
        ...{ id: `read-${consumer}`, z: TAB, consumer, verify: false, start: "beginning", inFlight: "1" },
        ...{ wires: [[`${consumer}-came`, first], []], ...more },
      });
    const counts = (consumer: string): FlowNode => ({
      ...{ id: `${consumer}-came`, z: TAB, type: "debug", name: `came:${consumer}`, active: true },
      ...{ tosidebar: true, complete: "crec", targetType: "msg", wires: [] },
    });
    await harness.deploy(
      [
        [submitNode({ id: "before" }), 1],
        [submitNode({ wallet: "custody", follow: false }), 1],
      ],
      [
        { id: TAB, type: "tab", label: "waits" },
        {
          ...{ id: "elsewhere", type: "custody-signer", url: custodian.url, address: harness.owner },
          timeoutMs: 600_000,
        },
        walletNode(harness.service.ready, { id: "custody", signer: "elsewhere" }),
        read("signing", "transfer", { commit: "on-complete" }),
        counts("signing"),
        {
          ...functionNode("transfer", `return { ...msg, to: "${RECEIVER}", payload: "1" };`, ["submit"]),
          z: TAB,
        },
        read("acknowledging", "noted", { commit: "on-ack" }),
        counts("acknowledging"),
        { ...functionNode("noted", "return null;", []), z: TAB },
      ],
    );
    // What it says about itself are the events.
    await harness.ask("before", { to: RECEIVER, payload: "1" });
    const came = (consumer: string) => harness.nodeRed.shown(`came:${consumer}`).length;
    for (let kills = 0; ; kills += 1) {
      await eventually("both events in the flow", () => came("signing") > 0 && came("acknowledging") > 0);
      await custodian.askedAgain(kills + 1);
      await untilUncounted("signing");
      await untilUncounted("acknowledging");
      should(harness.nodeRed.log).not.match(/was rejected/);
      if (kills === KILLS) break;
      await harness.restart();
    }
    const { cursor } = await stored("signing");
    for (const request of custodian.requests) await custodian.approve(request);
    await eventually("the event behind it", async () => (await stored("signing")).cursor > cursor);
  });
});
