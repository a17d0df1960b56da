import type { Activity } from "../../../nodes/common/telemetry/activity.ts";
import type { ConnectionReport, ReaderReport } from "../../../nodes/common/telemetry/types.ts";
import type { BoundedValues, Bounds } from "./bounds.ts";
import { type Family, gauge, type Labels } from "./exposition.ts";
import { HEALTH_STATUSES, type HealthStatus, type MonitorState } from "./health.ts";

/** What the nodes report, and what follows from it, for one answer. */
type Snapshot = Pick<MonitorState, "connections" | "readers" | "issues"> & { health: HealthStatus };
type Value = readonly [Labels, number];

/** The types make both lists complete. */
const CONNECTION_STATES: Readonly<Record<ConnectionReport["state"], true>> = {
  ...{ unused: true, ok: true, refused: true, unreachable: true, incomplete: true },
};
const READER_STATES: Readonly<Record<ReaderReport["state"], true>> = {
  ...{ reading: true, behind: true, standby: true, waiting: true },
  ...{ retrying: true, refused: true, paused: true, stopped: true },
};

/** Values as they are now, read at each scrape. */
export function gauges(snapshot: Snapshot, activity: Activity, bounds: Bounds): Family[] {
  const { connections, readers, issues, health } = snapshot;
  return [
    gauge(
      { name: "crec_health", help: "1 for the status that GET /crec/health answers, 0 for the others." },
      () => counts("status", [health], HEALTH_STATUSES),
    ),
    ...ofConnections(connections, bounds),
    ...ofReaders(readers, bounds),
    ...ofActivity(activity, bounds),
    gauge({ name: "crec_issues", help: "Issues that are not ignored, by check and severity." }, () =>
      issues
        .filter(({ isIgnored }) => !isIgnored)
        .map(({ check, severity }) => [{ check: bounds.check.of(check), severity }, 1] as const),
    ),
  ];
}

function ofConnections(connections: readonly ConnectionReport[], bounds: Bounds): Family[] {
  const each = (take: (connection: ConnectionReport) => number | undefined): Value[] =>
    connections.flatMap((connection) => {
      const value = take(connection);
      const labels = {
        connection: bounds.connection.of(connection.label),
        node: bounds.node.of(connection.node),
      };
      return value === undefined ? [] : [[labels, value] as const];
    });
  const states = connections.map(({ state }) => state);
  return [
    gauge({ name: "crec_connections", help: "Connections, by state." }, () =>
      counts("state", states, Object.keys(CONNECTION_STATES)),
    ),
    gauge(
      {
        name: "crec_connection_up",
        help: "0 for a connection whose key is refused, that is incomplete or does not reach the service, else 1.",
      },
      () => each(({ state }) => Number(state === "ok" || state === "unused")),
      Math.min,
    ),
    gauge(
      {
        name: "crec_connection_budget_used_calls",
        help: "Attempts of calls of a connection in the last 60 seconds.",
      },
      () => each(({ callsLastMinute }) => callsLastMinute),
    ),
    gauge(
      {
        name: "crec_connection_budget_limit_calls",
        help: "Calls in 60 seconds that a connection allows. Absent without a limit.",
      },
      () => each(({ budget }) => budget),
    ),
    gauge(
      {
        name: "crec_connection_key_expiry_timestamp_seconds",
        unit: "seconds",
        help: "When the key of a connection ends, where its form says it. Unix time.",
      },
      () => each(({ keyExpiresAt }) => (keyExpiresAt === undefined ? undefined : keyExpiresAt / 1_000)),
      Math.min,
    ),
  ];
}

function ofReaders(readers: readonly ReaderReport[], bounds: Bounds): Family[] {
  const each = (take: (reader: ReaderReport) => number | undefined): Value[] =>
    readers.flatMap((reader) => {
      const value = take(reader);
      return value === undefined ? [] : [[{ consumer: bounds.consumer.of(reader.consumer) }, value] as const];
    });
  const states = readers.map(({ state }) => state);
  return [
    gauge({ name: "crec_readers", help: "Events in nodes, by state." }, () =>
      counts("state", states, Object.keys(READER_STATES)),
    ),
    gauge(
      { name: "crec_reader_reading", help: "1 if this process reads for the consumer, else 0." },
      () => each(({ state }) => Number(isReading(state))),
      Math.max,
    ),
    gauge(
      {
        name: "crec_reader_lag_events",
        help: "About the number of events that a consumer has still to read.",
      },
      () => each(({ state, behind }) => behind ?? (isReading(state) ? 0 : undefined)),
    ),
    gauge(
      {
        name: "crec_reader_lag_seconds",
        unit: "seconds",
        help: "Age of the position of a consumer that is behind, else 0.",
      },
      () =>
        each(({ state, behindMs }) =>
          behindMs === undefined ? (isReading(state) ? 0 : undefined) : behindMs / 1_000,
        ),
      Math.max,
    ),
    gauge(
      { name: "crec_reader_in_flight_events", help: "Events that were delivered and are not completed." },
      () => each(({ inFlight }) => inFlight),
    ),
    gauge(
      {
        name: "crec_reader_lease_epoch",
        help: "Number of the lease of a consumer, where copies share its cursor. It rises with each new holder.",
      },
      () => each(({ epoch }) => epoch),
      Math.max,
    ),
  ];
}

function ofActivity(activity: Activity, bounds: Bounds): Family[] {
  const statuses = (reports: ReadonlyArray<{ status: string }>, bound: BoundedValues) =>
    counts(
      "status",
      reports.map(({ status }) => bound.of(status)),
    );
  return [
    gauge({ name: "crec_operations_under_way", help: "Operations that nodes wait for, by status." }, () =>
      statuses(activity.underWay.all(), bounds.operationStatus),
    ),
    gauge({ name: "crec_watchers", help: "Watchers that nodes saw, by the status that they saw last." }, () =>
      statuses(activity.watchers.all(), bounds.watcherStatus),
    ),
    gauge({ name: "crec_wallets", help: "Wallets that nodes saw, by the status that they saw last." }, () =>
      statuses(activity.wallets.all(), bounds.walletStatus),
    ),
  ];
}

/** Also one that catches up. */
function isReading(state: ReaderReport["state"]): boolean {
  return state === "reading" || state === "behind";
}

/** How often each value is there; 0 for those of `always` that are not, so that an alert sees the difference. */
function counts(label: string, values: readonly string[], always: readonly string[] = []): Value[] {
  return [
    ...always.map((value) => [{ [label]: value }, 0] as const),
    ...values.map((value) => [{ [label]: value }, 1] as const),
  ];
}
