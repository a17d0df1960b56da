import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import type {
  ConnectionReport,
  ReaderReport,
  SharedStateReport,
} from "../../../nodes/common/telemetry/types.ts";
import { HEALTH_CODES, healthOf, READER_CODES } from "../../../plugins/monitor/monitoring/health.ts";
import type { Issue } from "../../../plugins/monitor/types.ts";
import { connection, issue, reader } from "./facts.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const NOW = 1_800_000_000_000;
const HOUR = 3_600_000;
const problem = { code: "X", message: "It says why." };

type Given = {
  connections?: ConnectionReport[];
  readers?: ReaderReport[];
  sharedStates?: SharedStateReport[];
  issues?: Issue[];
  stateRefusals?: string[];
  areFlowsRunning?: boolean;
  isUsed?: () => boolean;
};
const health = ({ connections = [], readers = [], sharedStates = [], issues = [], ...given }: Given) =>
  healthOf(
    {
      ...{ connections, readers, sharedStates, issues },
      ...{ areFlowsRunning: true, stateRefusals: [], isUsed: () => true, now: NOW, ...given },
    },
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
      [{ stateRefusals: ["It says why.", "And again."] }, "state_folder_refused"],
    ] as const satisfies ReadonlyArray<readonly [Given, string]>)
      should(codes(given)).deepEqual(["failing", code]);
    const connections = [connection({ state: "unreachable" }), connection({ state: "refused" })];
    should(codes({ connections })).deepEqual(["failing", "key_refused", "service_unreachable"]);
  });

  describe("of nodes that use a shared state", () => {
    const SINCE_START = 0;
    const JUST_NOW = NOW - 119_999;
    const LONG_AGO = NOW - 120_000;
    const one = (code: string, problemSince: number) => ({
      ...{ node: "s1", flow: "", type: "crec-fleet", label: "copies", problemSince },
      problem: { code, message: "It says why." },
    });

    for (const code of ["SHARED_STATE_REFUSED", "SHARED_STATE_NEWER"])
      it(`is failing for ${code} from the start on, and while running after two minutes`, () => {
        const states = (since: number) => codes({ sharedStates: [one(code, since)] });
        should(states(SINCE_START)).deepEqual(["failing", "shared_state_refused"]);
        should(states(LONG_AGO)).deepEqual(["failing", "shared_state_refused"]);
        should(states(JUST_NOW)).deepEqual(["degraded", "shared_state_retrying"]);
        const readers = (since: number) =>
          codes({ readers: [reader({ ...one(code, since), state: "retrying" })] });
        should(readers(SINCE_START)).deepEqual(["failing", "reader_blocked"]);
        should(readers(LONG_AGO)).deepEqual(["failing", "reader_blocked"]);
        should(readers(JUST_NOW)).deepEqual(["degraded", "reader_retrying"]);
      });

    it("is degraded however long it gives no answer, and ok while it answers", () => {
      for (const since of [SINCE_START, LONG_AGO])
        should(codes({ sharedStates: [one("SHARED_STATE_UNREACHABLE", since)] })).deepEqual([
          "degraded",
          "shared_state_retrying",
        ]);
      const { problem: _problem, problemSince: _since, ...working } = one("", 0);
      should(codes({ sharedStates: [working] })).deepEqual(["ok"]);
    });
  });

  it("never fails for the error of one event, or because another copy reads", () => {
    for (const code of ["EVENT_TOO_LARGE", "DELIVERY_FAILED", "SHARED_STATE_UNREACHABLE", "OF_A_SERVICE"]) {
      const readers = [reader({ state: "retrying", problem: { ...problem, code }, problemSince: 0 })];
      should(codes({ readers })).deepEqual(["degraded", "reader_retrying"]);
    }
    const moved = { ...problem, code: "CONSUMER_MOVED" };
    should(codes({ readers: [reader({ state: "stopped", problem: moved, problemSince: 0 })] })).deepEqual([
      "degraded",
      "reader_retrying",
    ]);
    should(codes({ readers: [reader({ state: "standby" })] })).deepEqual(["ok"]);
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

  it("has each error of a reader in that page, with what it means", () => {
    const page = readFileSync(join(root, "docs/metrics.md"), "utf8");
    const [, section = ""] = /^### Errors of a reader$(.*?)^##/ms.exec(page) ?? [];
    const rows = [...section.matchAll(/^\| `(failing|degraded)` \| (.*?) \|/gm)].flatMap(
      ([, status, list = ""]) => [...list.matchAll(/`([A-Z_]+)`/g)].map(([, code]) => `${code} ${status}`),
    );
    should(rows.sort()).deepEqual([...READER_CODES].map((one) => one.join(" ")).sort());
  });
});
