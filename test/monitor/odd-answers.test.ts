import { EventEmitter } from "node:events";
import type { Node } from "node-red";
import should from "should";
import { activity } from "../../nodes/common/telemetry/activity.ts";
import { OperationReports } from "../../nodes/common/telemetry/operation-reports.ts";
import { noteResources } from "../../nodes/common/telemetry/resources.ts";
import { activityEntries } from "../../plugins/monitor/diagnostics/activity-entries.ts";
import { redactor } from "../../plugins/monitor/diagnostics/redact.ts";
import { Monitoring } from "../../plugins/monitor/monitoring/monitoring.ts";
import type { Operation } from "../../src/index.ts";

/** What a field of an answer may be: the library checks only ids. */
const ODD: readonly unknown[] = [null, undefined, 7, true, {}, [], { toString: null }];

describe("answers with fields that are no text", () => {
  const node = Object.assign(new EventEmitter(), { id: "n", z: "tab", type: "crec-operation", name: "" });
  const reports = new OperationReports(node as unknown as Node, () => false);
  const issues = {
    revision: 0,
    all: () => [],
    isUsed: () => true,
    run: async () => {},
    check: async () => {},
    ignore: async () => {},
  };
  const everything = () => {
    const describing = { labelOf: () => "node #1", redact: redactor({ words: new Set(), entered: [] }) };
    new Monitoring({ activity, issues, areFlowsRunning: () => true, t: (key) => key }).metrics(
      "openmetrics",
      {},
    );
    return activityEntries(activity, describing);
  };

  afterEach(() => {
    node.emit("close", true, () => {});
    for (const part of ["underWay", "ended", "watchers", "wallets"] as const) {
      for (const one of activity[part].all()) activity[part].delete("key" in one ? one.key : one.id);
    }
  });

  it("stop neither the metrics nor the diagnostics", () => {
    for (const [index, odd] of ODD.entries()) {
      const [id, text] = [`id-${index}`, odd as string];
      noteResources(
        { watcher_id: id, name: odd, status: odd, channel_id: odd, chain_selector: odd },
        { service: "s" },
      );
      noteResources({ wallet_id: id, name: odd, status: odd, address: odd }, { service: "s" });
      const operation = reports.begin({ channelId: "c", operationId: id, wallet: text, status: text });
      operation.sent({ operation_id: id, status: odd } as unknown as Operation);
      operation.seen({ status: text as "sent", reason: text });
    }
    const shown = everything();
    should(shown.operationsUnderWay).have.length(ODD.length);
    should(shown.watchers).have.length(ODD.length);
    should(shown.wallets).have.length(ODD.length);
  });

  it("tell of a failure no value of the contract's error", () => {
    const operation = reports.begin({ channelId: "c", operationId: "o", status: "sent" });
    const person = `0x${"ab".repeat(20)}`;
    for (const [reason, shown] of [
      [`Refused(${person}, 7391)`, "Refused"],
      [`refused(${person}, 7391)`, "refused"],
      [`execution reverted: ${person} may not`, "execution reverted: 0x… may not"],
      ["out of gas", "out of gas"],
    ] as const) {
      operation.seen({ status: "failed", reason });
      should(activity.underWay.get("c/o")?.reason).equal(shown);
    }
  });
});
