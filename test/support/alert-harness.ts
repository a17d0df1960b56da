import { rm } from "node:fs/promises";
import { join } from "node:path";
import { borrowNodeRed } from "./borrowed-node-red.ts";
import { ask, harnessFlow, type Message } from "./flow-harness.ts";
import { type FlowNode, freshId, NodeRed, UserDir } from "./node-red.ts";

/** What a message for people says. */
export type AlertMessage = Message & { payload: Record<string, unknown> };

export const TOKEN = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
export const TREASURY = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
export const STRANGER = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
export const SEPOLIA = "16015286601757825753";

const [ALERT, RESOLVED] = ["alert:0", "alert:1"] as const;

export function alertNode(properties: Partial<FlowNode> = {}): FlowNode {
  return {
    id: "alert",
    type: "crec-alert",
    version: 2,
    match: "all",
    conditions: [],
    when: "each",
    takenBack: false,
    slack: "0s",
    ...properties,
  };
}

export function tokenNode(properties: Partial<FlowNode> = {}): FlowNode {
  return {
    ...{ id: "contract", type: "crec-contract", name: "demo token", chainSelector: SEPOLIA, address: TOKEN },
    ...{ abi: "event Transfer(address indexed from, address indexed to, uint256 value)", decimals: "18" },
    ...properties,
  };
}

let events = 0;

/** A transfer of so many tokens, as events in sends it, in a log of its own. */
export function transfer(tokens: string, more: Record<string, unknown> = {}): Message {
  events += 1;
  const hash = `0x${events.toString(16).padStart(64, "0")}`;
  return {
    payload: {
      name: "Transfer",
      params: { from: TREASURY, to: STRANGER, value: `${tokens}${"0".repeat(18)}` },
      tokens: { value: tokens },
      contract: TOKEN,
      chainSelector: SEPOLIA,
      transactionHash: hash,
      blockTime: Math.floor(Date.now() / 1000),
      confidence: "latest",
      ...more,
    },
    topic: "watcher.event/Transfer",
    crec: { eventId: freshId(), dedupeKey: `${SEPOLIA}:${hash}:0:latest` },
  };
}

/** What a message became, and the output that it left by. */
export type Sent = AlertMessage & { output: "alert" | "passed" | "error" };

/** Sends a message into an alert node, and returns itself as it left. */
export async function sendTo(nodeRed: NodeRed, message: Message, id = "alert"): Promise<Sent> {
  const probe = freshId();
  await nodeRed.press(`press-${id}`, { ...message, probe });
  const outputs = new Map([
    [`${id}:0`, "alert"],
    [`${id}:2`, "passed"],
    ["error", "error"],
  ] as const);
  const shown = await nodeRed.shows(
    ({ name, value }) => outputs.has(name as "error") && (value as Message).probe === probe,
  );
  return { ...(shown.value as AlertMessage), output: outputs.get(shown.name as "error") ?? "error" };
}

/** `alert`, why a message passed, or the code of its error. */
export function fateOf({ output, crec = {}, error }: Sent): string {
  if (output === "error") return `${error?.code}`;
  return output === "alert" ? "alert" : (crec.alert as { passed: string }).passed;
}

/** A flow with an alert node, in a Node-RED that other tests use too. */
export class AlertHarness {
  nodeRed: NodeRed;
  readonly userDir: UserDir;
  readonly #giveBack: (() => Promise<void>) | undefined;

  private constructor(nodeRed: NodeRed, userDir: UserDir, giveBack?: () => Promise<void>) {
    this.nodeRed = nodeRed;
    this.userDir = userDir;
    this.#giveBack = giveBack;
  }

  /** With a Node-RED of its own, which can be restarted. */
  static async alone(): Promise<AlertHarness> {
    const userDir = await UserDir.make();
    return new AlertHarness(await NodeRed.start(userDir), userDir);
  }

  /** Ends Node-RED in order, or as a crash does, and starts it again with the deployed flows. */
  async restart(how: "stop" | "kill" = "stop"): Promise<void> {
    await this.nodeRed[how]();
    this.nodeRed = await NodeRed.start(this.userDir);
    await this.nodeRed.status("alert", /./);
  }

  static async start(): Promise<AlertHarness> {
    const { nodeRed, userDir, giveBack } = await borrowNodeRed();
    return new AlertHarness(nodeRed, userDir, giveBack);
  }

  async close(): Promise<void> {
    if (this.#giveBack) {
      await this.#giveBack();
      return;
    }
    await this.nodeRed.kill();
    await this.userDir.remove();
  }

  /** The node has a memory of its own each time, unless it is given an id. */
  async deploy(
    properties: Partial<FlowNode> = {},
    config: readonly FlowNode[] = [],
    more: readonly FlowNode[] = [],
  ): Promise<void> {
    await this.nodeRed.deploy(harnessFlow(config, []));
    // What a node of this id has remembered went with it, except for open alerts.
    await rm(join(this.userDir.path, "crec-alerts"), { recursive: true, force: true });
    await this.redeploy(properties, config, more);
  }

  /** The node keeps what it has counted. */
  async redeploy(
    properties: Partial<FlowNode> = {},
    config: readonly FlowNode[] = [],
    more: readonly FlowNode[] = [],
  ): Promise<void> {
    const nodes = more.map((node): [FlowNode, number] => [node, 1]);
    await this.nodeRed.deploy(harnessFlow(config, [[alertNode(properties), 3], ...nodes]));
  }

  /** Sends a payload into another node, and waits until it has done its work. */
  async fill(id: string, payload: unknown): Promise<void> {
    await ask(this.nodeRed, id, { payload });
  }

  /** Sends a message in, and returns what it became: itself, by the output that it left by. */
  send(message: Message, id?: string): Promise<Sent> {
    return sendTo(this.nodeRed, message, id);
  }

  /** What became of a message: `alert`, or why it passed. */
  async fate(message: Message, id?: string): Promise<string> {
    return fateOf(await this.send(message, id));
  }

  /** Messages of the second output since Node-RED was started. */
  resolved(): AlertMessage[] {
    return this.nodeRed.shown(RESOLVED).map(({ value }) => value as AlertMessage);
  }

  /** The next message of the second output that is accepted. */
  async resolves(accept: (message: AlertMessage) => boolean = () => true): Promise<AlertMessage> {
    return (await this.nodeRed.showing(RESOLVED, (value) => accept(value as AlertMessage)))
      .value as AlertMessage;
  }

  /** A message of the first output that no message led to. */
  async raises(accept: (message: AlertMessage) => boolean = () => true): Promise<AlertMessage> {
    return (await this.nodeRed.showing(ALERT, (value) => accept(value as AlertMessage)))
      .value as AlertMessage;
  }
}
