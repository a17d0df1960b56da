import type { NodeAPI } from "node-red";
import type { Flows } from "../../../nodes/common/flows/flows.ts";
import type { Paths } from "../../../nodes/common/flows/paths.ts";
import type { Activity } from "../../../nodes/common/telemetry/activity.ts";
import type { Origin } from "../../../nodes/common/telemetry/types.ts";
import type { Fix, Issue } from "../types.ts";
import type { AnswerCache } from "./answer-cache.ts";

/** What the checks look at. Nothing of it asks the service. */
export type Scene = {
  RED: NodeAPI;
  flows: Flows;
  paths: Paths;
  activity: Activity;
  /** What the service has answered when a person wanted it. */
  asked: AnswerCache;
  now: number;
  /** When the flows started. Unix milliseconds. */
  startedAt: number;
};

/** An issue, before it has its sentences. */
export type Finding = {
  /** Which of its sentences: `monitor.issue.<check>.<case>`. */
  case: string;
  severity: Issue["severity"];
  origin: Origin;
  /** Distinguishes several issues of one case and node. */
  detail?: string;
  values?: Readonly<Record<string, string | number>>;
  /** The node is in the flows no more, so none opens it. */
  isDeleted?: true;
  /** In addition to the one that opens the node. */
  buttons?: readonly Fix[];
};

/** One kind of issue. */
export type Check = {
  /** Of its file. */
  name: string;
  find(scene: Scene): Finding[] | Promise<Finding[]>;
};
