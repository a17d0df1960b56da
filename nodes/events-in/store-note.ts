import type { Node, NodeAPI } from "node-red";

/** What Node-RED's store in files does unless its settings say otherwise. */
const FLUSH_SECONDS = 30;

/** Nodes that have said it: a deploy does not say it again. */
const reported = new Set<string>();

/** Writes into the log, once, what a crash or a restart does to a cursor in a context store. */
export function noteOnStore(RED: NodeAPI, node: Node, store: string): void {
  const note = noteOf(RED, store);
  const key = `${node.id} ${store}`;
  if (note === undefined || reported.has(key)) return;
  reported.add(key);
  node.log(note);
}

function noteOf(RED: NodeAPI, store: string): string | undefined {
  const { module, config } = storeOf(RED, store);
  if (module === "memory") return RED._("events-in.log.memory-store", { store });
  // What other stores do is for their documents to say.
  if (module !== "localfilesystem" || config.cache === false) return undefined;
  const seconds = Number(config.flushInterval ?? FLUSH_SECONDS);
  return seconds > 0 ? RED._("events-in.log.late-store", { store, count: seconds }) : undefined;
}

type StoreSettings = { module: unknown; config: { cache?: unknown; flushInterval?: unknown } };

/** How a store is set up; without any settings, Node-RED has one in memory. */
export function storeOf({ settings }: NodeAPI, name: string): StoreSettings {
  const { contextStorage } = settings as { contextStorage?: Record<string, unknown> };
  if (!contextStorage || Object.keys(contextStorage).length === 0) return { module: "memory", config: {} };
  const named = contextStorage[name];
  // The default may be the name of another one.
  const found = typeof named === "string" ? contextStorage[named] : named;
  const { module, config } = (found ?? {}) as { module?: unknown; config?: StoreSettings["config"] };
  return { module, config: config ?? {} };
}
