import type { NodeAPI } from "node-red";
import { answerForms } from "../../../nodes/common/admin/answer.ts";
import { stateRefusals } from "../../../nodes/common/folder/state-files.ts";
import { activity } from "../../../nodes/common/telemetry/activity.ts";
import type { IssueList } from "../issues/issue-list.ts";
import { healthOf } from "../monitoring/health.ts";
import { monitoringSettings } from "../monitoring/settings.ts";
import { activityEntries, type Describing, errorEntry, issueEntry } from "./activity-entries.ts";
import { deployed } from "./deployed.ts";
import { stateFolderReport, versions } from "./host.ts";
import { LastErrors } from "./last-errors.ts";
import { nodeEntries } from "./node-entries.ts";
import { redactor } from "./redact.ts";
import { Statuses } from "./statuses.ts";
import { diagnosticsText } from "./text.ts";
import { type Diagnostics, type HealthReport, LISTS } from "./types.ts";
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

/** The sentences name nodes: only the codes are taken. */
function healthReport(RED: NodeAPI, issues: IssueList, areFlowsRunning: boolean): HealthReport {
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

/** Of each list, before anything else is left out. */
const MOST_ENTRIES = 500;

/** The same with shorter lists, until it has at most `most` characters as JSON. Says what was left out. */
export function shorten(whole: Diagnostics, most: number): Diagnostics {
  const shorter: Diagnostics = { ...whole, leftOut: { ...whole.leftOut } };
  for (const list of LISTS) keep(shorter, whole, list, MOST_ENTRIES);
  while (JSON.stringify(shorter).length > most) {
    const [longest] = [...LISTS].sort((one, other) => sizeOf(shorter, other) - sizeOf(shorter, one));
    if (longest === undefined || shorter[longest].length === 0) break;
    keep(shorter, whole, longest, Math.floor(shorter[longest].length / 2));
  }
  return shorter;
}

function keep(shorter: Diagnostics, whole: Diagnostics, list: (typeof LISTS)[number], count: number): void {
  if (list === "nodes") shorter.nodes = shorter.nodes.slice(0, count);
  else shorter[list] = shorter[list].slice(0, count);
  const missing = whole[list].length - shorter[list].length;
  if (missing > 0) shorter.leftOut[list] = missing;
}

function sizeOf(diagnostics: Diagnostics, list: (typeof LISTS)[number]): number {
  return JSON.stringify(diagnostics[list]).length;
}
