import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import type { ConnectionReport, ReaderReport } from "../../../nodes/lib/runtime/activity/types.ts";
import { HEALTH_CODES, healthOf } from "../../../plugins/monitor/monitoring/health.ts";
import type { Issue } from "../../../plugins/monitor/types.ts";
import { connection, issue, reader } from "./facts.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const NOW = 1_800_000_000_000;
const HOUR = 3_600_000;
const problem = { code: "X", message: "It says why." };

type Given = {
  connections?: ConnectionReport[];
  readers?: ReaderReport[];
  issues?: Issue[];
  areFlowsRunning?: boolean;
  isUsed?: () => boolean;
};
const health = ({ connections = [], readers = [], issues = [], ...given }: Given) =>
  healthOf(
    { connections, readers, issues, areFlowsRunning: true, isUsed: () => true, now: NOW, ...given },
    (key, { label, detail }) => `${key} ${label} ${detail}`,
  );
const codes = (given: Given) => {
  const { status, reasons } = health(given);
  return [status, ...reasons.map(({ code }) => code)];
};

describe("the health", () => {
  it("is ok with nothing deployed, and with what works", () => {
    should(health({})).deepEqual({ status: "ok", reasons: [] });
    const connections = [connection(), connection({ state: "unused", keyExpiresAt: NOW + 15 * 24 * HOUR })];
    const readers = [
      ...(["reading", "behind", "standby", "paused", "stopped"] as const).map((state) => reader({ state })),
      reader({ state: "behind", behindMs: 300_000 }),
    ];
    const issues = [issue({ severity: "warning" }), issue({ isIgnored: true })];
    should(codes({ connections, readers, issues })).deepEqual(["ok"]);
  });

  it("is degraded, and a pod stays, where it will work again by itself", () => {
    for (const [given, code] of [
      [{ connections: [connection({ state: "unreachable" })] }, "service_unreachable"],
      [{ connections: [connection({ callsLastMinute: 60, budget: 60 })] }, "budget_exhausted"],
      [{ connections: [connection({ keyExpiresAt: NOW + 13 * 24 * HOUR })] }, "key_expires"],
      [{ readers: [reader({ state: "retrying", problem })] }, "reader_retrying"],
      [{ readers: [reader({ state: "waiting" })] }, "reader_waiting"],
      [{ readers: [reader({ state: "behind", behindMs: 300_001 })] }, "reader_behind"],
      [{ issues: [issue()] }, "issue"],
    ] as const satisfies ReadonlyArray<readonly [Given, string]>)
      should(codes(given)).deepEqual(["degraded", code]);
  });

  it("is failing where only a person can help, and says that first", () => {
    for (const [given, code] of [
      [{ connections: [connection({ state: "refused", problem })] }, "key_refused"],
      [{ connections: [connection({ state: "incomplete" })] }, "connection_incomplete"],
      [{ readers: [reader({ state: "refused", problem })] }, "reader_refused"],
      [{ readers: [reader({ state: "stopped", problem })] }, "reader_stopped"],
    ] as const satisfies ReadonlyArray<readonly [Given, string]>)
      should(codes(given)).deepEqual(["failing", code]);
    const connections = [connection({ state: "unreachable" }), connection({ state: "refused" })];
    should(codes({ connections })).deepEqual(["failing", "key_refused", "service_unreachable"]);
  });

  it("says once that a node fails, also where it has an issue", () => {
    const readers = [reader({ state: "stopped", problem, node: "abc" })];
    const origin = { node: "abc", flow: "", type: "crec-events-in", label: "payments in" };
    should(codes({ readers, issues: [issue({ origin }), issue()] })).deepEqual([
      "failing",
      "reader_stopped",
      "issue",
    ]);
  });

  it("is failing while the flows do not run", () => {
    should(codes({ areFlowsRunning: false })).deepEqual(["failing", "flows_not_running"]);
  });

  it("is ok with an incomplete connection that no node uses", () => {
    should(codes({ connections: [connection({ state: "incomplete" })], isUsed: () => false })).deepEqual([
      "ok",
    ]);
  });

  it("says which node it is, and why", () => {
    const readers = [reader({ state: "stopped", problem, label: "payments in", node: "abc" })];
    should(health({ readers }).reasons).deepEqual([
      {
        ...{ status: "failing", code: "reader_stopped", label: "payments in", node: "abc" },
        message: "monitor.health.reader_stopped payments in It says why.",
      },
    ]);
  });

  it("has a sentence for each reason, and a row in the page about metrics", () => {
    const { monitor } = JSON.parse(
      readFileSync(join(root, "plugins/monitor/locales/en-US/monitor.json"), "utf8"),
    ) as { monitor: { health: Record<string, string> } };
    should(Object.keys(monitor.health).sort()).deepEqual([...HEALTH_CODES].sort());
    const page = readFileSync(join(root, "docs/metrics.md"), "utf8");
    const rows = [...page.matchAll(/^\| `([a-z_]+)` \| `(?:failing|degraded)` \|/gm)].map(([, code]) => code);
    should(rows.sort()).deepEqual([...HEALTH_CODES].sort());
  });
});
