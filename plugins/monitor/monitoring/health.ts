import type { ConnectionReport, ReaderReport } from "../../../nodes/lib/runtime/activity/types.ts";
import { KEY_ENDS_SOON_MS } from "../../../nodes/lib/shared/key-term.ts";
import type { Issue } from "../types.ts";

export const HEALTH_STATUSES = ["ok", "degraded", "failing"] as const;
export type HealthStatus = (typeof HEALTH_STATUSES)[number];

/**
 * `failing`: a person has to act, such as for a refused key. `degraded`: it works in part, or will work again without help,
 * such as with a service that cannot be reached.
 */
export type HealthReason = {
  status: "degraded" | "failing";
  code: HealthCode;
  /** One sentence. */
  message: string;
  /** What the editor shows for the node; empty where it is about no node. */
  label: string;
  /** Its id. */
  node: string;
};

/** Each code has a sentence `monitor.health.<code>` in the catalog. */
const CODES = {
  flows_not_running: "failing",
  key_refused: "failing",
  connection_incomplete: "failing",
  reader_refused: "failing",
  reader_stopped: "failing",
  service_unreachable: "degraded",
  budget_exhausted: "degraded",
  key_expires: "degraded",
  reader_retrying: "degraded",
  reader_waiting: "degraded",
  reader_behind: "degraded",
  issue: "degraded",
} as const satisfies Record<string, HealthReason["status"]>;
export type HealthCode = keyof typeof CODES;
export const HEALTH_CODES = Object.keys(CODES) as HealthCode[];

/** Less is made up for within a poll or two. */
const BEHIND_MS = 300_000;

/** What is looked at. */
export type Checked = {
  connections: readonly ConnectionReport[];
  readers: readonly ReaderReport[];
  issues: readonly Issue[];
  areFlowsRunning: boolean;
  /** Whether a running node uses a config node. */
  isUsed(node: string): boolean;
  /** Unix milliseconds. */
  now: number;
};
/** A sentence of the catalog. */
export type Say = (key: string, values: Record<string, string>) => string;

export type Health = { status: HealthStatus; reasons: HealthReason[] };

/** How this process is. The reasons of what fails come first. */
export function healthOf(checked: Checked, say: Say): Health {
  const { readers, issues, areFlowsRunning, isUsed, now } = checked;
  // One that was left over by an import stops nothing.
  const connections = checked.connections.filter(({ state, node }) => state !== "incomplete" || isUsed(node));
  const reason = (code: HealthCode, { label, node }: { label: string; node: string }, detail = "") => ({
    ...{ status: CODES[code], code },
    message: say(`monitor.health.${code}`, { label, detail }).trim(),
    ...{ label, node },
  });
  const ofNodes: HealthReason[] = [
    ...(areFlowsRunning ? [] : [reason("flows_not_running", { label: "", node: "" })]),
    ...connections.flatMap((connection) =>
      codesOfConnection(connection, now).map((code) => reason(code, connection, connection.problem?.message)),
    ),
    ...readers.flatMap((reader) =>
      codesOfReader(reader).map((code) => reason(code, reader, reader.problem?.message)),
    ),
  ];
  const failing = ofNodes.filter(({ status }) => status === "failing");
  // The issue of such a node says the same again.
  const isSaid = ({ origin }: Issue) => failing.some(({ node }) => node === origin.node);
  const ofIssues = issues
    .filter((issue) => !issue.isIgnored && issue.severity === "error" && !isSaid(issue))
    .map(({ origin, what, fix }) => reason("issue", origin, `${what} ${fix}`));
  const degraded = [...ofNodes.filter(({ status }) => status === "degraded"), ...ofIssues];
  const status = failing.length > 0 ? "failing" : degraded.length > 0 ? "degraded" : "ok";
  return { status, reasons: [...failing, ...degraded] };
}

function codesOfConnection(connection: ConnectionReport, now: number): HealthCode[] {
  const { state, budget, callsLastMinute, keyExpiresAt } = connection;
  const codes: HealthCode[] = [];
  if (state === "refused") codes.push("key_refused");
  if (state === "incomplete") codes.push("connection_incomplete");
  if (state === "unreachable") codes.push("service_unreachable");
  if (budget !== undefined && callsLastMinute >= budget) codes.push("budget_exhausted");
  if (keyExpiresAt !== undefined && keyExpiresAt - now < KEY_ENDS_SOON_MS) codes.push("key_expires");
  return codes;
}

function codesOfReader({ state, problem, behindMs = 0 }: ReaderReport): HealthCode[] {
  const codes: HealthCode[] = [];
  if (state === "refused") codes.push("reader_refused");
  // Without an error, a person has stopped it.
  if (state === "stopped" && problem !== undefined) codes.push("reader_stopped");
  if (state === "retrying") codes.push("reader_retrying");
  if (state === "waiting") codes.push("reader_waiting");
  if (behindMs > BEHIND_MS) codes.push("reader_behind");
  return codes;
}
