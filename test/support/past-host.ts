import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Node, NodeAPI } from "node-red";
import { nodeRedContext } from "../../nodes/common/context.ts";
import { keepStateInMemory } from "../../nodes/common/folder/state-folder.ts";
import { loadLibrary } from "../../nodes/common/library.ts";
import type { ChildHost, Noted } from "../../rehearsal/child/host.ts";
import { registerOurNodes } from "../../rehearsal/child/our-nodes/index.ts";
import { type Job, type PastEvent, REPORT_LIMITS, type ServiceSnapshot } from "../../rehearsal/shared/job.ts";
import type { CallAnswer, CallToAsk } from "../../rehearsal/shared/messages.ts";
import type { ChannelEvent } from "../../src/index.ts";
import { eventually } from "./eventually.ts";
import type { Message } from "./flow-harness.ts";
import type { FlowNode } from "./node-red.ts";

/** The part of the test helper in use; it comes without types. */
type Helper = {
  init(runtime: string): void;
  settings(settings: object): void;
  startServer(): Promise<void>;
  stopServer(): Promise<void>;
  load(nodes: unknown[], flow: unknown[], credentials: Record<string, unknown>): Promise<void>;
  unload(): Promise<void>;
  getNode(id: string): (Node & { receive(msg: unknown): void }) | null;
};

const require = createRequire(import.meta.url);
export const helper = require("node-red-node-test-helper") as Helper;

type Register = (RED: NodeAPI) => void;

/** The test helper gives nodes all but the hooks. */
const { hooks } = createRequire(require.resolve("node-red"))("@node-red/util") as Pick<NodeAPI, "hooks">;

/** A node of a flow in a Node-RED of this process, and what it has sent by each output. */
export type Sent = Array<{ node: string; output: number; msg: Message }>;

/** Starts a Node-RED in this process before the tests, and ends it after them. */
export function withNodeRed(): void {
  let userDir = "";
  before(async () => {
    await loadLibrary();
    helper.init(require.resolve("node-red"));
    userDir = await mkdtemp(join(tmpdir(), "crec-rehearsed-"));
    helper.settings({ userDir });
    await helper.startServer();
  });
  afterEach(() => helper.unload());
  after(async () => {
    keepStateInMemory(false);
    await helper.stopServer();
    await rm(userDir, { recursive: true, force: true });
  });
}

/** Loads a flow; `outputs` says how many each observed node has. Gives what they send, in order. */
export async function loadFlow(
  registers: readonly Register[],
  flow: readonly FlowNode[],
  outputs: Readonly<Record<string, number>>,
): Promise<Sent> {
  const sent: Sent = [];
  const wired = flow.map((node) => {
    const count = outputs[node.id] ?? 0;
    const own = Array.from({ length: count }, (_, port) => `${node.id}:${port}`);
    const wires = own.map((end, port) => [end, ...((node.wires as string[][] | undefined)?.[port] ?? [])]);
    return count > 0 ? { ...node, z: "tab", wires } : node;
  });
  const ends = Object.entries(outputs).flatMap(([id, count]) =>
    Array.from({ length: count }, (_, port) => ({
      id: `${id}:${port}`,
      z: "tab",
      type: "helper",
      wires: [],
    })),
  );
  const credentials = Object.fromEntries(
    flow.flatMap(({ id, credentials: own }) => (own ? [[id, own]] : [])),
  );
  const withHooks = (RED: NodeAPI): void => {
    RED.hooks = hooks;
    for (const register of registers) register(RED);
  };
  await helper.load([withHooks], [{ id: "tab", type: "tab" }, ...wired, ...ends], credentials);
  for (const [node, count] of Object.entries(outputs)) {
    for (let output = 0; output < count; output += 1) {
      helper.getNode(`${node}:${output}`)?.on("input", (msg) => {
        sent.push({ node, output, msg: structuredClone(msg) as unknown as Message });
      });
    }
  }
  return sent;
}

const EMPTY: ServiceSnapshot = { networks: [], wallets: [], channels: [] };

/** A host without a child process: events are published by the test. */
export class PastHost implements ChildHost {
  readonly job: Job;
  readonly noted: Array<Noted & { event?: number }> = [];
  readonly asked: CallToAsk[] = [];
  answer: CallAnswer = { error: "nobody answers" };
  readonly #takers = new Map<string, Set<(event: PastEvent) => void>>();
  readonly #past = new Map<string, PastEvent[]>();
  readonly #marked = new WeakMap<object, PastEvent>();

  constructor(job: Partial<Job> = {}) {
    this.job = {
      ...{
        flows: [],
        environment: {},
        span: { from: 0, to: 1 },
        seed: 1,
        timeZone: "UTC",
        language: "en-US",
      },
      ...{ snapshot: EMPTY, modules: [], replies: {}, askQueries: false, limits: REPORT_LIMITS },
      ...job,
    };
  }

  get register(): Register {
    return (RED) => registerOurNodes({ ...nodeRedContext(RED), host: this });
  }

  note(outcome: Noted, msg: object = {}): void {
    const offset = this.#marked.get(msg)?.event.headers.offset;
    this.noted.push({ ...outcome, ...(offset === undefined ? {} : { event: offset }) });
  }

  onEvent(channelId: string, take: (event: PastEvent) => void): () => void {
    const takers = this.#takers.get(channelId) ?? new Set();
    this.#takers.set(channelId, takers.add(take));
    return () => takers.delete(take);
  }

  past(channelId: string): readonly PastEvent[] {
    return this.#past.get(channelId) ?? [];
  }

  async ask(call: CallToAsk): Promise<CallAnswer> {
    this.asked.push(call);
    return this.answer;
  }

  mark(msg: object, event: PastEvent): void {
    this.#marked.set(msg, event);
  }

  begin(): () => void {
    return () => {};
  }

  publish(channelId: string, event: ChannelEvent, at = 0): void {
    const past = { channelId, event, at };
    this.#past.set(channelId, [...this.past(channelId), past]);
    for (const take of this.#takers.get(channelId) ?? []) take(past);
  }
}

/** Turns of the event loop, in which all that was begun ends. */
export async function turns(count = 20): Promise<void> {
  // biome-ignore lint/plugin: turns of the event loop, not a time
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Waits some seconds at most until a condition is true. */
export async function until(condition: () => boolean): Promise<void> {
  await eventually(String(condition), condition, { withinMs: 5_000 });
}
