import type { Activity } from "../../../nodes/common/telemetry/activity.ts";
import type {
  ConnectionReport,
  EventReport,
  OperationReport,
  Problem,
  ReaderReport,
  ResourceReport,
} from "../../../nodes/common/telemetry/types.ts";
import { isUuid } from "../../../src/protocol/ids.ts";
import type { Issue } from "../types.ts";
import { shortened } from "./redact.ts";
import type { Diagnostics, Entry } from "./report.ts";
import { kindOfAddress, type LabelOf } from "./shown-fields.ts";
import type { ReportedError } from "./statuses-and-errors.ts";

export type Describing = { labelOf: LabelOf; redact: (text: string) => string };
/** What the nodes report, as diagnostics show it. */
type ActivityEntries = Pick<
  Diagnostics,
  "connections" | "readers" | "operationsUnderWay" | "operationsEnded" | "watchers" | "wallets" | "events"
>;

const REMOVED = "(removed)";
const CHAIN = /^\d{1,20}$/;

export function activityEntries(activity: Activity, describing: Describing): ActivityEntries {
  const operation = (one: OperationReport) => operationEntry(one, describing);
  return {
    connections: activity.connections.reports().map((one) => connectionEntry(one, describing)),
    readers: activity.readers.reports().map((one) => readerEntry(one, describing)),
    operationsUnderWay: newestFirst(activity.underWay.all()).map(operation),
    operationsEnded: newestFirst(activity.ended.all()).map(operation),
    watchers: newestFirst(activity.watchers.all()).map((one) => resourceEntry(one, describing)),
    wallets: newestFirst(activity.wallets.all()).map((one) => resourceEntry(one, describing)),
    events: newestFirst(activity.events.all()).map((one) => eventEntry(one, describing)),
  };
}

export function issueEntry(
  { check, severity, what, fix, isIgnored, origin }: Issue,
  describing: Describing,
): Entry {
  const { labelOf, redact } = describing;
  return {
    check,
    severity,
    node: labelOf(origin.node) ?? REMOVED,
    what: redact(what),
    fix: redact(fix),
    isIgnored,
  };
}

export function errorEntry({ node, code, text, at, times }: ReportedError, describing: Describing): Entry {
  const { labelOf, redact } = describing;
  return {
    at: timeOf(at),
    node: labelOf(node) ?? REMOVED,
    code: code && redact(code),
    text: redact(text),
    times,
  };
}

function connectionEntry(report: ConnectionReport, { labelOf, redact }: Describing): Entry {
  return {
    node: labelOf(report.node) ?? REMOVED,
    service: kindOfAddress(report.baseUrl),
    state: report.state,
    since: timeOf(report.since),
    ...problemOf(report.problem, redact),
    callsLastMinute: report.callsLastMinute,
    budget: report.budget,
    keyExpiresAt: timeOf(report.keyExpiresAt),
  };
}

function readerEntry(report: ReaderReport, { labelOf, redact }: Describing): Entry {
  return {
    node: labelOf(report.node) ?? REMOVED,
    channelId: idOf(report.channelId),
    state: report.state,
    position: report.position,
    behind: report.behind,
    behindMs: report.behindMs,
    inFlight: report.inFlight,
    delivered: report.delivered,
    rejected: report.rejected,
    late: report.late,
    epoch: report.epoch,
    ...problemOf(report.problem, redact),
  };
}

function operationEntry(report: OperationReport, { labelOf, redact }: Describing): Entry {
  return {
    node: labelOf(report.node) ?? REMOVED,
    operationId: idOf(report.operationId),
    channelId: idOf(report.channelId),
    network: chainOf(report.chainSelector),
    wallet: report.wallet && shortened(report.wallet),
    status: redact(report.status),
    isProven: report.isProven,
    outcome: report.outcome,
    reason: report.reason && codeIn(report.reason, redact),
    startedAt: timeOf(report.startedAt),
    changedAt: timeOf(report.changedAt),
  };
}

function resourceEntry(report: ResourceReport, { labelOf, redact }: Describing): Entry {
  return {
    id: idOf(report.id),
    channelId: idOf(report.channelId),
    status: redact(report.status),
    reason: report.reason && codeIn(report.reason, redact),
    network: chainOf(report.chainSelector),
    address: report.address && shortened(report.address),
    seenAt: timeOf(report.seenAt),
    node: report.origin && (labelOf(report.origin.node) ?? REMOVED),
  };
}

function eventEntry(report: EventReport, { labelOf, redact }: Describing): Entry {
  return {
    seenAt: timeOf(report.seenAt),
    node: labelOf(report.node) ?? REMOVED,
    channelId: idOf(report.channelId),
    offset: report.offset,
    type: redact(report.type),
    network: chainOf(report.chainSelector),
    confidence: report.confidence && redact(report.confidence),
    proof: report.proof,
    reason: report.reason && codeIn(report.reason, redact),
    proofMs: report.proofMs && Math.round(report.proofMs),
    isRedelivered: report.isRedelivered,
    isLate: report.isLate,
  };
}

function problemOf(problem: Problem | undefined, redact: Describing["redact"]): Entry {
  return problem ? { code: redact(problem.code), problem: redact(problem.message) } : {};
}

/** The reason of a contract can contain values. */
function codeIn(reason: string, redact: Describing["redact"]): string {
  return /^[\w-]+$/.test(reason) ? redact(reason) : `(${reason.length} characters)`;
}

function idOf(id: string | undefined): string | undefined {
  if (id === undefined || id === "") return undefined;
  return isUuid(id) ? id : "(no UUID)";
}

function chainOf(selector: string | undefined): string | undefined {
  return selector !== undefined && CHAIN.test(selector) ? selector : undefined;
}

function timeOf(ms: number | undefined): string | undefined {
  const time = new Date(ms ?? Number.NaN);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

function newestFirst<T>(reports: readonly T[]): T[] {
  return [...reports].reverse();
}
