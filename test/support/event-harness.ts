import { borrowNodeRed } from "./borrowed-node-red.ts";
import { eventually } from "./eventually.ts";
import { harnessFlow, type Message } from "./flow-harness.ts";
import { type FlowNode, NodeRed, type NodeRedOptions, UserDir } from "./node-red.ts";
import { channelNode, connectionNode, eventsInNode } from "./nodes.ts";
import { type Passing, ServiceProxy } from "./proxy.ts";
import { type Seeded, startSeededService } from "./seeded-service.ts";

/** A message with an event, as it left a node. */
export type Arrival = Message & {
  crec: { eventId: string; offset: number; channelId: string; [property: string]: unknown };
};

export const isPoll = ({ method, path }: Passing): boolean => method === "GET" && path.endsWith("/events");

/** A real Node-RED with a real service, and a channel that has `events` events when the first node starts. */
export class EventHarness {
  readonly service: Seeded;
  readonly proxy: ServiceProxy;
  readonly userDir: UserDir;
  nodeRed: NodeRed;
  readonly #options: NodeRedOptions | undefined;
  readonly #giveBack: (() => Promise<void>) | undefined;

  private constructor(
    parts: Pick<EventHarness, "service" | "proxy" | "userDir" | "nodeRed"> & {
      giveBack?: () => Promise<void>;
    },
    options?: NodeRedOptions,
  ) {
    this.service = parts.service;
    this.proxy = parts.proxy;
    this.userDir = parts.userDir;
    this.nodeRed = parts.nodeRed;
    this.#giveBack = parts.giveBack;
    this.#options = options;
  }

  /** With options, the harness starts its own Node-RED, which can be restarted. */
  static async start(events: number, options?: NodeRedOptions): Promise<EventHarness> {
    const service = await startSeededService(events);
    const proxy = await ServiceProxy.before(service.ready.base_url);
    if (options === undefined) return new EventHarness({ service, proxy, ...(await borrowNodeRed()) });
    const userDir = await UserDir.make();
    const nodeRed = await NodeRed.start(userDir, {}, options);
    return new EventHarness({ service, proxy, userDir, nodeRed }, options);
  }

  async close(): Promise<void> {
    if (this.#giveBack) await this.#giveBack();
    else {
      await this.nodeRed.kill();
      await this.userDir.remove();
    }
    await this.proxy.close();
    await this.service.close();
  }

  /** Stops Node-RED in order, and starts it again with the deployed flows. */
  async restart(): Promise<void> {
    if (this.#options === undefined)
      throw new Error("This Node-RED is borrowed: start the harness with options.");
    await this.nodeRed.stop();
    this.nodeRed = await NodeRed.start(this.userDir, {}, this.#options);
  }

  /** The configuration of all flows here, with the channel "seeded". */
  config(): FlowNode[] {
    return [
      connectionNode(this.service.ready, { baseUrl: this.proxy.baseUrl }),
      channelNode({ channel: this.service.channelName }),
    ];
  }

  /** Deploys each node with a button, and a debug node for each output; `more` are other nodes. */
  deploy(nodes: ReadonlyArray<[FlowNode, number]>, more: readonly FlowNode[] = []): Promise<void> {
    return this.nodeRed.deploy(harnessFlow([...this.config(), ...more], nodes));
  }

  /** All messages that an output has sent so far. */
  arrivals(id: string, port = 0): Arrival[] {
    return this.nodeRed.shown(`${id}:${port}`).map(({ value }) => value as Arrival);
  }

  /** The first `count` messages of an output, as soon as there are that many. */
  async arrived(id: string, count: number, port = 0): Promise<Arrival[]> {
    if (count > 0)
      await this.nodeRed.shows(
        ({ name }) => name === `${id}:${port}` && this.arrivals(id, port).length >= count,
      );
    return this.arrivals(id, port).slice(0, count);
  }

  /** The first message of an output that `accept` takes. */
  async arrival(id: string, accept: (arrival: Arrival) => boolean, port = 0): Promise<Arrival> {
    return (await this.nodeRed.showing(`${id}:${port}`, (value) => accept(value as Arrival)))
      .value as Arrival;
  }

  /** Once nodes have looked some times more: what was to come of the first of these looks has come. */
  async looked(accept: (passing: Passing) => boolean = () => true): Promise<void> {
    await this.proxy.next(4, (passing) => isPoll(passing) && accept(passing));
  }

  /** Sends a message into a node by its button. */
  press(id: string, message: Record<string, unknown>): Promise<void> {
    return this.nodeRed.press(`press-${id}`, message);
  }

  /** Adds two events to the channel: a watcher that is pending, then active. Returns the id of the watcher. */
  async addEvents(name: string): Promise<string> {
    const { chain_selector, contracts } = this.service.ready;
    const [channel] = (await this.call("GET", `/channels?name=${this.service.channelName}`)).data as Array<{
      channel_id: string;
    }>;
    const abi = [
      { type: "event", name: "Ping", anonymous: false, inputs: [] as Array<Record<string, unknown>> },
    ];
    const body = { name, chain_selector, address: contracts.DemoToken, events: ["Ping"], abi };
    const watchers = `/channels/${channel?.channel_id}/watchers`;
    const { watcher_id } = await this.call("POST", watchers, body);
    await eventually(
      "an active watcher",
      () => this.call("GET", `${watchers}/${watcher_id}`),
      ({ status }) => status === "active",
    );
    return String(watcher_id);
  }

  /** A call to the service, not through Node-RED or the proxy. */
  async call(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    const { base_url, api_key } = this.service.ready;
    const headers = { Authorization: `Apikey ${api_key}`, "content-type": "application/json" };
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const answer = await fetch(`${base_url}${path}`, init);
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Record<string, unknown>;
  }

  /** What the form's panel asks and does. */
  async panel(id: string, path = "", body?: unknown): Promise<{ status: number; body: unknown }> {
    const answer = await this.nodeRed.fetch(`crec/events-in/${id}${path}`, {
      ...(body === undefined
        ? {}
        : {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify(body),
          }),
    });
    return { status: answer.status, body: await answer.json() };
  }

  /** Asks the panel until its report is as wanted. */
  async report(
    id: string,
    accept: (report: Record<string, unknown>) => boolean,
  ): Promise<Record<string, unknown>> {
    const report = async () => (await this.panel(id)).body as Record<string, unknown>;
    return eventually("another report of the panel", report, accept);
  }
}

/** Waits for acknowledgements, and reads from the beginning without checking proofs. */
export function ackingNode(properties: Partial<FlowNode> = {}): FlowNode {
  return eventsInNode({
    ...{ verify: false, commit: "on-ack", inFlight: "1", ackTimeout: "60", attempts: "5" },
    ...properties,
  });
}

export function ackNode(properties: Partial<FlowNode> = {}): FlowNode {
  return { id: "ack", type: "crec-ack", action: "ack", ...properties };
}
