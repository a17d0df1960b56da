import should from "should";
import type { ConnectionReport, ReaderReport } from "../../../nodes/common/telemetry/types.ts";
import { watcherKey } from "../../../plugins/monitor/issues/answer-cache.ts";
import { apiKey, settingsIncomplete } from "../../../plugins/monitor/issues/checks/connections.ts";
import { unverifiedAction } from "../../../plugins/monitor/issues/checks/flows.ts";
import { readerStopped } from "../../../plugins/monitor/issues/checks/readers.ts";
import { eventUnwatched } from "../../../plugins/monitor/issues/checks/watchers.ts";
import {
  CHANNEL,
  CHANNEL_ID,
  found,
  foundIn,
  NOW,
  node,
  reader,
  resource,
  SERVICE,
  sceneOf,
  TAB,
} from "./scene.ts";

const DAY_MS = 86_400_000;
const events = node("crec-events-in", "events", { channel: "channel" });
const nodes = [TAB, ...CHANNEL, events];

describe("the check for API keys", () => {
  const findWith = async (properties: Partial<ConnectionReport>) => {
    const scene = await sceneOf({ nodes });
    scene.activity.connections.add(() => ({
      ...{ node: "connection", flow: "", type: "crec-connection", label: "main", baseUrl: SERVICE },
      ...{ state: "ok", since: NOW, callsLastMinute: 0, budget: undefined, ...properties },
    }));
    return found(apiKey, scene);
  };

  it("finds one that is refused, has ended, or ends soon", async () => {
    should(await findWith({ state: "refused" })).deepEqual(["refused connection"]);
    should(await findWith({ keyExpiresAt: NOW })).deepEqual(["expired connection"]);
    should(await findWith({ keyExpiresAt: NOW + 13 * DAY_MS })).deepEqual(["expires connection"]);
  });

  it("finds nothing otherwise, nor of a connection that nothing uses", async () => {
    should(await findWith({})).be.empty();
    should(await findWith({ state: "unreachable" })).be.empty();
    should(await findWith({ keyExpiresAt: NOW + 15 * DAY_MS })).be.empty();
    should(await findWith({ state: "refused", node: "unused" })).be.empty();
  });
});

describe("the check for incomplete settings", () => {
  it("finds a problem once, also where other nodes depend on it", async () => {
    const problem = Object.assign(new Error("The key is missing."), { code: "CONNECTION_INCOMPLETE" });
    const running = { connection: { connection: { problem } }, channel: { channel: { problem } } };
    should(await foundIn(settingsIncomplete, { nodes, running })).deepEqual([
      "problem connection CONNECTION_INCOMPLETE",
    ]);
    should(await foundIn(settingsIncomplete, { nodes: nodes.slice(0, -1), running })).be.empty();
  });

  it("names each node that uses a disabled config node", async () => {
    const off = nodes.map((node) => (node.type === "crec-channel" ? { ...node, d: true } : node));
    const found = await foundIn(settingsIncomplete, { nodes: off });
    should(found.length).be.above(0);
    should(found).matchEach(/^disabled \S+ channel$/);
    const contract = node("crec-contract", "token", { d: true });
    const submit = node("crec-submit-operation", "pay", { calls: [{ kind: "call", contract: "token" }] });
    should(await foundIn(settingsIncomplete, { nodes: [TAB, submit, contract] })).deepEqual([
      "disabled pay token",
    ]);
  });
});

describe("the check for readers that have stopped", () => {
  const findWith = async (state: ReaderReport["state"], code?: string) => {
    const problem = { code: "CONNECTION_INCOMPLETE", message: "The key is missing." };
    const running = code === problem.code ? { connection: { connection: { problem } } } : {};
    const scene = await sceneOf({ nodes, running });
    scene.activity.readers.add(() => ({
      ...{ node: "events", flow: "tab", type: "crec-events-in", label: "events", consumer: "payments" },
      ...{
        channel: "payments",
        channelId: undefined,
        state,
        inFlight: 0,
        delivered: 0,
        rejected: 0,
        late: 0,
      },
      ...(code ? { problem: { code, message: "The key is missing." } } : {}),
    }));
    return found(readerStopped, scene);
  };

  it("finds one that stopped with an error, and not one that a person stopped", async () => {
    should(await findWith("stopped", "CURSOR_LOST")).deepEqual(["stopped events CURSOR_LOST"]);
    should(await findWith("stopped")).be.empty();
    should(await findWith("paused")).be.empty();
    should(await findWith("retrying", "SERVICE_UNREACHABLE")).be.empty();
  });

  it("leaves out what another check is about", async () => {
    should(await findWith("stopped", "CONSUMER_NAME_TAKEN")).be.empty();
    should(await findWith("stopped", "CONNECTION_INCOMPLETE")).be.empty();
  });
});

describe("the check for events that no watcher sends", () => {
  const findWith = (unwatched?: { names: string[] }) =>
    foundIn(eventUnwatched, { nodes, running: { events: reader(undefined, unwatched) } });

  it("finds what the node has found out", async () => {
    should(await findWith({ names: ["Transfer", "Paid"] })).deepEqual(["named events Transfer, Paid"]);
    should(await findWith({ names: [] })).deepEqual(["any events"]);
    should(await findWith()).be.empty();
    should(await foundIn(eventUnwatched, { nodes })).be.empty();
  });

  it("waits until the node has looked again where a watcher is new", async () => {
    const running = { events: reader(undefined, { names: ["Transfer", "Paid"] }) };
    const scene = await sceneOf({ nodes, running });
    scene.answers.events.set(watcherKey(CHANNEL_ID, "Transfer"), true);
    const now = Date.now();
    should(await found(eventUnwatched, Object.assign(scene, { now }))).deepEqual(["named events Paid"]);
    scene.answers.events.set(watcherKey(CHANNEL_ID, "Paid"), true);
    should(await found(eventUnwatched, Object.assign(scene, { now }))).be.empty();
    const later = now + 100_000;
    should(await found(eventUnwatched, Object.assign(scene, { now: later }))).have.length(1);

    const origin = { node: "watcher", flow: "tab", type: "crec-create-watcher", label: "watcher" };
    const created = { channelId: CHANNEL_ID, seenAt: later, origin };
    scene.activity.watchers.set(resource(created));
    should(await found(eventUnwatched, Object.assign(scene, { now: later }))).be.empty();
  });
});

describe("the check for operations by events that nobody verifies", () => {
  const submit = node("crec-submit-operation", "submit");
  const verify = node("crec-verify-event", "verify", { wires: [["submit"], [], []] });
  const findIn = (properties: Record<string, unknown>) =>
    foundIn(unverifiedAction, {
      nodes: [TAB, submit, verify, node("crec-events-in", "events", properties)],
    });

  it("finds them, unless events in or a node in between verifies", async () => {
    should(await findIn({ verify: false, wires: [["submit"]] })).deepEqual(["operation events"]);
    should(await findIn({ verify: false, wires: [["verify"]] })).be.empty();
    should(await findIn({ verify: true, wires: [["submit"]] })).be.empty();
    should(await findIn({ verify: false, wires: [[]] })).be.empty();
  });
});
