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
import { differentIn, type Recorded, recordedIn } from "../support/recorded-events.ts";
import { asOwnFlow, node, slow, slowFlows, TAB } from "../support/slow-flows.ts";

const SETTINGS = fileURLToPath(new URL("odd-nodes-settings.cjs", import.meta.url));
const EVENTS = 50;
const SLOW_MS = 300;
const IN_FLIGHT = "5";
/** The event that stops Node-RED on its way to the first node. */
const STOPS_AT = 3;

/** What stands between a reader and its last node, by what a person would call it. */
type Kinds = Readonly<Record<string, FlowNode[]>>;
/** What a flow with a reader of its own has in common with those beside it. */
type Group = {
  mode: Partial<FlowNode>;
  kinds: Kinds;
  promise: "comes in time" | "comes" | "is not promised";
};
/** A flow with a reader of its own; the files have which events came to its first and to its last node. */
type Case = Pick<Group, "mode" | "promise"> & {
  name: string;
  nodes: FlowNode[];
  first: string;
  last: string;
};
/** All of them, each part with a version: a deploy restarts what has a new one. */
type Flows = (versions?: { behind?: number; reader?: number; elsewhere?: number }) => FlowNode[];
/** Stops nodes that work on events. */
type Stop = (flows: Flows) => Promise<void>;

const later = (func: string) =>
  functionNode("first", `setTimeout(() => { ${func} }, ${SLOW_MS}); return;`, ["out"]);

const joining = (id: string, to?: string[]) =>
  node(
    id,
    "join",
    {
      ...{ mode: "custom", count: IN_FLIGHT, timeout: "1", build: "array", property: "crec.offset" },
      ...{ propertyType: "msg", joiner: "", joinerType: "str" },
    },
    to,
  );
/** Of several events. */
const joins: Kinds = {
  "join behind what takes its time": [slow("first", SLOW_MS, ["joins"]), joining("joins")],
  "join before what takes its time": [joining("first", ["slow"]), slow("slow", SLOW_MS)],
};
/** These say that they are done before they are. */
const early: Kinds = {
  trigger: [
    node("first", "trigger", {
      ...{ op1: "", op1type: "nul", op2: "", op2type: "payl", duration: String(SLOW_MS), units: "ms" },
      ...{ extend: false, bytopic: "topic", topic: "crec.offset", outputs: 1 },
    }),
  ],
  "function that sends later": [later("node.send(msg);")],
  "node that never says when it is done": [node("first", "odd-silent")],
};

const ON_SEND = { commit: "on-send", unfinished: IN_FLIGHT };
const ON_COMPLETE = { commit: "on-complete", inFlight: IN_FLIGHT };
const ON_ACK = { commit: "on-ack", inFlight: IN_FLIGHT };

/** Counted at the last node of each flow, with all kinds of nodes that may hold an event, in each mode. */
describe("events in, when nodes of every kind stop that work on its events", function () {
  this.timeout(120_000);
  let harness: EventHarness;
  let server: Server;
  let cases: Case[];
  let runs = 0;

  before(async () => {
    const define = [ALL_NODES, "runtimeState.enabled=true"];
    harness = await EventHarness.start(EVENTS, { settings: SETTINGS, define });
    server = createServer((_request, response) => setTimeout(() => response.end("slow"), SLOW_MS));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  after(async () => {
    await new Promise((resolve) => server?.close(resolve));
    await harness?.close();
  });

  const groups = (): Group[] => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const {
      exec,
      "an error that Catch takes": failing,
      // The event is no longer in it.
      "a function that makes a message anew, later": anew,
      "rate limit": rate,
      ...reporting
    } = slowFlows(url, SLOW_MS);
    const kinds: Kinds = {
      ...reporting,
      "rate limit": (rate ?? []).map((one) => ({ ...one, rate: "20" })),
      "function that sends later and is done then": [later("node.send(msg); node.done();")],
    };
    return [
      { mode: ON_SEND, kinds: { ...kinds, ...joins }, promise: "comes in time" },
      { mode: ON_COMPLETE, kinds: { ...kinds, ...joins }, promise: "comes in time" },
      // Of those that were joined, the message acknowledges one.
      { mode: ON_ACK, kinds, promise: "comes in time" },
      { mode: { ...ON_ACK, ackTimeout: "2" }, kinds: early, promise: "comes" },
      { mode: ON_SEND, kinds: early, promise: "is not promised" },
      { mode: ON_COMPLETE, kinds: early, promise: "is not promised" },
    ];
  };
  const ofGroups = (all: readonly Group[]): Case[] =>
    all.flatMap(({ mode, kinds, promise }, group) =>
      Object.entries(kinds).map(([kind, nodes], number) => {
        const id = `run-${runs}-${group}-${number}`;
        const file = (end: string) => join(harness.userDir.path, `${id}-${end}`);
        const name = `${kind} (${mode.commit})`;
        return { mode, promise, name, nodes, first: file("first"), last: file("last") };
      }),
    );

  /** Deploys them all with readers from the beginning, and gives them in further versions. */
  const begin = async (all: () => readonly Group[], before: string[] = []): Promise<Flows> => {
    runs += 1;
    cases = ofGroups(all());
    let isFirst = true;
    const flowsOf = ({ nodes, mode, first, last }: Case, number: number, behind: number, reader: number) => {
      const acks = mode.commit === "on-ack" ? [node("acks", "crec-ack", { action: "ack" }, [])] : [];
      return asOwnFlow(`${number}-`, [
        eventsInNode({
          ...{ id: "reader", z: TAB, x: 1, y: 1, verify: false, name: `reader ${reader}` },
          ...{ consumer: `run-${runs}-${number}`, wires: [["in", ...before, "first"], []], ...mode },
        }),
        // The template of a subflow is on no tab.
        ...nodes.map((one) => (one.z === undefined ? one : { ...one, name: `version ${behind}` })),
        node("in", "odd-records", { path: first }, []),
        node(
          "out",
          "odd-records",
          { path: last },
          acks.map(({ id }) => id),
        ),
        ...acks,
      ]);
    };
    const flows: Flows = ({ behind = 0, reader = 0, elsewhere = 0 } = {}) => [
      { id: TAB, type: "tab", label: "stopped" },
      { id: "other", type: "tab", label: "elsewhere" },
      // A node that comes with credentials counts as changed.
      ...harness.config().map(({ credentials, ...one }) => (isFirst ? { ...one, credentials } : one)),
      ...cases.flatMap((one, number) => flowsOf(one, number, behind, reader)),
      { ...functionNode("elsewhere", `return ${elsewhere};`, []), z: "other" },
    ];
    await harness.nodeRed.deploy(flows());
    isFirst = false;
    return flows;
  };
  const perCase = <T>(look: (one: Case) => Promise<T>) => Promise.all(cases.map(look));
  /** Names of cases for which this does not hold. */
  const without = async (holds: (one: Case, last: Recorded[]) => boolean): Promise<string[]> => {
    const lasts = await perCase(({ last }) => recordedIn(last));
    return cases.filter((one, number) => !holds(one, lasts[number] ?? [])).map(({ name }) => name);
  };
  const complete = async (beforeLook = async () => {}) => {
    const missing = () =>
      perCase(async ({ name, promise, first, last }) => {
        const events = await recordedIn(promise === "is not promised" ? first : last);
        const count = EVENTS - differentIn(events);
        return count === 0 ? [] : [`${name}: ${count} missing`];
      });
    await eventually(
      "all events behind every flow",
      async () => {
        await beforeLook();
        return (await missing()).flat();
      },
      ({ length }) => length === 0,
    );
    // What a stop interrupts is sent again at once, not after a time-out.
    const inTime = (one: Case, last: Recorded[]) =>
      one.promise !== "comes in time" || last.every(({ attempt }) => attempt === undefined);
    should(await without(inTime)).be.empty();
    should(harness.nodeRed.log).not.match(/silent-flow|No node behind/);
  };
  const losesNothing = async (all: Readonly<Record<string, Stop>>) => {
    // Else a kill has the events of all flows sent one at a time, which takes minutes.
    const each = () => groups().map((group) => ({ ...group, mode: { ...group.mode, crashes: "0" } }));
    const flows = await begin(each);
    for (const [what, stop] of Object.entries(all)) {
      const before = await perCase(async ({ last }) => (await recordedIn(last)).length);
      const isFurther = (one: Case, last: Recorded[]) =>
        one.promise === "is not promised" ||
        last.length > (before[cases.indexOf(one)] ?? 0) ||
        differentIn(last) === EVENTS;
      await eventually(
        `more events before ${what}`,
        () => without(isFurther),
        ({ length }) => length === 0,
      );
      await stop(flows);
    }
    await complete();
  };
  const state = async (wanted: "start" | "stop") => {
    const body = JSON.stringify({ state: wanted });
    const headers = { "content-type": "application/json" };
    const answer = await harness.nodeRed.fetch("flows/state", { method: "POST", headers, body });
    should(answer.status).equal(200, await answer.text());
  };

  it("loses nothing by deploys, or by Stop and Start", () =>
    losesNothing({
      "a deploy of nodes behind the reader": (flows) => harness.nodeRed.deploy(flows({ behind: 1 }), "nodes"),
      "a deploy of the reader": (flows) => harness.nodeRed.deploy(flows({ behind: 1, reader: 1 }), "nodes"),
      "a deploy of another tab": (flows) =>
        harness.nodeRed.deploy(flows({ behind: 1, reader: 1, elsewhere: 1 }), "flows"),
      "a deploy of the tab": (flows) => harness.nodeRed.deploy(flows({ behind: 2, elsewhere: 1 }), "flows"),
      "a full deploy": (flows) => harness.nodeRed.deploy(flows({ behind: 2 }), "full"),
      "Stop and Start": async () => {
        await state("stop");
        await state("start");
      },
    }));

  it("loses nothing by SIGTERM and kill -9", () =>
    losesNothing({
      SIGTERM: () => harness.restart(),
      "kill -9": async () => {
        await harness.nodeRed.kill();
        await harness.restart();
      },
    }));

  it("loses no message that is not yet at its first node", async () => {
    const kill = `if (msg.crec.offset === ${STOPS_AT} && !msg.crec.redelivered) process.kill(process.pid, "SIGKILL");`;
    const stopper = { ...functionNode("stops", kill, []), libs: [{ var: "process", module: "process" }] };
    const kinds = { "what comes in time": [stopper, slow("first", 1)] };
    await begin(
      () => [ON_SEND, ON_COMPLETE, ON_ACK].map((mode) => ({ mode, kinds, promise: "comes in time" })),
      ["stops"],
    ).catch(() => {});
    await eventually("the end of Node-RED", () => !harness.nodeRed.running);
    // Each reader ends it once at most, perhaps before it is ready.
    let starts = 0;
    await complete(async () => {
      if (harness.nodeRed.running || starts > cases.length) return;
      starts += 1;
      await harness.restart().catch(() => {});
    });
    const marked = (_one: Case, last: Recorded[]) =>
      last.some(({ offset, redelivered }) => offset === STOPS_AT && redelivered === true);
    should(await without(marked)).be.empty();
  });
});
