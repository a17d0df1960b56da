import { type Axis, axisOf, barOf } from "../shared/axis.ts";
import { OUTCOME_KINDS, type Outcome, type OutcomeKind, type Report } from "../shared/report.ts";
import { type Html, html } from "./html-text.ts";
import { kindCount, minuteText, timeText } from "./words.ts";

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
