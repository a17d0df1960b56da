import { OUTCOME_KINDS, type Outcome, type OutcomeKind, type Report } from "../shared/report.ts";
import { type Html, html } from "./html-text.ts";
import { kindCount, timeText } from "./words.ts";

const BUCKETS = 200;
const HEIGHT = 32;

type Bucket = { count: number; first: number; last: number };

/** A lane for each kind: when its outcomes happened. The height of a bar is their number. */
export function timeline({ outcomes, span, timeZone }: Report): Html {
  if (outcomes.length === 0) return html`<p>No outcomes.</p>`;
  const lanes = OUTCOME_KINDS.flatMap((kind) => {
    const own = outcomes.filter((outcome) => outcome.kind === kind);
    return own.length === 0 ? [] : [lane(kind, own, { span, timeZone })];
  });
  return html`${lanes}
<div class="axis"><span>${timeText(span.from, timeZone)}</span><span>${timeText(span.to, timeZone)}</span></div>`;
}

function lane(
  kind: OutcomeKind,
  outcomes: readonly Outcome[],
  { span, timeZone }: Pick<Report, "span" | "timeZone">,
): Html {
  const buckets = bucketsOf(outcomes, span);
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
<svg viewBox="0 0 ${BUCKETS} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="When: ${name}"><rect class="base" y="${HEIGHT - 0.5}" width="${BUCKETS}" height="0.5"/>${bars}</svg></div>`;
}

function bucketsOf(outcomes: readonly Outcome[], { from, to }: Report["span"]): Map<number, Bucket> {
  const buckets = new Map<number, Bucket>();
  const length = Math.max(1, to - from);
  for (const { at } of outcomes) {
    const share = Math.min(1, Math.max(0, (at - from) / length));
    const index = Math.min(BUCKETS - 1, Math.floor(share * BUCKETS));
    const bucket = buckets.get(index) ?? { count: 0, first: at, last: at };
    bucket.count += 1;
    bucket.first = Math.min(bucket.first, at);
    bucket.last = Math.max(bucket.last, at);
    buckets.set(index, bucket);
  }
  return buckets;
}
