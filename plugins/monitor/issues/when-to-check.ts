import type { NodeAPI } from "node-red";
import type { Activity } from "../../../nodes/common/telemetry/activity.ts";
import type { ActivityEvent } from "../../../nodes/common/telemetry/types.ts";
import type { Issues } from "./issues.ts";

/** After a deploy: once the nodes run, and once they have read what they need from the service. */
const AFTER_START_MS = [1_000, 20_000];
/** What was seen since may be an issue. A run takes some milliseconds in large flows, so it is not too often. */
const AFTER_FACT_MS = 10_000;
/** What no fact reports: a reader stops, a key is accepted again, or a reader finds its watcher. */
const AGAIN_MS = 60_000;

type Parts = { issues: Pick<Issues, "check" | "noteStart">; activity: Pick<Activity, "onFact"> };

/** Runs the checks after each deploy, soon after what may be an issue, and once a minute. */
export function checkWhenNeeded(RED: Pick<NodeAPI, "events">, { issues, activity }: Parts): void {
  const timers = new Set<NodeJS.Timeout>();
  const checkIn = (ms: number) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      void issues.check();
    }, ms);
    timers.add(timer);
    timer.unref();
  };
  let again: NodeJS.Timeout | undefined;
  RED.events.on("flows:started", () => {
    for (const timer of timers) clearTimeout(timer);
    timers.clear();
    issues.noteStart();
    for (const ms of AFTER_START_MS) checkIn(ms);
    clearInterval(again);
    again = setInterval(() => void issues.check(), AGAIN_MS);
    again.unref();
  });
  activity.onFact((fact) => {
    if (timers.size === 0 && isNews(fact)) checkIn(AFTER_FACT_MS);
  });
}

/** Whether it may be, or end, an issue. */
function isNews(fact: ActivityEvent): boolean {
  if (fact.kind === "event") return fact.event.proof === "rejected";
  if (fact.kind === "call") return [401, 403, undefined].includes(fact.call.status);
  if (fact.kind === "operation") return fact.operation.isExecutedAfterAll === true;
  return ["resource", "contradiction", "keyLimit", "alertSum"].includes(fact.kind);
}
