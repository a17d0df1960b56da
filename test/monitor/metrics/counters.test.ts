import should from "should";
import type { OperationReport } from "../../../nodes/common/telemetry/types.ts";
import { Bounds } from "../../../plugins/monitor/monitoring/bounds.ts";
import { Counters } from "../../../plugins/monitor/monitoring/counters.ts";
import { operation } from "./facts.ts";

const HOUR_MS = 3_600_000;

describe("the time to a level", () => {
  /** The levels that were counted, with their times in seconds, of reports in this order. */
  const countedOf = (reports: ReadonlyArray<Partial<OperationReport>>) => {
    const counters = new Counters(new Bounds());
    let before: OperationReport | undefined;
    for (const changes of reports) {
      const report = operation({ startedAt: 0, changedAt: 0, ...changes });
      counters.count({ kind: "operation", operation: report, before });
      before = report;
    }
    const family = counters.families().find(({ name }) => name === "crec_operation_level_seconds");
    return Object.fromEntries(
      (family?.samples() ?? [])
        .filter(({ suffix }) => suffix === "_sum")
        .map(({ labels, value }) => [labels.level, value]),
    );
  };

  it("is that of the first time, also where the same key is sent again", () => {
    const first = [
      { status: "signing" },
      { status: "accepted", changedAt: 1_000 },
      { status: "confirmed", changedAt: 9_000 },
      { status: "confirmed", outcome: "reached", changedAt: 9_000 },
    ] as const;
    const again = [
      { status: "signing", changedAt: HOUR_MS },
      { status: "accepted", changedAt: HOUR_MS },
      { status: "confirmed", changedAt: HOUR_MS },
    ] as const;
    should(countedOf([...first, ...again])).deepEqual({ accepted: 1, confirmed: 9 });
  });

  it("has no level that an operation had before a node began to follow it", () => {
    const reports = [
      { status: "sent" },
      { status: "accepted", changedAt: 10 },
      { status: "confirmed", changedAt: 4_000 },
    ];
    should(countedOf(reports)).deepEqual({ confirmed: 4 });
  });
});
