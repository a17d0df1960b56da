import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import should from "should";
import registerAck from "../../nodes/ack/node.ts";
import registerChannel from "../../nodes/channel/node.ts";
import { markTyped } from "../../nodes/common/shared/variables.ts";
import registerConnection from "../../nodes/connection/node.ts";
import registerContract from "../../nodes/contract/node.ts";
import registerEventsIn from "../../nodes/events-in/node.ts";
import type { ChannelEvent } from "../../src/index.ts";
import { configOf, proofCases } from "../proofs/fixtures.ts";
import { eventually } from "../support/eventually.ts";
import type { Message } from "../support/flow-harness.ts";
import type { FlowNode } from "../support/node-red.ts";
import { TRANSFER_ABI } from "../support/nodes.ts";
import { helper, loadFlow, PastHost, type Sent, turns, until, withNodeRed } from "../support/past-host.ts";

const CHANNEL = "7e77863e-8c8d-44b2-a0e0-45cad1325017";
const WATCHER = "5111df5c-0f30-42b1-a8f6-f8a6cca47791";

/** Real proofs, one event an id; without those that a live node would wait for. */
const EVENTS = [...new Map(proofCases.map((one) => [one.event.event_id, one])).values()]
  .filter(({ why, config }) => why !== "no_proof" && config === undefined)
  .map(({ event }, index) => ({
    ...event,
    headers: { ...event.headers, offset: index + 1 },
    channel_id: CHANNEL,
    created_at: 1_780_000_000 + index,
  })) as unknown as ChannelEvent[];

/** The events of a rehearsal are the same as those of a live node, and so is what becomes of them. */
describe("events in of a rehearsal", () => {
  withNodeRed();

  for (const [title, properties] of [
    ["with all defaults", {}],
    [
      "with a filter by type and watcher name",
      { types: ["watcher.event"], watcher: "transfers", watcherType: "str" },
    ],
    [
      "with a contract event and a contract",
      { contractEvent: "Transfer", contractEventType: "str", contract: "contract" },
    ],
    ["with a least confidence", { confidence: "safe" }],
    ["with the highest confidence", { confidence: "highest" }],
    ["without proofs checked", { verify: false }],
    ["dropping what is not proven", { unverified: "drop" }],
    ["with events that the flow completes", { commit: "on-complete", inFlight: "3" }],
  ] as ReadonlyArray<[string, Partial<FlowNode>]>) {
    it(`sends what a live node sends, ${title}`, async () => {
      // The context store of a live node remembers what a consumer has read.
      const own = { ...properties, consumer: title };
      const live = await sentLive(own);
      const { sent } = await rehearse(own);
      should(live.length).be.above(0);
      should(sent.map(comparable)).deepEqual(live.map(comparable));
    });
  }

  it("settles events by the node ack, and notes it there", async () => {
    const { host, sent } = await rehearse({ commit: "on-ack", inFlight: "2", unverified: "drop" }, [], 0);
    for (const event of EVENTS.slice(0, 4)) host.publish(CHANNEL, event);
    await until(() => sent.length >= 2);
    should(sent.map(offset)).deepEqual([1, 2]);
    helper.getNode("acks")?.receive(sent[0]?.msg);
    await until(() => sent.length >= 3);
    should(sent.map(offset)).deepEqual([1, 2, 3]);
    should(host.noted).have.length(1);
    should(host.noted[0]).have.properties({ kind: "ack", node: "acks", text: "acknowledged" });
    helper.getNode("refuses")?.receive(sent[1]?.msg);
    await until(() => host.noted.length >= 3 && sent.some(({ output }) => output === 1));
    should(sent.map(({ node, output, msg }) => [node, output, msg.crec?.offset])).containEql([
      "events",
      1,
      2,
    ]);
    should(host.noted.slice(1).map(({ kind, node, text }) => [kind, node, text])).deepEqual([
      ["ack", "refuses", "refused: not wanted"],
      ["ack", "refuses", "rejected: not wanted"],
    ]);
  });

  it("sends again after the ack time-out, and gives up after the last attempt", async () => {
    const timed = { commit: "on-ack", ackTimeout: "0.1", attempts: "2", verify: false };
    const { host, sent } = await rehearse(timed, EVENTS.slice(0, 1));
    await until(() => sent.length >= 3);
    should(sent.map(({ output, msg }) => [output, msg.crec?.attempt])).deepEqual([
      [0, undefined],
      [0, 2],
      [1, 2],
    ]);
    should(host.noted[0]).have.properties({ kind: "ack", node: "events", event: 1 });
    should(host.noted[0]?.text).startWith("rejected: ");
  });

  it("skips what is older than the node takes, and waits while it is paused", async () => {
    const { host, sent } = await rehearse({ skipOlder: "60", verify: false, inputs: 1 }, []);
    const now = Math.floor(Date.now() / 1000);
    const [first, second] = EVENTS as [ChannelEvent, ChannelEvent];
    host.publish(CHANNEL, { ...first, created_at: now - 120 });
    helper.getNode("events")?.receive({ topic: "pause" });
    host.publish(CHANNEL, { ...second, created_at: now });
    await turns();
    should(sent).have.length(0);
    helper.getNode("events")?.receive({ topic: "resume" });
    await turns();
    should(sent.map(offset)).deepEqual([2]);
    helper.getNode("events")?.receive({ topic: "seek", payload: "beginning" });
    await turns();
    should(host.noted.map(({ kind, text }) => [kind, text])).deepEqual([
      ["call", "seek: ignored in a rehearsal"],
    ]);
  });
});

function offset({ msg }: Sent[number]): unknown {
  return msg.crec?.offset;
}

/** Without the id of the message, and the name of the node that the test gave it. */
function comparable({ output, msg }: Sent[number]): unknown {
  const { _msgid, ...rest } = msg as Message & { _msgid: unknown };
  return { output, ...rest };
}

function eventsNode(properties: Partial<FlowNode>): FlowNode {
  return {
    ...{
      id: "events",
      type: "crec-events-in",
      channel: "channel",
      consumer: "rehearsed",
      start: "beginning",
    },
    ...{ types: [], verify: true, unverified: "port", commit: "on-send", store: "memory" },
    ...{ pollMin: "0.1", pollMax: "0.2" },
    ...properties,
  } as FlowNode;
}

function configuration(baseUrl: string): FlowNode[] {
  const { orgId, workflowOwner, creTenantId, validSigners, minRequiredSignatures } = configOf();
  return [
    {
      ...{ id: "connection", type: "crec-connection", baseUrl, graphqlUrl: "", orgId: orgId ?? "" },
      ...{ workflowOwner: workflowOwner ?? "", creTenantId, validSigners: validSigners.join("\n") },
      minRequiredSignatures: String(minRequiredSignatures),
    },
    { id: "channel", type: "crec-channel", connection: "connection", channel: "rehearsed" },
    {
      ...{ id: "contract", type: "crec-contract", chainSelector: "16015286601757825753", abi: TRANSFER_ABI },
      ...{ address: "0x5b571A50AC6cB524730C8419EBe452703139809A", decimals: "18" },
    },
  ] as FlowNode[];
}

const WATCHERS = [
  {
    ...{
      watcher_id: WATCHER,
      channel_id: CHANNEL,
      name: "transfers",
      status: "active",
      events: ["Transfer"],
    },
    ...{ chain_selector: "16015286601757825753", address: "0x5b571A50AC6cB524730C8419EBe452703139809A" },
  },
];
const SNAPSHOT = {
  networks: [
    {
      chain_selector: "16015286601757825753",
      chain_id: "11155111",
      name: "sepolia",
      default_confidence_level: "finalized",
    },
  ],
  wallets: [],
  channels: [{ channel: { channel_id: CHANNEL, name: "rehearsed", status: "active" }, watchers: WATCHERS }],
};

async function rehearse(properties: Partial<FlowNode>, events = EVENTS, turnsMore = 40) {
  const host = new PastHost({ snapshot: SNAPSHOT });
  const acks = [
    { id: "acks", z: "tab", wires: [], type: "crec-ack", action: "ack" },
    {
      id: "refuses",
      z: "tab",
      wires: [],
      type: "crec-ack",
      action: "reject",
      reason: "not wanted",
      reasonType: "str",
    },
  ] as FlowNode[];
  const registers = [host.register, registerChannel, registerContract, registerAck];
  const flow = [...configuration("http://127.0.0.1:1/v1"), eventsNode(properties), ...acks];
  const sent = await loadFlow(registers, flow, { events: 3 });
  await turns();
  for (const event of events) host.publish(CHANNEL, event);
  await turns(turnsMore);
  return { host, sent };
}

/** By a real node, which polls a server that has the events. */
async function sentLive(properties: Partial<FlowNode>): Promise<Sent> {
  let polls = 0;
  const server = createServer(({ url = "" }, response) => {
    const { pathname, searchParams } = new URL(url, "http://any");
    const answer = answerOf(pathname, searchParams);
    if (pathname.endsWith("/events")) polls += 1;
    response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  try {
    const { port } = server.address() as AddressInfo;
    const [connection, ...rest] = configuration(`http://127.0.0.1:${port}/v1`) as [FlowNode, ...FlowNode[]];
    const flow = [
      { ...connection, credentials: { apiKey: markTyped("any", randomUUID()) } },
      ...rest,
      eventsNode(properties),
    ];
    const registers = [registerConnection, registerChannel, registerContract, registerEventsIn];
    const sent = await loadFlow(registers, flow as FlowNode[], { events: 3 });
    // All is read when it has polled again and again after the last page.
    let last = { sent: 0, polls: 0 };
    await eventually(
      "six polls that bring nothing more",
      () => {
        if (sent.length !== last.sent) last = { sent: sent.length, polls };
        return { ...last, since: polls - last.polls };
      },
      ({ since }) => since >= 6,
    );
    await helper.unload();
    return sent;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function answerOf(path: string, query: URLSearchParams): unknown {
  if (path.endsWith("/networks")) return { data: SNAPSHOT.networks };
  if (path.endsWith("/channels"))
    return { data: SNAPSHOT.channels.map(({ channel }) => channel), has_more: false };
  if (path.endsWith("/watchers")) return { data: query.has("status") ? [] : WATCHERS, has_more: false };
  if (path.includes("/watchers/")) return WATCHERS[0];
  const from = query.get("offset");
  const type = query.get("type");
  const events = EVENTS.filter(({ headers }) => type === null || headers.type === type);
  if (from === null) return { events: [...events].reverse(), has_more: false };
  return { events: events.filter(({ headers }) => headers.offset >= Number(from)), has_more: false };
}
