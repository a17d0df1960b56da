import { EVERYTHING } from "./borrowed-node-red.ts";
import { harnessFlow, type Message } from "./flow-harness.ts";
import { type FlowNode, NodeRed, UserDir } from "./node-red.ts";
import { channelNode, connectionNode } from "./nodes.ts";
import { type Seeded, startSeededService } from "./seeded-service.ts";

/** Of copies in tests, which share a host. */
const COPY_NAMES = ["pod-a", "pod-b", "pod-c"] as const;

/** One Node-RED of several with the same flow. */
export class FleetCopy {
  readonly name: string;
  readonly userDir: UserDir;
  readonly #env: Record<string, string>;
  nodeRed: NodeRed;

  private constructor(name: string, userDir: UserDir, env: Record<string, string>, nodeRed: NodeRed) {
    this.name = name;
    this.userDir = userDir;
    this.#env = env;
    this.nodeRed = nodeRed;
  }

  static async start(name: string, variables: Record<string, string>): Promise<FleetCopy> {
    const userDir = await UserDir.make();
    const env = { FF_INSTANCE_NAME: name, ...variables };
    return new FleetCopy(name, userDir, env, await NodeRed.start(userDir, env, EVERYTHING));
  }

  /** Starts it again with what it has deployed. */
  async restart(): Promise<void> {
    this.nodeRed = await NodeRed.start(this.userDir, this.#env, EVERYTHING);
  }

  /** The messages that an output of a node has sent. */
  sent(id: string, port = 0): Message[] {
    return this.nodeRed.shown(`${id}:${port}`).map(({ value }) => value as Message);
  }

  /** The message of this number that an output has sent, once it has. */
  async arrived(id: string, number: number, port = 0): Promise<Message> {
    const name = `${id}:${port}`;
    await this.nodeRed.shows((shown) => shown.name === name && this.sent(id, port).length >= number);
    return this.sent(id, port)[number - 1] as Message;
  }

  async close(): Promise<void> {
    // One that is suspended cannot end.
    this.nodeRed.goOn();
    await this.nodeRed.kill();
    await this.userDir.remove();
  }
}

/** Several Node-RED processes with user directories of their own, and a service with a channel of many events. */
export class FleetHarness {
  readonly service: Seeded;
  readonly copies: readonly FleetCopy[];

  private constructor(service: Seeded, copies: readonly FleetCopy[]) {
    this.service = service;
    this.copies = copies;
  }

  static async start(
    events: number,
    { copies: count = 2, env = {} }: { copies?: number; env?: Record<string, string> } = {},
  ): Promise<FleetHarness> {
    const service = await startSeededService(events);
    const names = COPY_NAMES.slice(0, count);
    return new FleetHarness(service, await Promise.all(names.map((name) => FleetCopy.start(name, env))));
  }

  /** Deploys the same flow on each copy, one after another: the first one reads. */
  async deploy(
    nodes: ReadonlyArray<[FlowNode, number]>,
    more: readonly FlowNode[] = [],
    isReading: (copy: FleetCopy) => Promise<unknown> = async () => undefined,
  ): Promise<void> {
    const config = [connectionNode(this.service.ready), channelNode({ channel: this.service.channelName })];
    const flow = harnessFlow([...config, ...more], nodes);
    for (const [index, copy] of this.copies.entries()) {
      await copy.nodeRed.deploy(flow);
      if (index === 0) await isReading(copy);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.copies.map((copy) => copy.close()));
    await this.service.close();
  }
}

export function fleetNode(url: string, properties: Partial<FlowNode> = {}): FlowNode {
  return { id: "fleet", type: "crec-fleet", lease: "1.5", credentials: { url }, ...properties };
}
