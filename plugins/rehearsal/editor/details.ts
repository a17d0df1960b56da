import { make } from "../../../nodes/common/editor/elements.ts";
import type { Note, OutcomeKind, Path } from "../../../rehearsal/shared/report.ts";
import type { ShownDifferences, ShownReport } from "../types.ts";
import { nodeName, revealNode } from "./flows.ts";
import { type Listed, whyText } from "./outcome-list.ts";
import { counted, numberText, timeText, word } from "./words.ts";

/** One outcome: when, where, why, the message, and the way it took. */
export function outcomeDetails(
  report: ShownReport,
  { outcome }: Listed,
): { element: HTMLElement; message: HTMLElement } {
  const { kind, node, at, text, event, why, isCut, path } = outcome;
  const channel = report.channels.find(({ id }) => id === event?.channelId);
  const facts: Array<[string, string | undefined]> = [
    ["time", timeText(at, report.timeZone)],
    ["why", why && whyText(why)],
    [
      "event",
      event && word("value.event", { offset: numberText(event.offset), channel: channel?.name ?? "" }),
    ],
  ];
  const list = make("dl", "crec-facts");
  for (const [name, value] of facts)
    if (value) list.append(make("dt", "", word(`fact.${name}`)), make("dd", "", value));
  list.append(make("dt", "", word("fact.node")), make("dd", "", nodeButton(report, node)));
  const message = make("pre", "", word("live.loading"));
  message.tabIndex = 0;
  message.setAttribute("aria-label", word("label.message"));
  const element = make("div", "", make("h4", "", text || word(`kind.${kind}`)), list);
  const taken = path === undefined ? undefined : report.paths[path];
  if (taken) element.append(make("h5", "", word("label.path")), pathList(report, taken));
  element.append(make("h5", "", word("label.message")));
  if (isCut) element.append(make("p", "crec-hint", word("hint.cut")));
  element.append(message);
  return { element, message };
}

function pathList(report: ShownReport, path: Path): HTMLElement {
  const ids = [...(path[0] ? [path[0].from] : []), ...path.map(({ to }) => to)];
  return make("ol", "crec-path", ...ids.map((id) => make("li", "", nodeButton(report, id))));
}

/** The name of a node, which shows it in its flow. */
function nodeButton(report: ShownReport, id: string): HTMLButtonElement {
  const made = make("button", "crec-link", nodeName(id, reported(report, id)));
  made.type = "button";
  made.title = word("hint.show-node");
  made.addEventListener("click", () => revealNode(id));
  return made;
}

function reported(report: ShownReport, id: string) {
  return report.nodes.find((node) => node.id === id);
}

/** What came in, and what a person must know of this rehearsal. */
export function reportNotes(report: ShownReport): HTMLElement {
  const { read, delivered } = report.events;
  const came = make(
    "p",
    "",
    word("value.events", { read: numberText(read), delivered: numberText(delivered) }),
  );
  const channels = report.channels.map(({ name, id, events }) =>
    make("li", "", `${name || id}: ${counted("count.events", events)}`),
  );
  const notes = report.notes.map(({ kind, node, text }) => {
    const item = make("li", "", make("strong", "", word(`note.${kind}`)), " ");
    const said = noteText(kind, text);
    if (node !== undefined) item.append(nodeButton(report, node), said === "" ? "" : ": ");
    item.append(said);
    return item;
  });
  const element = make("div", "", make("h4", "", word("label.notes")), came, make("ul", "", ...channels));
  const reasons = report.nodes.flatMap((node) => reasonsOf(report, node));
  if (reasons.length > 0)
    element.append(make("h5", "", word("label.reasons")), make("ul", "crec-notes", ...reasons));
  if (notes.length > 0) element.append(make("ul", "crec-notes", ...notes));
  return element;
}

/** In the reader's language, as far as the kind of the note says it all. */
function noteText(kind: Note["kind"], text: string): string {
  if (kind === "silent-source" || kind === "recorded" || kind === "withheld") return "";
  if (kind === "stopped") return word("value.stopped");
  const [count] = /\d+(?=\.$)/.exec(text) ?? [];
  if (count === undefined || (kind !== "waiting" && kind !== "cut")) return text;
  return counted(kind === "waiting" ? "count.waiting" : "count.cut", Number(count));
}

/** Why an alert node held alerts back, and how often. */
function reasonsOf(report: ShownReport, { id, reasons }: ShownReport["nodes"][number]): HTMLElement[] {
  const counts = Object.entries(reasons).map(([why, count]) => `${whyText(why)}: ${numberText(count)}`);
  return counts.length === 0 ? [] : [make("li", "", nodeButton(report, id), ` · ${counts.join(" · ")}`)];
}

/** What this rehearsal has otherwise than the one before it. */
export function differencesShown(report: ShownReport, differences: ShownDifferences): HTMLElement {
  const { inputs, outcomes, nodes } = differences;
  const element = make("div", "", make("h4", "", answer(report, differences)));
  element.append(make("p", "crec-hint", word("label.differences")));
  if (outcomes.length + nodes.length === 0) element.append(make("p", "", word("empty.differences")));
  for (const { kind, node, before, after, appeared, gone, changed } of outcomes) {
    const change = changeText(kind, before, after);
    element.append(make("h5", "", nodeButton(report, node), `: ${change}`));
    const line = (sign: string, { at, text }: { at: number; text: string }) =>
      make("li", "", make("b", "", word(`sign.${sign}`)), ` ${timeText(at, report.timeZone, "day")} `, text);
    const lines = [
      ...appeared.map((outcome) => line("appeared", outcome)),
      ...gone.map((outcome) => line("gone", outcome)),
      ...changed.map((outcome) => line("changed", outcome)),
    ];
    element.append(make("ul", "crec-notes", ...lines.slice(0, MOST_LINES)));
    if (lines.length > MOST_LINES)
      element.append(make("p", "crec-hint", counted("hint.not-listed", lines.length - MOST_LINES)));
  }
  const counts = nodes.map(({ node, name, before, after }) => {
    const values = { before: numberText(before), after: numberText(after) };
    return word("value.node", { name: nodeName(node, { name, type: "" }), ...values });
  });
  if (counts.length > 0) element.append(make("h5", "", word("label.counts")), listOf(counts));
  if (inputs.length > 0) element.append(make("p", "crec-hint", word("hint.inputs")), listOf(inputs));
  return element;
}

/** The alerts of all nodes; of a flow without alerts, what matters most of what differs. */
function answer({ nodes }: ShownReport, { outcomes }: ShownDifferences): string {
  const kind = outcomes.some((one) => one.kind === "alert") ? "alert" : (outcomes[0]?.kind ?? "alert");
  const after = nodes.reduce((sum, node) => sum + (node.outcomes[kind] ?? 0), 0);
  const own = outcomes.filter((one) => one.kind === kind);
  return changeText(
    kind,
    own.reduce((sum, one) => sum + one.before - one.after, after),
    after,
  );
}

function changeText(kind: OutcomeKind, before: number, after: number): string {
  const now = counted(`count.${kind}`, after);
  return word(before === after ? "value.same" : "value.change", { now, before: numberText(before) });
}

const MOST_LINES = 200;

function listOf(texts: readonly string[]): HTMLElement {
  return make("ul", "crec-notes", ...texts.map((text) => make("li", "", text)));
}
