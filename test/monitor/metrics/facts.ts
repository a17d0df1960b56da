import type { Activity } from "../../../nodes/common/telemetry/activity.ts";
import type {
  CallReport,
  ConnectionReport,
  EventReport,
  OperationReport,
  ReaderReport,
} from "../../../nodes/common/telemetry/types.ts";
import type { IssueList } from "../../../plugins/monitor/issues/issues.ts";
import type { Issue } from "../../../plugins/monitor/types.ts";

const origin = { node: "n1", flow: "f1", type: "crec-events-in", label: "events" };

export const connection = (changes: Partial<ConnectionReport> = {}): ConnectionReport => ({
  ...{ ...origin, node: "c1", flow: "", type: "crec-connection", label: "main" },
  ...{ baseUrl: "https://service.example", state: "ok", since: 0, callsLastMinute: 12, budget: undefined },
  ...changes,
});

export const reader = (changes: Partial<ReaderReport> = {}): ReaderReport => ({
  ...origin,
  ...{ consumer: "a", channel: "payments", channelId: "id", state: "reading", inFlight: 0 },
  ...{ delivered: 0, rejected: 0, late: 0 },
  ...changes,
});

export const event = (changes: Partial<EventReport> = {}): EventReport => ({
  ...origin,
  ...{ number: 1, seenAt: 0, consumer: "a", channelId: "id", offset: 1, type: "watcher.event" },
  ...{ proof: "verified", isRedelivered: false, isLate: false },
  ...changes,
});

export const operation = (changes: Partial<OperationReport> = {}): OperationReport => ({
  ...{ ...origin, type: "crec-submit-operation" },
  ...{
    key: "k1",
    channelId: "id",
    status: "signing",
    outcome: "waiting",
    startedAt: 1_000,
    changedAt: 1_000,
  },
  ...changes,
});

export const call = (changes: Partial<CallReport> = {}): CallReport => ({
  ...{ connection: "c1", method: "GET", endpoint: "/channels/{id}/events", status: 200, durationMs: 40 },
  ...changes,
});

export const issue = (changes: Partial<Issue> = {}): Issue => ({
  ...{
    id: "i1",
    check: "wallet-archived",
    severity: "error",
    origin,
    said: { case: "archived", values: {} },
    what: "It is archived.",
    fix: "Use another.",
  },
  ...{ buttons: [], isIgnored: false },
  ...changes,
});

export const listOf = (issues: Issue[]): IssueList => ({
  ...{ revision: 1, all: () => issues, run: async () => {}, check: async () => {}, ignore: async () => {} },
  isUsed: () => true,
});

/** What happens in a flow, one of each. */
export function happen(activity: Activity): void {
  activity.connections.add(() => connection({ budget: 60, keyExpiresAt: 1_800_000_000_000 }));
  activity.readers.add(() => reader({ behind: 7, behindMs: 2_500, inFlight: 3, epoch: 4, state: "behind" }));
  activity.readers.add(() => reader({ consumer: "b", state: "standby" }));
  activity.note({ kind: "event", event: event({ proofMs: 2 }) });
  activity.note({ kind: "event", event: event({ number: 2, isRedelivered: true, isLate: true }) });
  activity.note({
    kind: "event",
    event: event({ number: 3, proof: "rejected", reason: "threshold_not_met", proofMs: 3 }),
  });
  // By events in, and then by a verify event node behind it.
  activity.note({ kind: "event", event: event({ number: 4, proof: "unchecked" }) });
  const before = event({ number: 4, proof: "unchecked" });
  activity.note({ kind: "event", event: event({ number: 4 }), before });
  // Which also takes events of other nodes.
  activity.note({ kind: "event", event: event({ number: 5, consumer: "", proof: "unsigned" }) });
  activity.note({ kind: "call", call: call() });
  activity.note({ kind: "call", call: call({ status: 429, errorCode: "RATE_LIMITED", durationMs: 70_000 }) });
  activity.note({ kind: "call", call: call({ method: "POST", status: undefined, errorCode: "TIMEOUT" }) });
  const sent = operation();
  const safe = operation({ status: "confirmed_safe", changedAt: 13_000 });
  const done = operation({ status: "confirmed_safe", outcome: "reached", changedAt: 14_000 });
  activity.note({ kind: "operation", operation: sent, before: undefined });
  activity.note({ kind: "operation", operation: safe, before: sent });
  activity.note({ kind: "operation", operation: done, before: safe });
  activity.note({ kind: "operation", operation: done, before: done });
  activity.note({ kind: "operation", operation: operation({ key: "k2" }), before: undefined });
  // One that a node found at this level.
  const found = operation({ key: "k3", status: "confirmed_safe", outcome: "waiting", changedAt: 99_000 });
  activity.note({ kind: "operation", operation: found, before: undefined });
  const report = { id: "w", name: "w", service: "https://service.example", seenAt: 0 };
  activity.note({ kind: "resource", resource: "watcher", report: { ...report, status: "active" } });
  activity.note({ kind: "resource", resource: "wallet", report: { ...report, status: "archived" } });
}
