import should from "should";
import { alertNode, tokenNode } from "../support/alert-harness.ts";
import { ackNode, EventHarness } from "../support/event-harness.ts";
import { eventually } from "../support/eventually.ts";
import { harnessFlow } from "../support/flow-harness.ts";
import type { FlowNode } from "../support/node-red.ts";
import { apiNode, createWatcherNode, eventsInNode, manageNode, verifyEventNode } from "../support/nodes.ts";
import { operationNode, queryNode, submitNode } from "../support/operation-nodes.ts";
import { itWide } from "../support/wide.ts";

/** What a status node sends. */
type Reported = { status: { text?: string; code?: string; source: { id: string; type: string } } };

/** What a key looks like, and no sentence does. */
const KEY = /^(?:[\w-]+:)?[\w-]+(?:\.[\w-]+)+$/;
const SUBFLOW = "statuses-subflow";
const INSTANCE = "statuses-instance";

/** By the language of Node-RED: what events in and alert say while they have nothing to do. */
const WORDS: Readonly<Record<string, { connected: string; watching: string }>> = {
  "en-US": { connected: "connected", watching: "watching" },
  de: { connected: "verbunden", watching: "beobachtet" },
  ja: { connected: "接続済", watching: "監視中" },
  "zh-CN": { connected: "已连接", watching: "监视中" },
};

/** One of each node that takes messages, some of which fail. */
const nodes = (place: string): FlowNode[] => {
  const id = (name: string) => ({ id: `${place}-${name}` });
  return [
    eventsInNode({ ...id("events"), consumer: place, start: "beginning", verify: false }),
    alertNode(id("alert")),
    ackNode(id("ack")),
    verifyEventNode(id("verify")),
    apiNode(id("api")),
    manageNode("listChannels", id("manage")),
    createWatcherNode({ ...id("watcher"), watcherName: place }),
    submitNode(id("submit")),
    operationNode("list", id("operation")),
    queryNode(id("query")),
    { ...id("search"), type: "crec-search-events", channel: "channel", limit: "1" },
    { ...id("account"), type: "crec-account", connection: "connection" },
  ];
};

/** The nodes on a tab and in a subflow, each with a status node that sees them all. */
function flow(config: readonly FlowNode[]): FlowNode[] {
  const inside = nodes("inside");
  const subflow: FlowNode = {
    ...{ id: SUBFLOW, type: "subflow", name: "statuses", env: [] },
    in: [{ x: 1, y: 1, wires: inside.map(({ id }) => ({ id })) }],
    out: [{ x: 1, y: 1, wires: [{ id: "inside-status", port: 0 }] }],
    status: { x: 1, y: 1, wires: [{ id: "inside-status", port: 0 }] },
  };
  const statusNode = { type: "status", scope: null, x: 1, y: 1 };
  return [
    ...harnessFlow(
      [...config, tokenNode(), subflow],
      [
        ...nodes("outside").map((node): [FlowNode, number] => [node, 1]),
        [{ id: INSTANCE, type: `subflow:${SUBFLOW}` }, 1],
        [{ id: "outside-status", ...statusNode }, 1],
      ],
    ),
    ...inside.map((node) => ({ z: SUBFLOW, x: 1, y: 1, wires: [[]], ...node })),
    { id: "inside-status", z: SUBFLOW, ...statusNode, wires: [[]] },
  ];
}

/** A status node, and a node in a subflow, get what is shown as it is: no editor of the node translates it there. */
describe("the statuses of all nodes, in the language of Node-RED", function () {
  this.timeout(120_000);
  let harness: EventHarness | undefined;

  afterEach(async () => {
    await harness?.close();
    harness = undefined;
  });

  const check = async (lang: string): Promise<void> => {
    const words = WORDS[lang] ?? { connected: "", watching: "" };
    harness = await EventHarness.start(1, { define: [`lang="${lang}"`] });
    const { nodeRed } = harness;
    await nodeRed.deploy(flow(harness.config()));
    const outside = nodes("outside");
    for (const { id } of [...outside, { id: INSTANCE }]) await nodeRed.press(`press-${id}`);
    const reported = (name: string) => nodeRed.shown(`${name}:0`).map(({ value }) => value as Reported);
    const missing = (name: string) => {
      const seen = reported(name).map(({ status }) => status.source.type);
      return outside.map(({ type }) => type).filter((type) => !seen.includes(type));
    };
    await eventually(
      "a status of each node, inside and outside",
      () => ["outside-status", INSTANCE].map((name) => missing(name)),
      (left) => left.every(({ length }) => length === 0),
    );
    const all = () => [...reported("outside-status"), ...reported(INSTANCE)].map(({ status }) => status);
    const textsOf = (code: string) => [
      ...new Set(all().flatMap((status) => (status.code === code ? [status.text] : []))),
    ];
    for (const [code, text] of Object.entries(words))
      await eventually(
        `only "${text}" for ${code}`,
        () => textsOf(code),
        (texts) => `${texts}` === text,
      );
    for (const { text, code, source } of all()) {
      should(text).be.a.String().and.not.match(KEY, `${source.type}: ${text}`);
      if (source.type.startsWith("crec-")) should(code).be.a.String();
    }
    await eventually("a status of the subflow itself", () =>
      all().some(({ source, text }) => source.id === INSTANCE && text === words.connected),
    );
  };

  it("are finished texts with codes, on a tab and in a subflow: de", () => check("de"));
  for (const lang of Object.keys(WORDS).filter((one) => one !== "de"))
    itWide(`are finished texts with codes, on a tab and in a subflow: ${lang}`, () => check(lang));
});
