import type { OutcomeKind } from "../../shared/report.ts";
import type { NotTried } from "./not-tried.ts";

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
