import { stateRefusals } from "../../../nodes/common/folder/state-files.ts";
import { KEY_ENDS_SOON_MS } from "../../../nodes/common/shared/times.ts";
import type {
  ConnectionReport,
  ReaderReport,
  SharedStateReport,
} from "../../../nodes/common/telemetry/types.ts";
import type { MonitorContext } from "../context.ts";
import type { Issue } from "../types.ts";

export const HEALTH_STATUSES = ["ok", "degraded", "failing"] as const;
export type HealthStatus = (typeof HEALTH_STATUSES)[number];

/**
 * `failing`: a person has to act, such as for a refused key. `degraded`: it works in part, or will work again without help,
 * such as with a service that cannot be reached.
 */
type HealthReason = {
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
  reader_blocked: "failing",
  shared_state_refused: "failing",
  state_folder_refused: "failing",
  service_unreachable: "degraded",
  budget_exhausted: "degraded",
  key_expires: "degraded",
  reader_retrying: "degraded",
  reader_waiting: "degraded",
  reader_behind: "degraded",
  shared_state_retrying: "degraded",
  issue: "degraded",
} as const satisfies Record<string, HealthReason["status"]>;
type HealthCode = keyof typeof CODES;
export const HEALTH_CODES = Object.keys(CODES) as HealthCode[];

/** Less is made up for within a poll or two. */
const BEHIND_MS = 300_000;

/** A person who changes a password, or rights, needs some time. A new copy that does not work must not replace others. */
const PATIENCE_MS = 120_000;

/** How the nodes of this process are, and what is wrong with them: metrics, health and diagnostics are made of it. */
export type MonitorState = {
  connections: readonly ConnectionReport[];
  readers: readonly ReaderReport[];
  sharedStates: readonly SharedStateReport[];
  issues: readonly Issue[];
  /** Why this process may not use its state folder. */
  stateRefusals: readonly string[];
  areFlowsRunning: boolean;
  /** Whether a running node uses a config node. */
  isUsed(node: string): boolean;
  /** Unix milliseconds. */
  now: number;
};
/** A sentence of the catalog. */
type Say = (key: string, values: Record<string, string>) => string;

export type Health = { status: HealthStatus; reasons: HealthReason[] };

/** Read once for each answer. */
export function stateOf({ activity, issues, areFlowsRunning }: Omit<MonitorContext, "RED">): MonitorState {
  return {
    connections: activity.connections.reports(),
    readers: activity.readers.reports(),
    sharedStates: activity.sharedStates.reports(),
    issues: issues.all(),
    stateRefusals: stateRefusals(),
    areFlowsRunning: areFlowsRunning(),
    isUsed: (node) => issues.isUsed(node),
    now: Date.now(),
  };
}

/** How this process is. The reasons of what fails come first. */
export function healthOf(checked: MonitorState, say: Say): Health {
  const { readers, sharedStates, issues, stateRefusals, areFlowsRunning, isUsed, now } = checked;
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
      codesOfReader(reader, now).map((code) => reason(code, reader, reader.problem?.message)),
    ),
    ...sharedStates.flatMap((state) =>
      state.problem === undefined
        ? []
        : [reason(codeOfSharedState(state, now), state, state.problem.message)],
    ),
    // A reader says the same of its own files.
    ...(readers.some(({ problem }) => problem?.code === "STATE_NOT_PERMITTED") ? [] : stateRefusals)
      .slice(0, 1)
      .map((sentence) => reason("state_folder_refused", { label: "", node: "" }, sentence)),
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

function codesOfReader(reader: ReaderReport, now: number): HealthCode[] {
  const { state, problem, behindMs = 0 } = reader;
  const codes: HealthCode[] = [];
  if (state === "refused") codes.push("reader_refused");
  // Without an error, a person has stopped it.
  else if (state === "stopped" && problem)
    codes.push(isForPerson(problem, true) ? "reader_stopped" : "reader_retrying");
  else if (isOverdue(reader, now)) codes.push("reader_blocked");
  else if (state === "retrying") codes.push("reader_retrying");
  else if (state === "waiting") codes.push("reader_waiting");
  if (behindMs > BEHIND_MS) codes.push("reader_behind");
  return codes;
}

function codeOfSharedState(state: SharedStateReport, now: number): HealthCode {
  return isOverdue(state, now) ? "shared_state_refused" : "shared_state_retrying";
}

/** Whether only a person can help, at the start or for some time now. */
function isOverdue({ problem, problemSince = 0 }: SharedStateReport | ReaderReport, now: number): boolean {
  return problem !== undefined && isForPerson(problem, false) && now - problemSince >= PATIENCE_MS;
}

/** A service may have codes of its own: then it is decided by whether the node tries again. */
function isForPerson({ code }: { code: string }, isStopped: boolean): boolean {
  return (READER_CODES.get(code) ?? (isStopped ? "failing" : "degraded")) === "failing";
}

/** These stop a reader until a person acts: a service that comes back, or more time, does not help. */
const FAILING = [
  // The shared state.
  ...["SHARED_STATE_REFUSED", "SHARED_STATE_NEWER", "SHARED_CURSOR_DAMAGED", "FLEET_INCOMPLETE"],
  // The key, and what is sent.
  ...["KEY_REFUSED", "FORBIDDEN", "ORGANIZATION_NOT_FOUND", "VALIDATION_ERROR"],
  // The cursor, and the folder of this copy.
  ...["CHANNEL_REPLACED", "CURSOR_OF_ANOTHER_CHANNEL", "CURSOR_LOST", "CURSOR_FILE_DAMAGED"],
  ...["STATE_FILE_NEWER", "CURSOR_NOT_READ", "CURSOR_NOT_SAVED", "FOLDER_NOT_LOCKED", "STATE_NOT_PERMITTED"],
  "CONSUMER_NAME_TAKEN",
  // The configuration.
  ...["CONNECTION_MISSING", "CONNECTION_INCOMPLETE", "KEY_NEEDS_CONFIRMATION", "KEY_BINDING_NOT_SAVED"],
  ...["CONFIG_NODE_DISABLED", "CONFIG_NODE_DELETED"],
  ...["PROXY_INCOMPLETE", "CHANNEL_MISSING", "CHANNEL_INCOMPLETE", "VARIABLE_MISSING"],
  ...["INVALID_FIELD", "INVALID_ARGUMENT", "MISSING_VALUE", "PACKAGE_DAMAGED"],
] as const;

/** These may pass without help, are of one event, or another copy reads. */
const DEGRADED = [
  // The shared state gives no answer, is full, or is read only for a time: the same for all copies.
  "SHARED_STATE_UNREACHABLE",
  // The service. Its certificate is the matter of who runs it.
  ...["SERVICE_UNREACHABLE", "TLS_ERROR", "TIMEOUT", "BAD_RESPONSE", "SERVICE_ERROR", "CHAIN_UNAVAILABLE"],
  ...["RATE_LIMITED", "BUDGET_EXHAUSTED", "CURSOR_BEYOND_END", "PAGES_DO_NOT_ADVANCE"],
  // The flow, or somebody else, may be about to create it.
  ...["NOT_FOUND", "CHANNEL_NOT_FOUND", "WATCHER_NOT_FOUND"],
  // One event.
  ...["EVENT_TOO_LARGE", "ITEM_TOO_LARGE", "RESPONSE_TOO_LARGE", "DELIVERY_FAILED", "CONSUMER_FAILED"],
  // Another copy, or the next deploy, goes on.
  ...["CONSUMER_MOVED", "CLIENT_CLOSED", "SHARED_STATE_CLOSED"],
] as const;

/** What an error of a reader means for the health. The page about metrics has the same table. */
export const READER_CODES: ReadonlyMap<string, "failing" | "degraded"> = new Map([
  ...FAILING.map((code) => [code, "failing"] as const),
  ...DEGRADED.map((code) => [code, "degraded"] as const),
]);
