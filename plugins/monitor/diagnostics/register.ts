import type { NodeAPI } from "node-red";
import { answerForms } from "../../../nodes/lib/admin/answer.ts";
import { activity } from "../../../nodes/lib/runtime/activity/activity.ts";
import type { IssueList } from "../issues/issue-list.ts";
import { activityEntries, type Describing, errorEntry, issueEntry } from "./activity-entries.ts";
import { deployed } from "./deployed.ts";
import { healthReport } from "./health-report.ts";
import { stateFolderReport, versions } from "./host.ts";
import { LastErrors } from "./last-errors.ts";
import { nodeEntries } from "./node-entries.ts";
import { redactor } from "./redact.ts";
import { shorten } from "./shorten.ts";
import { Statuses } from "./statuses.ts";
import { diagnosticsText } from "./text.ts";
import type { Diagnostics } from "./types.ts";
import { ownWords } from "./words.ts";

/** As JSON: short enough for an issue tracker to accept as a file. */
const MOST_CHARACTERS = 200_000;

/** What a bug report needs, as text and as JSON: `GET /crec/diagnostics`, `GET /crec/diagnostics?format=text`. */
export function registerDiagnostics(RED: NodeAPI, issues: IssueList, areFlowsRunning: () => boolean): void {
  const statuses = new Statuses(RED);
  const errors = new LastErrors(RED);
  answerForms(RED, "get", "/crec/diagnostics", "crec.read", async ({ query }) => {
    const diagnostics = shorten(
      await collect(RED, issues, { statuses, errors, areFlowsRunning }),
      MOST_CHARACTERS,
    );
    return query.format === "text" ? { text: diagnosticsText(diagnostics) } : diagnostics;
  });
}

async function collect(
  RED: NodeAPI,
  issues: IssueList,
  {
    statuses,
    errors,
    areFlowsRunning,
  }: { statuses: Statuses; errors: LastErrors; areFlowsRunning: () => boolean },
): Promise<Diagnostics> {
  const [installed, folder, words] = await Promise.all([versions(RED), stateFolderReport(RED), ownWords()]);
  const nodes = deployed(RED);
  const redact = redactor({ words, entered: nodes.entered });
  const describing: Describing = { labelOf: nodes.labelOf, redact };
  const found = issues.all();
  return {
    madeAt: new Date().toISOString(),
    versions: installed,
    stateFolder: folder,
    health: healthReport(RED, issues, areFlowsRunning()),
    issues: found.map((issue) => issueEntry(issue, describing)),
    errors: [...errors.all()].reverse().map((error) => errorEntry(error, describing)),
    ...activityEntries(activity, describing),
    nodes: nodeEntries(RED, nodes, statuses.all(), redact),
    leftOut: {},
  };
}
