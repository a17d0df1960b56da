import type { NodeAPI } from "node-red";
import { answerForms, fieldsOf, invalidRequest, textIn } from "../../../nodes/common/admin/answer.ts";
import { activity } from "../../../nodes/common/telemetry/activity.ts";
import type { IssueList } from "./issue-list.ts";
import { Issues } from "./issues.ts";
import { checkWhenNeeded } from "./when-to-check.ts";

const LONGEST_ID = 500;

/**
 * Runs the checks when they are needed, and on demand:
 * `POST /crec/monitor/issues/run` asks the service too, and answers when the run has ended. It makes queries, so it needs
 * `crec.write`.
 * `POST /crec/monitor/issues/ignore` `{ id, isIgnored }` remembers it.
 * `POST /crec/monitor/issues/close` `{ file }` forgets the open alerts that a deleted node has left in its file.
 */
export function registerIssues(RED: NodeAPI): IssueList {
  const issues = new Issues(RED);
  checkWhenNeeded(RED, { issues, activity });

  answerForms(RED, "post", "/crec/monitor/issues/run", "crec.write", async () => {
    await issues.run();
    return { issues: issues.all() };
  });
  answerForms(RED, "post", "/crec/monitor/issues/ignore", "crec.write", async ({ body }) => {
    const { id, isIgnored } = fieldsOf(body);
    const named = textIn(id);
    if (named === "" || named.length > LONGEST_ID || typeof isIgnored !== "boolean") {
      return invalidRequest("Send the id of an issue, and isIgnored as true or false.");
    }
    await issues.ignore(named, isIgnored);
    return { issues: issues.all() };
  });
  answerForms(RED, "post", "/crec/monitor/issues/close", "crec.write", async ({ body }) => {
    const file = textIn(fieldsOf(body).file);
    if (file === "" || file.length > LONGEST_ID) return invalidRequest("Send the file of a deleted node.");
    await issues.closeAlerts(file);
    return { issues: issues.all() };
  });
  return issues;
}
