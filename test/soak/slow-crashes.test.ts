import should from "should";
import { CRASH_TAB, deployCrashing, KILL, killer } from "../support/crashing-flow.ts";
import { eventually } from "../support/eventually.ts";
import type { FlowNode } from "../support/node-red.ts";
import { NodeRedWithChannel } from "../support/node-red-with-channel.ts";

const EVENTS = 2;
const CRASHES = 2;
const DELAY_S = 30;
const AWAIT_S = 60;
/** What Node-RED takes to start, and more. */
const SLACK_MS = 60_000;

const delay: FlowNode = {
  ...{ id: "first", z: CRASH_TAB, type: "delay", pauseType: "delay" },
  ...{ timeout: String(DELAY_S), timeoutUnits: "seconds", wires: [["killer"]] },
};

/** These end Node-RED long after each count of crashes has settled: `crash-while-waiting` does so after a second. */
const killers: Record<string, { name: string; commit: string; lastsS: number; nodes: FlowNode[] }> = {
  "a function behind a delay of 30 s": {
    ...{ name: "delay", commit: "on-complete", lastsS: DELAY_S, nodes: [delay, killer("killer", KILL)] },
  },
  "a function whose timer fires after 30 s, and which has reported before": {
    ...{ name: "timer", commit: "on-ack", lastsS: DELAY_S },
    nodes: [killer("first", `setTimeout(() => { ${KILL} }, ${DELAY_S * 1000});`)],
  },
  "a function that awaits for a minute": {
    ...{ name: "await", commit: "on-complete", lastsS: AWAIT_S },
    nodes: [
      killer("first", `await new Promise((resolve) => setTimeout(resolve, ${AWAIT_S * 1000})); ${KILL}`),
    ],
  },
};

describe("an event that makes a node end Node-RED much later", function () {
  this.timeout(15 * 60_000);
  let stage: NodeRedWithChannel;

  before(async () => {
    stage = await NodeRedWithChannel.prepare(EVENTS);
  });
  afterEach(() => stage?.nodeRed?.kill());
  after(() => stage?.close());

  for (const [kind, { name, commit, lastsS, nodes }] of Object.entries(killers)) {
    it(`is rejected after ${CRASHES} crashes: ${kind}`, async () => {
      await deployCrashing(stage, { consumer: name, commit, crashes: CRASHES }, nodes);
      const isRejected = () =>
        stage.nodeRed?.log.includes(`The event at offset 1 was rejected: Node-RED ended ${CRASHES} times`);
      let starts = 0;
      for (; !isRejected(); starts += 1) {
        should(starts).be.below(CRASHES + 3);
        await stage.launch();
        await eventually(
          "the end of Node-RED, or of the event",
          () => !stage.nodeRed?.running || isRejected(),
          { withinMs: 2 * lastsS * 1000 + SLACK_MS, pauseMs: 500 },
        );
      }
    });
  }
});
