import type { Row } from "../../types.ts";
import { nodeName, openForm } from "../node-red.ts";
import { by, type PanelKind } from "../panel.ts";
import type { RowButton } from "../row.ts";
import { closeAlerts, ignoreIssue, refresh } from "../toolbar.ts";
import { joined, word, wordOr } from "../words.ts";

/** What is wrong over all flows, first. */
export const issues: PanelKind<"issues"> = {
  id: "issues",
  section: "issues",
  order: by(
    ({ isIgnored }) => Number(isIgnored),
    ({ severity }) => Number(severity !== "error"),
    ({ origin }) => origin.label,
    ({ key }) => key,
  ),
  view: (issue) => ({
    key: issue.key,
    tone: issue.isIgnored ? "quiet" : issue.severity,
    title: sentenceOf(issue),
    isSentence: true,
    state: issue.isIgnored ? word("state.ignored") : "",
    lines: issue.isIgnored ? [nodeOf(issue)] : [said(issue, "fix"), nodeOf(issue)],
    opens: issue.origin.node,
    buttons: buttonsOf(issue),
  }),
  summary: (rows) => {
    const open = rows.filter(({ isIgnored }) => !isIgnored);
    const errors = open.filter(({ severity }) => severity === "error").length;
    const ignored = rows.length - open.length;
    return joined([
      errors > 0 ? word("count.errors", { count: errors }) : "",
      open.length > errors ? word("count.warnings", { count: open.length - errors }) : "",
      ignored > 0 ? word("count.ignored", { count: ignored }) : "",
    ]);
  },
};

function nodeOf({ origin }: Row<"issues">): string {
  return nodeName(origin.node, origin.label);
}

/** In the language of the editor. Node-RED may run in another one, and be newer than this page. */
function said(issue: Row<"issues">, part: "what" | "fix"): string {
  return wordOr(`issue.${issue.check}.${issue.said.case}.${part}`, issue.said.values, issue[part]);
}

/** Node-RED writes the type of a node without a name, where the editor has a name to show. */
function sentenceOf(issue: Row<"issues">): string {
  return said(issue, "what").replaceAll(`"${issue.origin.label}"`, () => `"${nodeOf(issue)}"`);
}

function buttonsOf({ id, buttons, isIgnored, origin, said: { values } }: Row<"issues">): RowButton[] {
  if (isIgnored) return [{ label: word("label.stop-ignoring"), act: () => void ignoreIssue(id, false) }];
  const fixes = buttons.map((fix): RowButton => {
    if (fix.kind === "refresh") return { label: word("label.refresh"), act: () => void refresh() };
    if (fix.kind === "closeAlerts")
      return { label: word("label.close-alerts"), act: () => void closeAlerts(fix.file) };
    const other = String(values.other ?? values.acting ?? "");
    const name = fix.node === origin.node ? "" : nodeName(fix.node, other);
    const label = name === "" ? word("label.open") : word("label.open-form", { name });
    return { label, act: () => openForm(fix.node) };
  });
  return [...fixes, { label: word("label.ignore"), act: () => void ignoreIssue(id, true) }];
}
