import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { markTyped } from "../../../nodes/common/shared/variables.ts";
import type { FlowNode } from "../../../rehearsal/shared/job.ts";
import { eventually } from "../../support/eventually.ts";
import { type FlowNode as LiveNode, NodeRed, UserDir } from "../../support/node-red.ts";
import { type MadeChannel, snapshotOf } from "./signed-events.ts";

/** A message that reached a sink. */
export type Left = { payload?: unknown; topic?: unknown; crec?: { offset?: number; channelId?: string } };

/** What a flow did live. Wires: `from port to`. */
export type Moved = {
  received: Record<string, number>;
  wires: Record<string, number>;
  left: Record<string, Left[]>;
};

type Trace = Moved & {
  /** Messages that nodes have not completed. */
  open: number;
  quietMs: number;
  readers: ReadonlyArray<{ node: string; position?: number; state: string }>;
};

const SETTINGS = fileURLToPath(new URL("./traced-settings.cjs", import.meta.url));
const NOT_LOADED = [
  "10-mqtt.js",
  "21-httprequest.js",
  "22-websocket.js",
  "31-tcpin.js",
  "32-udp.js",
  "90-exec.js",
];
/** Longer than a message is on its way from one node to the next. */
const QUIET_MS = 60;
/** Longer than an alert node writes to its file. What is still open then waits for the rest of its group. */
const LONG_QUIET_MS = 2_000;
const LONGEST_MS = 20_000;

/** A real Node-RED that runs flows over the events of a server, one flow after another. */
export class LiveFlows {
  readonly baseUrl: string;
  readonly #nodeRed: NodeRed;
  readonly #userDir: UserDir;
  readonly #server: Server;
  readonly #channels: Map<string, MadeChannel>;

  private constructor(
    nodeRed: NodeRed,
    userDir: UserDir,
    server: Server,
    channels: Map<string, MadeChannel>,
  ) {
    this.#nodeRed = nodeRed;
    this.#userDir = userDir;
    this.#server = server;
    this.#channels = channels;
    this.baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(): Promise<LiveFlows> {
    const channels = new Map<string, MadeChannel>();
    const server = createServer((request, response) => {
      const data = answerOf(channels, new URL(request.url ?? "/", "http://localhost"));
      response.setHeader("content-type", "application/json");
      response.statusCode = data === undefined ? 404 : 200;
      response.end(JSON.stringify(data ?? { error: { code: "NOT_FOUND", message: "not here" } }));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const userDir = await UserDir.make();
    const define = [`nodesExcludes=${JSON.stringify(NOT_LOADED)}`];
    const nodeRed = await NodeRed.start(userDir, {}, { settings: SETTINGS, define });
    return new LiveFlows(nodeRed, userDir, server, channels);
  }

  /** Deploys flows, and waits until all events of their channels have gone through them. */
  async run(flows: readonly FlowNode[], channels: readonly MadeChannel[]): Promise<Moved> {
    this.#channels.clear();
    for (const channel of channels) this.#channels.set(channel.id, channel);
    await this.#nodeRed.fetch("test/trace", { method: "POST" });
    await this.#nodeRed.deploy(flows.map(asLive));
    const ends = flows.flatMap((node) =>
      node.type === "crec-events-in" ? [[node.id, lastOffset(flows, node, channels)] as const] : [],
    );
    const look = async () => (await (await this.#nodeRed.fetch("test/trace")).json()) as Trace;
    const isOver = (trace: Trace) => {
      const isRead = ends.every(([id, last]) =>
        trace.readers.some(({ node: reader, position = 0 }) => reader === id && position >= last),
      );
      return isRead && trace.quietMs > (trace.open > 0 ? LONG_QUIET_MS : QUIET_MS);
    };
    return eventually("the end of the flow", look, isOver, { withinMs: LONGEST_MS });
  }

  async close(): Promise<void> {
    await this.#nodeRed.kill();
    await this.#userDir.remove();
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** Live, nothing is behind a sink, and a connection has a key. */
function asLive(node: FlowNode): LiveNode {
  const { type } = node;
  if (type === "mqtt out") return { ...node, type: "function", func: "return null;", outputs: 0, libs: [] };
  if (type === "crec-connection") return { ...node, credentials: { apiKey: markTyped("key", randomUUID()) } };
  return node;
}

function lastOffset(flows: readonly FlowNode[], node: FlowNode, channels: readonly MadeChannel[]): number {
  const config = flows.find(({ id }) => id === node.channel);
  return channels.find(({ name }) => name === config?.channel)?.events.length ?? 0;
}

function answerOf(channels: ReadonlyMap<string, MadeChannel>, { pathname, searchParams }: URL): unknown {
  const { networks, channels: all } = snapshotOf([...channels.values()]);
  const [, kind, id, part, partId] = pathname.split("/");
  if (kind === "networks") return { data: networks };
  if (kind !== "channels") return undefined;
  if (id === undefined) {
    const name = searchParams.get("name");
    const data = all.map(({ channel }) => channel).filter((one) => name === null || one.name === name);
    return { data, has_more: false };
  }
  const found = all.find(({ channel }) => channel.channel_id === id);
  if (found === undefined || part === undefined) return found?.channel;
  if (part === "watchers") return partId ? found.watchers[0] : { data: found.watchers, has_more: false };
  if (part !== "events") return undefined;
  const events = channels.get(id)?.events ?? [];
  const limit = Number(searchParams.get("limit") ?? 200);
  const from = searchParams.get("offset");
  if (from === null) return { events: events.slice(-limit).reverse(), has_more: events.length > limit };
  const start = Math.max(0, Number(from) - 1);
  return { events: events.slice(start, start + limit), has_more: events.length > start + limit };
}
