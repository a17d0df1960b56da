import { invalidRequest } from "../../../nodes/common/admin/answer.ts";
import { differencesOf, type NodeDifference } from "../../../rehearsal/report/differences.ts";
import { expectationsOf, expectationsText } from "../../../rehearsal/report/expectations.ts";
import { htmlOf } from "../../../rehearsal/report/html.ts";
import type { Outcome, Report } from "../../../rehearsal/shared/report.ts";
import type { SavedFile, ShownDifferences, ShownOutcome, ShownReport } from "../types.ts";

export function shownReport({ outcomes, ...report }: Report): ShownReport {
  return { ...report, outcomes: outcomes.map(withoutMessage) };
}

/** @throws INVALID_REQUEST */
export function messageOf({ outcomes }: Report, index: number): { message: unknown } {
  const outcome = outcomes[index] ?? invalidRequest("This outcome is not in the report. Rehearse again.");
  return { message: outcome.message ?? null };
}

export function shownDifferences(before: Report, after: Report): ShownDifferences {
  const { inputs, outcomes, nodes } = differencesOf(before, after);
  return {
    inputs,
    outcomes: outcomes.map(({ appeared, gone, changed, name: _, ...outcome }) => ({
      ...outcome,
      appeared: appeared.map(withoutMessage),
      gone: gone.map(withoutMessage),
      changed: changed.map((pair) => withoutMessage(pair.after)),
    })),
    nodes: nodes.map(({ node, name, ...counts }) => ({
      node,
      name,
      before: countOf(counts.before),
      after: countOf(counts.after),
    })),
  };
}

/** @throws INVALID_REQUEST */
export function savedFile(report: Report, kind: string): SavedFile {
  switch (kind) {
    case "json":
      return {
        name: "rehearsal.json",
        type: "application/json",
        text: `${JSON.stringify(report, undefined, 2)}\n`,
      };
    case "html":
      return { name: "rehearsal.html", type: "text/html", text: htmlOf(report) };
    case "test":
      return {
        name: "expect.json",
        type: "application/json",
        text: expectationsText(expectationsOf(report)),
      };
    default:
      return invalidRequest('Send "kind" as json, html or test.');
  }
}

function withoutMessage({ message: _, ...outcome }: Outcome): ShownOutcome {
  return outcome;
}

function countOf(counts: NodeDifference["before"]): number {
  return counts?.received || counts?.sent || 0;
}
