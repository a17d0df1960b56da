import type { NodeAPI } from "node-red";
import type { SharedState } from "../../src/index.ts";
import { eventually } from "../support/eventually.ts";
import type { Code } from "./code.ts";
import * as things from "./things.ts";

const { IDENTITY, MANY, IN_CONTEXT, NODE, TIME, COPY } = things;

/** Writes each kind of file once into the state folder of a Node-RED, and what lies in its context stores. */
export async function writeFolder(code: Code, userDir: string): Promise<things.Context> {
  const RED = things.nodeRedIn(userDir);
  const context: things.Context = { node: {}, global: {} };
  await writeCursors(code, RED, context);
  await writeSeen(code, RED);
  await writeAlerts(code, (id) => new code.library.FileAlertStore({ path: code.alertsPath(RED, id) }));
  await code.fileClaims(RED).claim(things.SIGNING, things.CLAIM);
  const ignored = code.ignored(RED);
  for (const id of things.IGNORED) await ignored.set(id, true);
  code.bindKey(RED, things.API_KEY);
  await writeWait(code, RED);
  return context;
}

/** Of six events, the third is not acknowledged, and the last two are not in the channel yet. */
async function writeCursors(code: Code, RED: NodeAPI, context: things.Context): Promise<void> {
  const { consumer, delivered } = things.reading(code, {
    path: code.cursorPath(RED, IDENTITY.consumer),
    events: 4,
  });
  consumer.start();
  await eventually("four events", () => delivered.length === 4);
  for (const offset of [0, 1, 3]) consumer.ack(`event-${offset}`);
  await consumer.stop();
  const many = new code.library.FileCursorStore({ path: code.cursorPath(RED, MANY.consumer) });
  await many.save(things.stateOf(MANY, things.MANY_EVENTS), "now");
  await many.close();
  const node = things.nodeWith(context);
  await code.contextStore(node, IN_CONTEXT.consumer, "disk").save(things.stateOf(IN_CONTEXT, 2));
  const position = { ...things.stateOf(MANY, 2), epoch: TIME, saved: 7 };
  for (const identity of [IDENTITY, MANY, IN_CONTEXT]) {
    const memory = code.consumerMemory(RED, node, identity);
    await memory.note(identity === MANY ? { position } : {});
    await memory.flush();
  }
}

async function writeSeen(code: Code, RED: NodeAPI): Promise<void> {
  const store = new code.library.FileDedupeStore({ path: code.seenPath(RED, NODE.seen) });
  await store.load();
  for (const { key, seen } of things.SEEN) code.accept(store, key, seen);
  await store.close();
}

export type Rule = "open" | "ended" | "watched";
export type StoreFor = (
  id: string,
) => InstanceType<Code["library"]["FileAlertStore"] | Code["library"]["SharedAlertStore"]>;

/** A rule of two transfers within an hour, or of each transfer while it is not final. */
export function alertRule({ library }: Pick<Code, "library">, store: StoreFor, rule: Rule, nowMs: number) {
  const id = NODE[rule];
  const isWatched = rule === "watched";
  return library.createAlertRule({
    ...{ id, store: store(id), now: () => nowMs, forEach: "params.from", keepsPending: true },
    when: isWatched ? { kind: "each" } : { kind: "count", times: 2, withinMs: things.HOUR_MS },
    recovers: !isWatched,
    ...(isWatched ? { confirmWithinMs: 24 * things.HOUR_MS } : {}),
    details: () => ({ text: "told" }),
  });
}

export async function writeAlerts(code: Code, store: StoreFor): Promise<void> {
  for (const name of ["open", "ended", "watched"] as const) {
    const afterMs = name === "ended" ? 3 * things.HOUR_MS : 20_000;
    const rule = alertRule(code, store, name, TIME * 1000 + afterMs);
    for (const afterS of name === "watched" ? [0] : [0, 10]) await rule.accept(things.transfer(afterS));
    if (name === "ended") await readPast(rule);
    await rule.saved();
    await rule.close();
  }
}

/** Reads to a time at which no two transfers are within an hour. The first step shows how far behind their source is. */
export async function readPast(rule: ReturnType<typeof alertRule>) {
  const first = await rule.readUpTo(TIME * 1000 + things.HOUR_MS / 2);
  return [...first, ...(await rule.readUpTo(TIME * 1000 + 2 * things.HOUR_MS))];
}

async function writeWait(code: Code, RED: NodeAPI): Promise<void> {
  const node = things.waitingNode(code, RED);
  node.give(structuredClone(things.WAIT.msg));
  await eventually("a wait", () => node.waiting.length > 0);
  await node.stop();
}

/** Writes each kind of row or key once. */
export async function writeShared(code: Code, shared: SharedState): Promise<void> {
  const key = code.leaseKey(IDENTITY.consumer, IDENTITY.channelId);
  const lease = await shared.take(key, COPY, things.LONG_MS);
  if (lease === undefined) throw new Error("The lease is not free.");
  const position = { ...things.stateOf(IDENTITY, 2), epoch: lease.epoch, saved: 1 };
  await shared.save(key, lease.epoch, position, things.LONG_MS);
  const free = code.leaseKey(MANY.consumer, MANY.channelId);
  const second = await shared.take(free, COPY, things.LONG_MS);
  await shared.release(free, second?.epoch ?? 0, things.stateOf(MANY, 3));
  const held = [{ key, epoch: lease.epoch }];
  await shared.members({ copy: COPY, group: "0123456789abcdef", leaseMs: things.LONG_MS, held, wanted: [] });
  for (const { key, seen } of things.SEEN)
    await shared.once({ scope: things.SHARED_ONCE, key, ttlMs: things.LONG_MS, ...seen });
  await code.sharedClaims(shared).claim(things.SIGNING, things.CLAIM);
  await writeAlerts(code, sharedAlerts(code, shared));
  await code.noteSharedRule(shared, { id: NODE.open, label: "transfers", tabs: ["tab"] }, TIME * 1000);
  // Longer than a key of an engine can be.
  const long = { scope: "long", key: "k".repeat(300), revision: 0, value: { a: 1 }, ttlMs: things.LONG_MS };
  await shared.writeRecord(long);
}

export function sharedAlerts({ library }: Pick<Code, "library">, shared: SharedState): StoreFor {
  // Earlier versions want to know how many keys there are at most.
  const options = { shared, ttlMs: things.LONG_MS, maxKeys: 10_000 };
  return (scope) => new library.SharedAlertStore({ ...options, scope });
}
