import { EventEmitter } from "node:events";
import type { Node, NodeAPI, NodeDef } from "node-red";
import type { CrecMessage } from "../../nodes/common/messages/message.ts";
import type { Copy, CursorState, Delivery, EventConsumer, EventSource } from "../../src/index.ts";
import type { Code } from "./code.ts";

/** What is stored, by whichever version: the same each time. */

export const SERVICE = "https://crec.example/v1";
export const IDENTITY = {
  consumer: "orders",
  channelId: "5b0c1d5e-6a35-4b7e-9a53-3c1f0a4d2e11",
  service: SERVICE,
};
/** More delivered events than are kept in the file of a cursor. */
export const MANY = { ...IDENTITY, consumer: "many" };
export const MANY_EVENTS = 501;
export const IN_CONTEXT = { ...IDENTITY, consumer: "in context" };

/** Of the first block, in seconds. */
export const TIME = 1_780_000_000;
export const HOUR_MS = 3_600_000;
/** Long after this code is gone. */
export const NEVER_OVER_S = 4_102_444_800;
export const LONG_MS = 40 * 365 * 86_400_000;

export const COPY: Copy = { id: "6f1d4c52-0a77-4c0e-8f4b-1f2a3b4c5d6e", name: "pod-a" };
export const NODE = {
  seen: "a1b2c3d4e5f60718",
  /** Its alert is open. */
  open: "b1b2c3d4e5f60718",
  /** Its alert has ended, which nobody has been told. */
  ended: "b2b2c3d4e5f60718",
  /** Its alert may be taken back. */
  watched: "b3b2c3d4e5f60718",
  waits: "c1b2c3d4e5f60718",
};
export const SHARED_ONCE = "d1b2c3d4e5f60718";
export const SIGNING = `0x${"51".repeat(32)}`;
export const CLAIM = { digest: `0x${"d1".repeat(32)}`, deadline: NEVER_OVER_S };
export const OTHER_CLAIM = { digest: `0x${"d2".repeat(32)}`, deadline: NEVER_OVER_S - 1 };
export const IGNORED = ["unwatched w-1", "low-gas 0xabc"];
export const API_KEY = {
  id: "connection",
  stored: "not-a-real-key",
  addresses: [`${SERVICE}/`, "proxy: environment"],
};
export const SEEN = [
  { key: "1:0xab:7:latest" },
  {
    key: "1:0xab:8:latest",
    seen: {
      delivery: { id: `${IDENTITY.channelId} orders event-8`, redelivered: false },
      digest: "a".repeat(64),
    },
  },
];
export const WAIT = {
  id: "operation-1",
  about: { channelId: IDENTITY.channelId, operationId: "operation-1", step: 2 },
  msg: { _msgid: "msg-1", topic: "pay", payload: { amount: "5" }, crec: { eventId: "event-3" } },
};

/** A Node-RED that has nothing but a user directory, and stores for context. */
export function nodeRedIn(userDir: string): NodeAPI & { events: EventEmitter } {
  const flow = Object.values(NODE).map((id) => ({ id, type: "crec-test" }));
  const silent = () => {};
  return {
    settings: { userDir, contextStorage: { disk: { module: "localfilesystem" } } },
    events: new EventEmitter(),
    log: { info: silent, warn: silent },
    nodes: {
      eachNode: (call: (one: object) => void) => flow.forEach(call),
      getNode: (id: string) => flow.find((one) => one.id === id),
    },
    util: { cloneMessage: structuredClone },
    _: (key: string) => key,
  } as unknown as NodeAPI & { events: EventEmitter };
}

/** What Node-RED's context stores hold: of the node, and of all. */
export type Context = { node: Record<string, unknown>; global: Record<string, unknown> };

export function nodeWith(context: Context, id = "events"): Node {
  const storeOf = (values: Record<string, unknown>) => ({
    get: (key: string, _store: string, done: (error: null, value: unknown) => void) =>
      done(null, values[key]),
    set: (key: string, value: unknown, _store: string, done: (error: null) => void) => {
      values[key] = value;
      done(null);
    },
  });
  return {
    id,
    context: () => ({ ...storeOf(context.node), global: storeOf(context.global) }),
  } as unknown as Node;
}

export function stateOf(identity: typeof IDENTITY, delivered: number): CursorState {
  const ids = Array.from({ length: delivered }, (_, offset): [number, string] => [offset, `e${offset}`]);
  const end = delivered - 1;
  return { version: 1, identity, cursor: end, floor: -1, handedOut: end, delivered: ids };
}

/** A channel with so many events. */
export function channelOf(count: number): EventSource {
  const events = Array.from({ length: count }, (_, offset) => ({
    event_id: `event-${offset}`,
    headers: { type: "watcher.status", offset, proofs: [] },
    payload: { status: "active" },
    created_at: TIME + offset,
  }));
  const source = {
    poll: async ({ offset = -1, limit }: { offset?: number; limit: number }) => {
      const page = events.filter(({ headers }) => headers.offset >= offset).slice(0, limit);
      return { events: structuredClone(page), has_more: false };
    },
    get: async (id: string) => {
      const found = events.find(({ event_id, headers }) =>
        [event_id, `offset:${headers.offset}`].includes(id),
      );
      if (found === undefined) throw Object.assign(new Error("There is none."), { code: "EVENT_NOT_FOUND" });
      return structuredClone(found);
    },
  };
  return source as unknown as EventSource;
}

/** A consumer that reads from the beginning, and what was delivered to it. Nothing is acknowledged unless it is told to. */
export function reading(
  { library }: Pick<Code, "library">,
  options: { path: string; events: number },
): { consumer: EventConsumer; delivered: Delivery[] } {
  const delivered: Delivery[] = [];
  const consumer = new library.EventConsumer({
    source: channelOf(options.events),
    store: new library.FileCursorStore({ path: options.path, minIntervalMs: 1 }),
    identity: IDENTITY,
    start: "beginning",
    commit: "on-ack",
    inFlight: 10,
    ackTimeoutMs: Number.POSITIVE_INFINITY,
    pollMinMs: 10,
    pollMaxMs: 20,
    proofWaitMs: 0,
    deliver: (delivery) => {
      delivered.push(delivery);
    },
  });
  return { consumer, delivered };
}

/** A transfer of one account, in a transaction and a block so many seconds after the first. */
export function transfer(afterS: number, confidence = "latest") {
  const transactionHash = `0x${String(10 + afterS).repeat(32)}`;
  return {
    decoded: {
      name: "Transfer",
      params: { from: `0x${"11".repeat(20)}`, value: String(5 + afterS) },
      contract: "0x5b571A50AC6cB524730C8419EBe452703139809A",
      chainSelector: "16015286601757825753",
      transactionHash,
      blockNumber: 6_500_000 + afterS,
      blockTime: TIME + afterS,
      logIndex: 3,
      confidence,
      watcherId: "w-1",
    },
    dedupeKey: `11155111:${transactionHash}:3:${confidence}`,
  };
}

/** A node that waits for the operation until it is told to end. */
export function waitingNode({ onInput }: Pick<Code, "onInput">, RED: NodeAPI) {
  const waiting: Array<{ msg: CrecMessage; kept: unknown; end: () => void }> = [];
  const node = Object.assign(new EventEmitter(), {
    ...{
      id: NODE.waits,
      type: "crec-test",
      status: () => {},
      log: () => {},
      debug: () => {},
      error: () => {},
    },
    warn: () => {},
    receive: (msg: CrecMessage) =>
      node.emit(
        "input",
        msg,
        () => {},
        () => {},
      ),
  });
  const connection = { baseUrl: SERVICE } as never;
  onInput(
    RED,
    node as unknown as Node,
    { id: NODE.waits, type: "crec-test" } as NodeDef,
    async ({ msg, signal, kept, keep }) => {
      await keep({ id: WAIT.id, connection, about: kept?.about ?? WAIT.about });
      await new Promise<void>((end, reject) => {
        waiting.push({ msg, kept, end });
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    },
    { resumes: () => true },
  );
  const stop = () => new Promise<void>((resolve) => node.emit("close", false, resolve));
  return { give: (msg: CrecMessage) => node.receive(msg), waiting, stop };
}
