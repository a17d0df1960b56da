import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import { Activity } from "../../../nodes/common/telemetry/activity.ts";
import { ENDPOINTS, REJECTION_REASONS } from "../../../plugins/monitor/monitoring/bounds.ts";
import { Monitoring } from "../../../plugins/monitor/monitoring/monitoring.ts";

import { EXPECTATION_REASONS } from "../../../src/proofs/expectations.ts";
import { VERIFY_REASONS } from "../../../src/proofs/index.ts";
import { hasParser, parsed } from "../../support/metrics-parser.ts";
import { hasPromtool, promtool } from "../../support/promtool.ts";
import { startTestService } from "../../support/service.ts";
import { call, connection, event, happen, issue, listOf, operation, reader } from "./facts.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const BUILD = { version: "1.2.3" };
const HOSTILE = 'x"}\n# EOF\\';
/** Of the whole text, whatever flows and the service send. */
const MOST_SERIES = 60_000;

function monitored(issues = [issue()]) {
  const activity = new Activity();
  const monitoring = new Monitoring({
    activity,
    issues: listOf(issues),
    areFlowsRunning: () => true,
    t: (key) => key,
  });
  /** By name and labels, as the strict parser reads them. */
  const scrape = () =>
    Object.fromEntries(
      parsed(monitoring.metrics("openmetrics", BUILD), "openmetrics").flatMap(({ samples }) =>
        samples.map(({ name, labels, value }) => {
          const shown = Object.entries(labels).map(([label, text]) => `${label}=${text}`);
          return [[name, ...shown].join(" "), value] as const;
        }),
      ),
    );
  return { activity, monitoring, scrape };
}

describe("the metrics", () => {
  it("count what happens", function () {
    if (!hasParser()) return this.skip();
    const { activity, scrape } = monitored();
    happen(activity);
    const events = "GET /channels/{id}/events".split(" ").reverse().join(" method=");
    should(scrape()).have.properties({
      "crec_build_info version=1.2.3": 1,
      "crec_events_delivered_total consumer=a": 4,
      "crec_events_checked_total consumer=a proof=verified": 3,
      "crec_events_checked_total consumer=a proof=rejected": 1,
      "crec_events_checked_total consumer= proof=unsigned": 1,
      "crec_events_rejected_total consumer=a reason=threshold_not_met": 1,
      "crec_events_redelivered_total consumer=a": 1,
      "crec_events_late_total consumer=a": 1,
      crec_proof_check_duration_seconds_count: 2,
      crec_proof_check_duration_seconds_sum: 0.005,
      [`crec_calls_total endpoint=${events} status=200`]: 1,
      [`crec_calls_total endpoint=${events} status=429`]: 1,
      "crec_calls_total endpoint=/channels/{id}/events method=POST status=none": 1,
      "crec_call_errors_total code=RATE_LIMITED": 1,
      "crec_call_errors_total code=TIMEOUT": 1,
      [`crec_call_duration_seconds_bucket endpoint=${events} le=0.05`]: 1,
      [`crec_call_duration_seconds_bucket endpoint=${events} le=60.0`]: 1,
      [`crec_call_duration_seconds_count endpoint=${events}`]: 2,
      "crec_operations_total outcome=reached": 1,
      "crec_operations_total outcome=failed": 0,
      "crec_operation_level_seconds_sum level=confirmed_safe": 12,
      "crec_operation_level_seconds_count level=confirmed_safe": 1,
    });
  });

  it("say how it is at the moment", function () {
    if (!hasParser()) return this.skip();
    const { activity, scrape } = monitored([
      ...[issue(), issue({ id: "i2" }), issue({ id: "i3", isIgnored: true })],
      issue({ id: "i4", check: "key-term", severity: "warning" }),
    ]);
    happen(activity);
    should(scrape()).have.properties({
      "crec_health status=degraded": 1,
      "crec_health status=ok": 0,
      "crec_connections state=ok": 1,
      "crec_connections state=refused": 0,
      "crec_connection_up connection=main node=c1": 1,
      "crec_connection_budget_used_calls connection=main node=c1": 12,
      "crec_connection_budget_limit_calls connection=main node=c1": 60,
      "crec_connection_key_expiry_timestamp_seconds connection=main node=c1": 1_800_000_000,
      "crec_readers state=behind": 1,
      "crec_readers state=standby": 1,
      "crec_reader_reading consumer=a": 1,
      "crec_reader_reading consumer=b": 0,
      "crec_reader_lag_events consumer=a": 7,
      "crec_reader_lag_seconds consumer=a": 2.5,
      "crec_reader_in_flight_events consumer=a": 3,
      "crec_reader_lease_epoch consumer=a": 4,
      "crec_operations_under_way status=signing": 1,
      "crec_operations_under_way status=confirmed_safe": 1,
      "crec_watchers status=active": 1,
      "crec_wallets status=archived": 1,
      "crec_issues check=wallet-archived severity=error": 2,
      "crec_issues check=key-term severity=warning": 1,
      // Before its first event: a rejected one must be an increase.
      "crec_events_checked_total consumer=b proof=rejected": 0,
      "crec_events_delivered_total consumer=b": 0,
      "crec_events_redelivered_total consumer=b": 0,
      "crec_events_late_total consumer=b": 0,
    });
    // A copy that does not read knows nothing about the lag.
    should(scrape()).not.have.properties(["crec_reader_lag_seconds consumer=b"]);
    should(scrape()).not.have.properties(["crec_reader_lag_events consumer=b"]);
  });

  it("show the worst of two that have the same labels", function () {
    if (!hasParser()) return this.skip();
    const { activity, scrape } = monitored();
    for (const [state, behindMs] of [
      ["ok", 9_000],
      ["refused", 1_000],
    ] as const) {
      activity.connections.add(() => connection({ state, callsLastMinute: 10 }));
      activity.readers.add(() => reader({ state: "behind", behind: 2, behindMs }));
    }
    should(scrape()).have.properties({
      "crec_connection_up connection=main node=c1": 0,
      "crec_connection_budget_used_calls connection=main node=c1": 20,
      "crec_reader_lag_events consumer=a": 4,
      "crec_reader_lag_seconds consumer=a": 9,
      "crec_reader_reading consumer=a": 1,
    });
  });

  it("satisfy Prometheus' own linter", function () {
    if (!hasPromtool()) return this.skip();
    const { activity, monitoring } = monitored();
    happen(activity);
    should(promtool(["check", "metrics"], monitoring.metrics("prometheus", BUILD))).equal("");
  });

  it("stay bounded, whatever names and reasons there are", function () {
    if (!hasParser()) return this.skip();
    const { activity, monitoring, scrape } = monitored();
    const readers = Array.from({ length: 10_000 }, (_, index) => reader({ consumer: `${index}${HOSTILE}` }));
    for (const [index, one] of readers.entries()) {
      activity.readers.add(() => one);
      const { consumer } = one;
      const text = `${HOSTILE}${index}`;
      activity.note({
        kind: "event",
        event: event({ number: index, consumer, proof: "rejected", reason: text }),
      });
      activity.note({
        kind: "call",
        call: call({ endpoint: `/${text}`, method: text, status: index, errorCode: text }),
      });
      const waiting = operation({ key: text, status: text });
      activity.note({ kind: "operation", operation: waiting, before: undefined });
    }
    const values = scrape();
    should(Object.keys(values).length).be.below(MOST_SERIES);
    const name = `crec_events_rejected_total consumer=`;
    should(values[`${name}0${HOSTILE} reason=other`]).equal(1);
    should(values[`${name}999${HOSTILE} reason=other`]).equal(1);
    should(values[`${name}other reason=other`]).equal(9_000);
    should(values["crec_call_errors_total code=other"]).equal(9_900);
    should(values["crec_calls_total endpoint=other method=other status=other"]).equal(9_970);
    should(values["crec_operations_under_way status=other"]).equal(2_000);
    should(monitoring.metrics("prometheus", BUILD).length).be.below(16_000_000);
  });

  it("know every reason, and every endpoint of the service", async () => {
    should(REJECTION_REASONS).deepEqual([
      ...VERIFY_REASONS,
      ...EXPECTATION_REASONS,
      "seen_before",
      ...["given_up", "crashed", "too_deep"],
    ]);
    const service = await startTestService();
    try {
      const { paths } = (await (await fetch(`${service.ready.base_url}/openapi.json`)).json()) as {
        paths: Record<string, unknown>;
      };
      const served = Object.keys(paths)
        .map((path) => path.replaceAll(/\{\w+\}/g, "{id}").replace(/^\/graphql$/, "graphql"))
        .filter((path) => !path.startsWith("/local"));
      should([...new Set(served)].sort()).deepEqual([...ENDPOINTS].sort());
    } finally {
      await service.close();
    }
  });
});

describe("the page about metrics", () => {
  it("has every metric, with its labels, and none that does not exist", () => {
    const { activity, monitoring } = monitored();
    happen(activity);
    const families = new Map<string, string>();
    for (const line of monitoring.metrics("prometheus", BUILD).split("\n")) {
      const [, declared] = /^# TYPE (\S+)/.exec(line) ?? [];
      if (declared !== undefined) families.set(declared, "");
      const [, name = "", labels = ""] = /^(\w+)(?:\{(.*)\})? /.exec(line) ?? [];
      const family = [...families.keys()].find((one) => name.replace(/_(bucket|sum|count)$/, "") === one);
      if (family === undefined) continue;
      const names = [...labels.matchAll(/(\w+)="/g)]
        .map(([, label]) => label)
        .filter((label) => label !== "le");
      families.set(
        family,
        family === "crec_build_info" ? "" : names.map((label) => `\`${label}\``).join(", "),
      );
    }
    const page = readFileSync(join(root, "docs/metrics.md"), "utf8");
    const rows = [...page.matchAll(/^\| `(crec_\w+)` \| \w+ \|([^|]*)\|/gm)];
    const documented = rows.map(([, name, labels = ""]) => [
      name,
      name === "crec_build_info" ? "" : labels.trim(),
    ]);
    should(documented.toSorted()).deepEqual([...families].toSorted());
  });
});
