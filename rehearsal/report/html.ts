import { type NodeReport, OUTCOME_KINDS, type Report } from "../shared/report.ts";
import { type Differences, differencesInWords } from "./differences.ts";
import { outcomeItem, outcomeSections, timeline, totalOf } from "./html-outcomes.ts";
import { Html, html } from "./html-text.ts";
import {
  counted,
  grouped,
  kindCount,
  kindName,
  namesOf,
  nodeName,
  plain,
  reasonsInWords,
  spanText,
} from "./words.ts";

/** Nothing is loaded, nothing runs and nothing is sent: messages are text of others. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

const LISTED_DIFFERENCES = 200;

/** The report as one file to send to somebody. It needs no other file, no network and no script. */
export function htmlOf(report: Report, { differences }: { differences?: Differences } = {}): string {
  const title = `Rehearsal of ${report.tabs.map(({ label }) => plain(label)).join(", ") || "a flow"}`;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
${head(report, title)}
<main>
${differences && differenceSection(differences, report)}
<section><h2>What the flow would have done</h2>${totals(report)}</section>
<section><h2>Time line</h2>${timeline(report)}</section>
${noteSection(report)}
<section><h2>Nodes</h2>${nodeTable(report.nodes)}</section>
${outcomeSections(report)}
${aboutSection(report)}
</main>
</body>
</html>
`;
  return page.text;
}

function head({ span, timeZone, events, channels }: Report, title: string): Html {
  const read = channels.map(
    ({ name, id, events: count, firstOffset, lastOffset }) =>
      html`<p>${counted(count, "event")} of the channel <bdi>${plain(name || id)}</bdi>${
        firstOffset === undefined ? undefined : `, offsets ${firstOffset} to ${lastOffset ?? firstOffset}`
      }</p>`,
  );
  return html`<header><h1>${title}</h1>
<p>${spanText({ span, timeZone })} (${plain(timeZone)})</p>
${read}${
  events.delivered === events.read
    ? undefined
    : html`<p>${grouped(events.delivered)} of them came into the flow.</p>`
}
<p>Nothing of this was done: the flow ran over past events, in a process that cannot act.</p></header>`;
}

function totals(report: Report): Html {
  const counts = OUTCOME_KINDS.map((kind) => [kind, totalOf(report, kind)] as const).filter(
    ([, count]) => count > 0,
  );
  if (counts.length === 0) return html`<p>Nothing would have left it.</p>`;
  return html`<ul class="counts">${counts.map(([kind, count]) => html`<li><strong>${grouped(count)}</strong> ${kindName(kind, count)}</li>`)}</ul>`;
}

const HANDLING: Readonly<Record<NodeReport["handling"], string>> = {
  runs: "ran",
  recorded: "recorded, not run",
  withheld: "ran, requests not sent",
  replied: "answered with test replies",
  silent: "sent nothing",
};

function nodeTable(nodes: readonly NodeReport[]): Html {
  const rows = nodes.map((node) => {
    const outcomes = OUTCOME_KINDS.flatMap((kind) => {
      const count = node.outcomes[kind] ?? 0;
      return count > 0 ? [kindCount(kind, count)] : [];
    });
    const reasons = reasonsInWords(node.reasons);
    return html`<tr><td><bdi>${nodeName(node)}</bdi><br><span class="muted"><bdi>${plain(node.type)}</bdi></span></td><td>${outcomes.join(", ")}${
      reasons.length === 0 ? undefined : html`<br><span class="muted"><bdi>${reasons.join(", ")}</bdi></span>`
    }</td><td class="number">${grouped(node.received)}</td><td class="number">${node.sent.map(grouped).join(" / ") || "0"}</td><td>${HANDLING[node.handling]}</td></tr>`;
  });
  return html`<div class="scroll"><table><thead><tr><th scope="col">Node</th><th scope="col">Outcomes and reasons</th><th scope="col" class="number">Received</th><th scope="col" class="number">Sent, by output</th><th scope="col">In the rehearsal</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

function differenceSection(differences: Differences, report: Report): Html {
  const names = namesOf(report.nodes);
  const lists = differences.outcomes.map(({ kind, name, appeared, gone }) => {
    const list = (heading: string, outcomes: typeof appeared): Html | undefined =>
      outcomes.length === 0
        ? undefined
        : html`<details><summary><h3>${heading} <bdi>${name}</bdi>: ${kindCount(kind, outcomes.length)}</h3></summary><ul class="outcomes">${outcomes
            .slice(0, LISTED_DIFFERENCES)
            // Paths are those of its own report.
            .map(({ path: _path, ...outcome }) => outcomeItem(outcome, report, names))}</ul>${
            outcomes.length > LISTED_DIFFERENCES
              ? html`<p class="muted">The first ${LISTED_DIFFERENCES} are listed.</p>`
              : undefined
          }</details>`;
    return html`${list("New,", appeared)}${list("Gone,", gone)}`;
  });
  return html`<section><h2>Compared with the rehearsal before</h2><ul>${differencesInWords(differences).map((sentence) => html`<li><bdi>${sentence}</bdi></li>`)}</ul>${lists}</section>`;
}

function noteSection({ notes, nodes }: Report): Html | undefined {
  if (notes.length === 0) return undefined;
  const names = namesOf(nodes);
  const items = notes.map(({ node, text }) => {
    const name = node === undefined ? undefined : html`<bdi>${names.get(node) ?? plain(node)}</bdi>: `;
    return html`<li>${name}<bdi>${plain(text, 1_000)}</bdi></li>`;
  });
  return html`<section><h2>What to know about this rehearsal</h2><ul>${items}</ul></section>`;
}

function aboutSection({ seed, tabs, channels }: Report): Html {
  return html`<section><details><summary><h2>Settings and ids</h2></summary><dl><dt>seed</dt><dd>${seed}</dd>${tabs.map(
    ({ id, label }) => html`<dt>tab <bdi>${plain(label)}</bdi></dt><dd>${plain(id)}</dd>`,
  )}${channels.map(({ id, name }) => html`<dt>channel <bdi>${plain(name)}</bdi></dt><dd>${plain(id)}</dd>`)}</dl></details></section>`;
}

/** Light and dark as the browser wants it; on paper, black on white with all that is open. */
const STYLE = new Html(`
:root { color-scheme: light dark; --text: #1c2330; --muted: #566074; --line: #d9dee7; --paper: #fff; --ground: #f4f6f9; --link: #0b57b0; --bad: #b3261e; --good: #1b6b2f; --plain: #4a5a78; --warn: #8a5a00; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e4e8ef; --muted: #a2adbf; --line: #323b4a; --paper: #1b212b; --ground: #12161d; --link: #8ab8ff; --bad: #ff8a80; --good: #7fd493; --plain: #9fb3d9; --warn: #f0c06a; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
header, main { max-width: 64rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 2rem; padding-bottom: .5rem; }
h1 { margin: 0; font-size: 1.6rem; line-height: 1.25; }
h2 { margin: 0 0 .75rem; font-size: 1.15rem; }
h3 { margin: 1.25rem 0 .25rem; font-size: 1rem; }
header p, .muted { color: var(--muted); }
header p { margin: .25rem 0; }
main { padding-bottom: 3rem; }
section { margin-bottom: 1rem; padding: 1.25rem; background: var(--paper); border: 1px solid var(--line); border-radius: .5rem; }
p { margin: .5rem 0; }
ul, ol { margin: 0; padding: 0; list-style: none; }
a { color: var(--link); }
bdi { unicode-bidi: isolate; }
.counts { display: grid; grid-template-columns: repeat(auto-fill, minmax(7.5rem, 1fr)); gap: 1rem; }
.counts strong { display: block; font-size: 1.5rem; line-height: 1.2; }
.lane { display: grid; grid-template-columns: 11rem minmax(0, 1fr); gap: .25rem 1rem; align-items: center; padding: .3rem 0; border-top: 1px solid var(--line); }
.lane svg { display: block; width: 100%; height: 2rem; }
.lane rect { fill: var(--plain); }
.alert rect, .error rect { fill: var(--bad); }
.resolved rect { fill: var(--good); }
.suppressed rect { fill: var(--warn); }
.lane .base { fill: var(--line); }
.axis { display: flex; justify-content: space-between; margin-left: 12rem; color: var(--muted); font-size: .85rem; }
.scroll { overflow-x: auto; }
table { width: 100%; min-width: 34rem; border-collapse: collapse; }
th, td { padding: .35rem .75rem .35rem 0; text-align: left; vertical-align: top; border-top: 1px solid var(--line); }
thead th { border-top: 0; color: var(--muted); font-weight: normal; font-size: .9rem; }
td.number, th.number { text-align: right; padding-right: 1.5rem; font-variant-numeric: tabular-nums; }
.outcomes > li { border-top: 1px solid var(--line); padding: .35rem 0; }
summary { cursor: pointer; }
summary time { white-space: nowrap; color: var(--muted); font-variant-numeric: tabular-nums; font-size: .9rem; margin-right: .5rem; }
summary .why { color: var(--warn); }
summary h2, summary h3 { display: inline; }
details + details, ul + details { display: block; margin-top: .5rem; }
details > :not(summary) { margin-left: 1.1rem; }
.path { display: flex; flex-wrap: wrap; gap: 0 .4rem; }
.path li + li::before { content: "\\2192"; margin-right: .4rem; color: var(--muted); }
dl { display: grid; grid-template-columns: fit-content(14rem) minmax(0, 1fr); gap: .15rem 1rem; margin: .5rem 0; }
dt { color: var(--muted); }
dd { margin: 0; }
pre { margin: .5rem 0; padding: .75rem 1rem; overflow-x: auto; background: var(--ground); border-radius: .375rem; font: .85em/1.5 ui-monospace, Menlo, Consolas, monospace; white-space: pre-wrap; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
@media (max-width: 40rem) {
  section { padding: 1rem; }
  .lane { grid-template-columns: minmax(0, 1fr); }
  .axis { margin-left: 0; }
  dl { grid-template-columns: minmax(0, 1fr); gap: 0; }
  dd { margin-bottom: .35rem; }
}
@media print {
  :root { --text: #000; --muted: #444; --line: #bbb; --paper: #fff; --ground: #fff; color-scheme: light; }
  body { font-size: 11px; }
  header, main { max-width: none; padding: 0; }
  section { border: 0; padding: .5rem 0; }
  .lane, .outcomes > li, tr { break-inside: avoid; }
  rect { print-color-adjust: exact; }
}
`);
