import type { NodeAPI } from "node-red";
import { answerForms, fieldsOf, invalidRequest, textIn } from "../../../nodes/common/admin/answer.ts";
import type { NodeRedContext } from "../../../nodes/common/context.ts";
import { type Activity, activity } from "../../../nodes/common/telemetry/activity.ts";
import type { ActivityEvent } from "../../../nodes/common/telemetry/types.ts";
import { type IssueList, Issues } from "./issues.ts";

const LONGEST_ID = 500;

/**
 * Runs the checks when they are needed, and on demand:
 * `POST /crec/monitor/issues/run` asks the service too, and answers when the run has ended. It makes queries, so it needs
 * `crec.write`.
 * `POST /crec/monitor/issues/ignore` `{ id, isIgnored }` remembers it.
 * `POST /crec/monitor/issues/close` `{ file }` forgets the open alerts that a deleted node has left in its file.
 */
export function registerIssues(nodeRed: NodeRedContext): IssueList {
  const issues = new Issues(nodeRed);
  checkWhenNeeded(nodeRed.RED, { issues, activity });

  answerForms(nodeRed.RED, "post", "/crec/monitor/issues/run", "crec.write", async () => {
    await issues.run();
    return { issues: issues.all() };
  });
  answerForms(nodeRed.RED, "post", "/crec/monitor/issues/ignore", "crec.write", async ({ body }) => {
    const { id, isIgnored } = fieldsOf(body);
    const named = textIn(id);
    if (named === "" || named.length > LONGEST_ID || typeof isIgnored !== "boolean") {
      return invalidRequest("Send the id of an issue, and isIgnored as true or false.");
    }
    await issues.ignore(named, isIgnored);
    return { issues: issues.all() };
  });
  answerForms(nodeRed.RED, "post", "/crec/monitor/issues/close", "crec.write", async ({ body }) => {
    const file = textIn(fieldsOf(body).file);
    if (file === "" || file.length > LONGEST_ID) return invalidRequest("Send the file of a deleted node.");
    await issues.closeAlerts(file);
    return { issues: issues.all() };
  });
  return issues;
}

/** After a deploy: once the nodes run, and once they have read what they need from the service. */
const AFTER_START_MS = [1_000, 20_000];
/** What was seen since may be an issue. A run takes some milliseconds in large flows, so it is not too often. */
const AFTER_FACT_MS = 10_000;
/** What no fact reports: a reader stops, a key is accepted again, or a reader finds its watcher. */
const AGAIN_MS = 60_000;

type Parts = { issues: Pick<Issues, "check" | "noteStart">; activity: Pick<Activity, "onFact"> };

/** Runs the checks after each deploy, soon after what may be an issue, and once a minute. */
export function checkWhenNeeded({ events }: Pick<NodeAPI, "events">, { issues, activity }: Parts): void {
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
  events.on("flows:started", () => {
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
