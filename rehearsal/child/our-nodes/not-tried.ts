import { AsyncLocalStorage } from "node:async_hooks";
import { loadLibrary } from "../../../nodes/common/library.ts";
import type { OutcomeKind } from "../../shared/report.ts";

/** What a node would have sent, had it not been a rehearsal. JSON. */
export type NotTried = { kind: OutcomeKind; text: string; request: Record<string, unknown> };

/** The work of a node on one message. */
export type NodeTask = {
  node: string;
  type: string;
  msg: object;
  /** In the order in which they were tried. */
  notTried: NotTried[];
  /** Set where the answer of a call of today is in what the node sends. */
  hasLiveAnswer: boolean;
};

const tasks = new AsyncLocalStorage<NodeTask>();

/** Runs the work of a node: what it asks for belongs to this message. */
export function asTask<T>(task: NodeTask, work: () => T): T {
  return tasks.run(task, work);
}

/** The work that asks now; undefined outside of the work on a message. */
export function currentTask(): NodeTask | undefined {
  return tasks.getStore();
}

/** Notes what would be sent, and gives the error that ends the call. */
export async function notTried(what: NotTried): Promise<Error> {
  currentTask()?.notTried.push(what);
  const { CrecError } = await loadLibrary();
  return new CrecError("NOT_TRIED", `This is a rehearsal, so it was not tried: ${what.text}.`);
}

/** A request that is not sent. `path`: below the base URL. */
type Unsent = {
  method: string;
  path: string;
  query: string;
  body: Record<string, unknown> | undefined;
};

type Named = { kind: OutcomeKind; pattern: RegExp; verb: string };

/** In words of the service's own resources. */
const NAMED: readonly Named[] = [
  { kind: "operation", pattern: /^POST \/channels\/[^/]+\/operations$/, verb: "create an operation" },
  { kind: "operation", pattern: /^PATCH \/channels\/[^/]+\/operations\/[^/]+$/, verb: "change an operation" },
  {
    kind: "operation",
    pattern: /^GET \/channels\/[^/]+\/operations/,
    verb: "read operations of the service",
  },
  { kind: "watcher", pattern: /^POST \/channels\/[^/]+\/watchers$/, verb: "create a watcher" },
  { kind: "watcher", pattern: /^PATCH \/channels\/[^/]+\/watchers\/[^/]+$/, verb: "change a watcher" },
  { kind: "query", pattern: /^POST \/channels\/[^/]+\/queries$/, verb: "run a query" },
  { kind: "query", pattern: /^GET \/channels\/[^/]+\/queries/, verb: "read queries of the service" },
  { kind: "call", pattern: /^POST \/channels$/, verb: "create a channel" },
  { kind: "call", pattern: /^PATCH \/channels\/[^/]+$/, verb: "change a channel" },
  { kind: "call", pattern: /^POST \/wallets$/, verb: "create a wallet" },
  { kind: "call", pattern: /^PATCH \/wallets\/[^/]+$/, verb: "change a wallet" },
];

/** What a request would have done, with what it would have sent. Keys and signatures are never in it. */
export function whatItIs({ method, path, query, body }: Unsent): NotTried {
  const line = `${method} ${path}`;
  const named = NAMED.find(({ pattern }) => pattern.test(line));
  const { signature, ...rest } = body ?? {};
  const name = typeof rest.name === "string" ? ` named "${rest.name}"` : "";
  const request = {
    method,
    path,
    ...(query === "" ? {} : { query }),
    ...(body === undefined ? {} : { body: rest }),
  };
  return { kind: named?.kind ?? "call", text: `${named?.verb ?? line}${name}`, request };
}
