import { KEY_ENDS_SOON_MS } from "../../../nodes/common/shared/key-term.ts";
import type {
  ConnectionReport,
  ReaderReport,
  SharedStateReport,
} from "../../../nodes/common/telemetry/types.ts";
import type { Issue } from "../types.ts";
import { READER_CODES } from "./reader-codes.ts";

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

/** What is looked at. */
export type Checked = {
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
export type Say = (key: string, values: Record<string, string>) => string;

export type Health = { status: HealthStatus; reasons: HealthReason[] };

/** How this process is. The reasons of what fails come first. */
export function healthOf(checked: Checked, say: Say): Health {
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
