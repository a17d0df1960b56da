import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import { CRASH_TAB, deployCrashing, KILL, killer } from "../support/crashing-flow.ts";
import { Custodian } from "../support/custodian.ts";
import { eventually } from "../support/eventually.ts";
import { functionNode } from "../support/flow-harness.ts";
import type { FlowNode } from "../support/node-red.ts";
import { NodeRedWithChannel } from "../support/node-red-with-channel.ts";
import { eventsInNode } from "../support/nodes.ts";
import { OperationHarness, RECEIVER } from "../support/operation-harness.ts";
import { submitNode, walletNode } from "../support/operation-nodes.ts";
import { describeWide } from "../support/wide.ts";

const EVENTS = 2;
const CRASHES = 2;
/** More than the time after which a flow that only waits is not counted any more. */
const DELAY_MS = 1_000;
/** One more than rejects an event, with the default of the form. */
const KILLS = 6;

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
          z: CRASH_TAB,
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
        ...{ id: "first", z: CRASH_TAB, type: "trigger", op1type: "nul", op2type: "payl", extend: false },
        ...{ op1: "", op2: "", duration: "1", units: "s", wires: [["killer"]] },
      },
      killer("killer", KILL),
    ],
  },
  "a function behind a message from elsewhere, such as an approval": {
    commit: "on-ack",
    nodes: [
      {
        ...functionNode("first", 'if (msg.crec.offset === 1) flow.set("crec", msg.crec);', []),
        z: CRASH_TAB,
      },
      {
        ...{ id: "elsewhere", z: CRASH_TAB, type: "inject", props: [], repeat: "1", once: false },
        wires: [["approved"]],
      },
      { ...functionNode("approved", 'return { crec: flow.get("crec") };', ["killer"]), z: CRASH_TAB },
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

  for (const [kind, { commit, nodes }] of Object.entries(killers)) {
    it(`is rejected: ${kind}`, async () => {
      await deployCrashing(stage, { consumer: kind.replaceAll(/\W/g, "-"), commit, crashes: CRASHES }, nodes);
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
        ...{
          id: `read-${consumer}`,
          z: CRASH_TAB,
          consumer,
          verify: false,
          start: "beginning",
          inFlight: "1",
        },
        ...{ wires: [[`${consumer}-came`, first], []], ...more },
      });
    const counts = (consumer: string): FlowNode => ({
      ...{ id: `${consumer}-came`, z: CRASH_TAB, type: "debug", name: `came:${consumer}`, active: true },
      ...{ tosidebar: true, complete: "crec", targetType: "msg", wires: [] },
    });
    await harness.deploy(
      [
        [submitNode({ id: "before" }), 1],
        [submitNode({ wallet: "custody", follow: false }), 1],
      ],
      [
        { id: CRASH_TAB, type: "tab", label: "waits" },
        {
          ...{ id: "elsewhere", type: "custody-signer", url: custodian.url, address: harness.owner },
          timeoutMs: 600_000,
        },
        walletNode(harness.service.ready, { id: "custody", signer: "elsewhere" }),
        read("signing", "transfer", { commit: "on-complete" }),
        counts("signing"),
        {
          ...functionNode("transfer", `return { ...msg, to: "${RECEIVER}", payload: "1" };`, ["submit"]),
          z: CRASH_TAB,
        },
        read("acknowledging", "noted", { commit: "on-ack" }),
        counts("acknowledging"),
        { ...functionNode("noted", "return null;", []), z: CRASH_TAB },
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
