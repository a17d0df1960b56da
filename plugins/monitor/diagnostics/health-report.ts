import type { NodeAPI } from "node-red";
import { activity } from "../../../nodes/lib/runtime/activity/activity.ts";
import { stateRefusals } from "../../../nodes/lib/runtime/folder/not-permitted.ts";
import type { IssueList } from "../issues/issue-list.ts";
import { healthOf } from "../monitoring/health.ts";
import { monitoringSettings } from "../monitoring/settings.ts";
import type { HealthReport } from "./types.ts";

/** The sentences name nodes: only the codes are taken. */
export function healthReport(RED: NodeAPI, issues: IssueList, areFlowsRunning: boolean): HealthReport {
  const checked = {
    connections: activity.connections.reports(),
    readers: activity.readers.reports(),
    sharedStates: activity.sharedStates.reports(),
    issues: issues.all(),
    stateRefusals: stateRefusals(),
    ...{ areFlowsRunning, isUsed: (node: string) => issues.isUsed(node) },
    now: Date.now(),
  };
  const { status, reasons } = healthOf(checked, () => "");
  const codes = [...new Set(reasons.map(({ code }) => code))];
  const { kind } = monitoringSettings(RED);
  return { status, reasons: codes.join(", "), monitoring: kind };
}
