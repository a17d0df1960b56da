import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import { EventHarness } from "../support/event-harness.ts";
import { eventually } from "../support/eventually.ts";
import { functionNode } from "../support/flow-harness.ts";
import { ALL_NODES, type FlowNode } from "../support/node-red.ts";
import { eventsInNode } from "../support/nodes.ts";
import { node, slowFlows, TAB } from "../support/slow-flows.ts";
import { sized } from "../support/variants.ts";
import { itWide } from "../support/wide.ts";

const SETTINGS = fileURLToPath(new URL("odd-nodes-settings.cjs", import.meta.url));
const EVENTS = 40;
const SLOW_MS = 300;

type Recorded = { offset: number; redelivered?: true; attempt?: number };
/** Stops nodes that work on events. */
type Stop = (flows: Flows) => Promise<void>;
/** The flows, each part with a version: a deploy restarts what has a new one. */
type Flows = (versions?: { behind?: number; reader?: number; elsewhere?: number }) => FlowNode[];

/** Counted at the last node of the flow: what a stop of nodes loses, and what it sends again. */
describe("events in, when nodes stop that work on its events", function () {
  this.timeout(120_000);
  let harness: EventHarness;
  let server: Server;
  let url: string;
  let runs = 0;

  before(async () => {
    const define = [ALL_NODES, "runtimeState.enabled=true"];
    harness = await EventHarness.start(EVENTS, { settings: SETTINGS, define });
    server = createServer((_request, response) => setTimeout(() => response.end("slow"), SLOW_MS));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  after(async () => {
    await new Promise((resolve) => server?.close(resolve));
    await harness?.close();
  });

  /** Which events came to the first and to the last node. */
  const recorded = async (name: string): Promise<Recorded[]> => {
    const text = await readFile(join(harness.userDir.path, name), "utf8").catch(() => "");
    return text.split("\n").flatMap((line) => (line ? [JSON.parse(line) as Recorded] : []));
  };
  const isThere = (name: string) => async () => (await recorded(name)).length;

  const begin = async (flow: readonly FlowNode[], mode: Partial<FlowNode>) => {
    runs += 1;
    const [first, last] = [`first-${runs}`, `last-${runs}`];
    const consumer = `stopped-${runs}`;
    const record = (id: string, name: string, to: string[] = []) =>
      node(id, "odd-records", { path: join(harness.userDir.path, name) }, to);
    const acks = mode.commit === "on-ack" ? [node("ack", "crec-ack", { action: "ack" }, [])] : [];
    let isFirst = true;
    const flows: Flows = ({ behind = 0, reader = 0, elsewhere = 0 } = {}) => [
      { id: TAB, type: "tab", label: "stopped" },
      { id: "other", type: "tab", label: "elsewhere" },
      // A node that comes with credentials counts as changed.
      ...harness.config().map(({ credentials, ...one }) => (isFirst ? { ...one, credentials } : one)),
      eventsInNode({
        ...{ id: "reader", z: TAB, x: 1, y: 1, verify: false, name: `${reader}`, consumer },
        ...{ wires: [["in", "first"], []], ...mode },
      }),
      ...flow.map((one) => (one.z === undefined ? one : { ...one, name: `version ${behind}` })),
      record("in", first),
      ...[
        record(
          "out",
          last,
          acks.map(({ id }) => id),
        ),
        ...acks,
      ],
      { ...functionNode("elsewhere", `return ${elsewhere};`, []), z: "other" },
    ];
    await harness.nodeRed.deploy(flows());
    isFirst = false;
    await eventually("events behind the flow", isThere(last), (count) => count >= 2);
    return { flows, first, last };
  };
  const complete = async (last: string) => {
    const offsets = async () => new Set((await recorded(last)).map(({ offset }) => offset)).size;
    await eventually("all events behind the flow", offsets, (count) => count === EVENTS);
  };
  const state = async (wanted: "start" | "stop") => {
    const body = JSON.stringify({ state: wanted });
    const headers = { "content-type": "application/json" };
    const answer = await harness.nodeRed.fetch("flows/state", { method: "POST", headers, body });
    should(answer.status).equal(200, await answer.text());
  };

  const stops: Record<string, Stop> = {
    "a deploy of a node behind the reader": (flows) => harness.nodeRed.deploy(flows({ behind: 1 }), "nodes"),
    "a deploy of the tab": (flows) => harness.nodeRed.deploy(flows({ behind: 2 }), "flows"),
    "a full deploy": (flows) => harness.nodeRed.deploy(flows({ behind: 2 }), "full"),
    "Stop and Start": async () => {
      await state("stop");
      await state("start");
    },
  };
  const ends: Record<string, Stop> = {
    SIGTERM: () => harness.restart(),
    "kill -9": async () => {
      await harness.nodeRed.kill();
      await harness.restart();
    },
  };
  const modes: Record<string, Partial<FlowNode>> = {
    "on send": { commit: "on-send", unfinished: "4" },
    "when the flow completes": { commit: "on-complete", inFlight: "4" },
    "by an ack event node": { commit: "on-ack", inFlight: "4" },
  };

  /** A part of them, another one for each number, and all of them with all variants. */
  const without = (every: number, number: number, all: Readonly<Record<string, Stop>>) => {
    const part = Object.entries(all).filter((_one, index) => (index + number) % every !== 0);
    return sized(Object.fromEntries(part), all);
  };

  const losesNothing = async (
    flow: readonly FlowNode[],
    mode: Partial<FlowNode>,
    all: Readonly<Record<string, Stop>>,
  ) => {
    const { flows, last } = await begin(flow, mode);
    for (const [what, stop] of Object.entries(all)) {
      const before = (await recorded(last)).length;
      const isMore = (count: number) => count > before || count >= EVENTS;
      await eventually(`more events before ${what}`, isThere(last), isMore);
      await stop(flows);
    }
    await complete(last);
    // What a stop interrupts is sent again at once, not after a time-out.
    should((await recorded(last)).filter(({ attempt }) => attempt !== undefined)).be.empty();
    should(harness.nodeRed.log).not.match(/silent-flow|No node behind/);
  };

  it("loses nothing by SIGTERM with the default, and marks what comes again", async () => {
    // It holds most of the events, however slow the machine is.
    const rate = { pauseType: "rate", rate: "10", nbRateUnits: "1", rateUnits: "second", drop: false };
    const { first, last } = await begin([node("first", "delay", rate)], {});
    await harness.restart();
    await complete(last);
    const entered = await recorded(first);
    const again = entered.filter(
      ({ offset }, index) => entered.findIndex((one) => one.offset === offset) < index,
    );
    should(again).not.be.empty();
    for (const one of again) should(one.redelivered).be.true();
  });

  for (const [number, [mode, fields]] of Object.entries(modes).entries()) {
    itWide(`loses nothing, whatever stops the flow: ${mode}`, () =>
      losesNothing(slowFlows(url, SLOW_MS).delay ?? [], fields, without(3, number, { ...stops, ...ends })),
    );

    // With an ack event node, the flow may acknowledge while nobody reads.
    if (fields.commit === "on-ack") continue;
    itWide(`sends nothing again by a deploy elsewhere, or of the reader alone: ${mode}`, async () => {
      const { flows, first, last } = await begin(slowFlows(url, SLOW_MS).delay ?? [], fields);
      const again = async (what: string) => {
        const offsets = (await recorded(first)).map(({ offset }) => offset);
        should(offsets.filter((one, index) => offsets.indexOf(one) < index)).deepEqual([], what);
      };
      await harness.nodeRed.deploy(flows({ elsewhere: 1 }), "nodes");
      await again("nodes elsewhere");
      await harness.nodeRed.deploy(flows({ elsewhere: 2 }), "flows");
      await again("another tab");
      await harness.nodeRed.deploy(flows({ elsewhere: 2, reader: 1 }), "nodes");
      await complete(last);
      await again("the reader");
      should((await recorded(last)).length).equal(EVENTS);
    });
  }

  const some = ["rate limit", "link call", "subflow", "switch by an expression"];
  const others = ["http request", "split and join", "link out and link in", "switch"];
  const kinds = sized(some, [...some, ...others]);
  for (const [number, kind] of kinds.entries())
    itWide(`loses nothing by a deploy: ${kind}`, () =>
      losesNothing(slowFlows(url, SLOW_MS)[kind] ?? [], modes["on send"] ?? {}, without(2, number, stops)),
    );
});
