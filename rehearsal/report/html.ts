import { type NodeReport, OUTCOME_KINDS, type Report } from "../shared/report.ts";
import { type Differences, differencesInWords } from "./differences.ts";
import { namesOf, outcomeItem, outcomeSections, totalOf } from "./html-outcomes.ts";
import { STYLE } from "./html-style.ts";
import { type Html, html } from "./html-text.ts";
import { timeline } from "./html-timeline.ts";
import { counted, grouped, kindCount, kindName, nodeName, plain, spanText } from "./words.ts";

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
    const reasons = Object.entries(node.reasons)
      .filter(([, count]) => count > 0)
      .map(([why, count]) => `${plain(why).replaceAll("_", " ")} ${grouped(count)}`);
    return html`<tr><td><bdi>${nodeName(node)}</bdi><br><span class="muted"><bdi>${plain(node.type)}</bdi></span></td><td>${outcomes.join(", ")}${
      reasons.length === 0 ? undefined : html`<br><span class="muted"><bdi>${reasons.join(", ")}</bdi></span>`
    }</td><td class="number">${grouped(node.received)}</td><td class="number">${node.sent.map(grouped).join(" / ") || "0"}</td><td>${HANDLING[node.handling]}</td></tr>`;
  });
  return html`<div class="scroll"><table><thead><tr><th scope="col">Node</th><th scope="col">Outcomes and reasons</th><th scope="col" class="number">Received</th><th scope="col" class="number">Sent, by output</th><th scope="col">In the rehearsal</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

function differenceSection(differences: Differences, report: Report): Html {
  const names = namesOf(report);
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
  const names = new Map(nodes.map((node) => [node.id, nodeName(node)]));
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
