import { Activity } from "../../../nodes/common/telemetry/activity.ts";
import { Monitoring } from "../../../plugins/monitor/monitoring/monitoring.ts";
import { happen, issue, listOf } from "./facts.ts";

/** The names of all metrics, as a scrape declares them in the format of Prometheus. */
export function metricNames(): string[] {
  const activity = new Activity();
  const monitoring = new Monitoring({
    activity,
    issues: listOf([issue()]),
    areFlowsRunning: () => true,
    t: (key) => key,
  });
  happen(activity);
  const text = monitoring.metrics("prometheus", {});
  return [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = ""]) => name).sort();
}

/** The metrics that expressions name. */
export function namesIn(text: string): string[] {
  const names = [...text.matchAll(/\bcrec_\w+/g)].map(([name]) => name.replace(/_(?:bucket|sum|count)$/, ""));
  return [...new Set(names)].sort();
}
