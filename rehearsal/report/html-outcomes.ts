import { type Axis, axisOf, barOf } from "../shared/axis.ts";
import { OUTCOME_KINDS, type Outcome, type OutcomeKind, type Path, type Report } from "../shared/report.ts";
import { type Html, html } from "./html-text.ts";
import {
  causeOf,
  grouped,
  kindCount,
  kindName,
  minuteText,
  namesOf,
  plain,
  timeText,
  visible,
} from "./words.ts";

/** The kinds that are many, and seldom looked at one by one. */
const CLOSED: ReadonlySet<OutcomeKind> = new Set(["suppressed", "query", "ack"]);

type Names = ReadonlyMap<string, string>;

/** A section for each kind: its outcomes in the order in which they happened. */
export function outcomeSections(report: Report): Html[] {
  const names = namesOf(report.nodes);
  return OUTCOME_KINDS.flatMap((kind) => {
    const listed = report.outcomes.filter((outcome) => outcome.kind === kind);
    if (listed.length === 0) return [];
    const all = totalOf(report, kind, listed.length);
    const list = html`${
      all > listed.length
        ? html`<p class="muted">The first ${grouped(listed.length)} are listed.</p>`
        : undefined
    }<ul class="outcomes">${listed.map((outcome) => outcomeItem(outcome, report, names))}</ul>`;
    const heading = html`<h2>${headingOf(kind, all)}</h2>`;
    return CLOSED.has(kind)
      ? html`<section id="${kind}"><details><summary>${heading}</summary>${list}</details></section>`
      : html`<section id="${kind}">${heading}${list}</section>`;
  });
}

/** How many there were, also of what the report does not list. */
export function totalOf({ nodes }: Report, kind: OutcomeKind, listed = 0): number {
  const counts = nodes.map(({ outcomes }) => outcomes[kind] ?? 0);
  return Math.max(
    listed,
    counts.reduce((sum, count) => sum + count, 0),
  );
}

/** One outcome in a line; opened, with what it is about, its path and its message. */
export function outcomeItem(outcome: Outcome, report: Report, names: Names): Html {
  const { kind, at, node, text, why, message, isCut, path } = outcome;
  const facts = factsOf(message);
  return html`<li><details><summary><time datetime="${isoOf(at)}">${timeText(at, report.timeZone)}</time><bdi>${plain(text) || kindName(kind)}</bdi>${
    why === undefined
      ? undefined
      : html` <span class="why">(<bdi>${plain(why).replaceAll("_", " ")}</bdi>)</span>`
  } <span class="muted"><bdi>${names.get(node) ?? plain(node)}</bdi></span></summary>
<dl>${facts.map(([name, fact]) => html`<dt><bdi>${plain(name, 60)}</bdi></dt><dd><bdi>${plain(fact)}</bdi></dd>`)}${
    why === undefined ? undefined : html`<dt>reason</dt><dd><bdi>${plain(why)}</bdi></dd>`
  }<dt>because</dt><dd>${outcome.event === undefined ? "of the time alone" : causeOf(outcome, report)}</dd>${pathRow(path === undefined ? undefined : report.paths[path], names)}<dt>node</dt><dd><bdi>${names.get(node) ?? ""}</bdi> <span class="muted">${plain(node)}</span></dd></dl>
<pre>${messageText(message)}</pre>${isCut ? html`<p class="muted">The message is cut: it was longer.</p>` : undefined}</details></li>`;
}

function headingOf(kind: OutcomeKind, count: number): string {
  const text = kindCount(kind, count);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function pathRow(path: Path | undefined, names: Names): Html | undefined {
  const [first] = path ?? [];
  if (path === undefined || first === undefined) return undefined;
  const outputs = path.map(
    ({ port, to }) =>
      html`<li><bdi>${names.get(to) ?? plain(to)}</bdi>${port > 0 ? html` <span class="muted">by output ${port + 1}</span>` : undefined}</li>`,
  );
  return html`<dt>path</dt><dd><ol class="path"><li><bdi>${names.get(first.from) ?? plain(first.from)}</bdi></li>${outputs}</ol></dd>`;
}

/** What a message of ours says: the amounts in tokens of its event, its sum, its text. */
function factsOf(message: unknown): Array<[name: string, fact: string]> {
  const payload = property(message, "payload");
  const holders = [payload, property(payload, "event"), message];
  const amounts = holders
    .map((holder) => textsOf(property(holder, "tokens")))
    .find((texts) => texts.length > 0);
  const sum = property(payload, "sumTokens");
  const text = property(payload, "text");
  return [
    ...(amounts ?? []),
    ...(typeof sum === "string" ? [["sum", sum] as [string, string]] : []),
    ...(typeof text === "string" ? [["text", text] as [string, string]] : []),
  ];
}

function textsOf(value: unknown): Array<[string, string]> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  return Object.entries(value)
    .filter(([, amount]) => typeof amount === "string" || typeof amount === "number")
    .map(([name, amount]): [string, string] => [name, String(amount)])
    .slice(0, 8);
}

function property(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

function messageText(message: unknown): string {
  const text = typeof message === "string" ? message : (JSON.stringify(message, null, 2) ?? "no message");
  return text.split("\n").map(visible).join("\n");
}

function isoOf(at: number): string {
  return new Date(at).toISOString();
}

/** A single one must not look like an area. */
const BUCKETS = { least: 40, most: 200 };
const HEIGHT = 32;

type Bucket = { count: number; first: number; last: number };

/** A lane for each kind: when its outcomes happened. The height of a bar is their number. */
export function timeline({ outcomes, timeZone }: Report): Html {
  if (outcomes.length === 0) return html`<p>No outcomes.</p>`;
  const { from, step, count } = axisOf(
    outcomes.map(({ at }) => at),
    BUCKETS.most,
  );
  const axis = { from, step, count: Math.max(BUCKETS.least, count) };
  const lanes = OUTCOME_KINDS.flatMap((kind) => {
    const own = outcomes.filter((outcome) => outcome.kind === kind);
    return own.length === 0 ? [] : [lane(kind, own, axis, timeZone)];
  });
  return html`${lanes}
<div class="axis"><span>${minuteText(from, timeZone)}</span><span>${minuteText(from + axis.count * step, timeZone)}</span></div>`;
}

function lane(kind: OutcomeKind, outcomes: readonly Outcome[], axis: Axis, timeZone: string): Html {
  const buckets = bucketsOf(outcomes, axis);
  const most = Math.max(...[...buckets.values()].map(({ count }) => count));
  const bars = [...buckets].map(([index, { count, first, last }]) => {
    const height = Math.round(HEIGHT * (0.3 + 0.7 * (count / most)) * 10) / 10;
    const when =
      first === last
        ? timeText(first, timeZone)
        : `${timeText(first, timeZone)} to ${timeText(last, timeZone)}`;
    return html`<rect x="${index}" y="${HEIGHT - height}" width="1" height="${height}"><title>${kindCount(kind, count)}, ${when}</title></rect>`;
  });
  const name = kindCount(kind, outcomes.length);
  return html`<div class="lane ${kind}"><a href="#${kind}">${name}</a>
<svg viewBox="0 0 ${axis.count} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="When: ${name}"><rect class="base" y="${HEIGHT - 0.5}" width="${axis.count}" height="0.5"/>${bars}</svg></div>`;
}

function bucketsOf(outcomes: readonly Outcome[], axis: Axis): Map<number, Bucket> {
  const buckets = new Map<number, Bucket>();
  for (const { at } of outcomes) {
    const index = barOf(at, axis);
    const bucket = buckets.get(index) ?? { count: 0, first: at, last: at };
    bucket.count += 1;
    bucket.first = Math.min(bucket.first, at);
    bucket.last = Math.max(bucket.last, at);
    buckets.set(index, bucket);
  }
  return buckets;
}
