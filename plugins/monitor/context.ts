import type { NodeRedContext } from "../../nodes/common/context.ts";
import type { Activity } from "../../nodes/common/telemetry/activity.ts";
import type { IssueList } from "./issues/issues.ts";

/** What the parts of the monitor work with. All of them show the same: what the nodes report, and the issues. */
export type MonitorContext = NodeRedContext & {
  readonly activity: Activity;
  readonly issues: IssueList;
  areFlowsRunning(): boolean;
};
