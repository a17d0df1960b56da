import { toSmallestUnit } from "../../abi/index.ts";
import type { AlertSettings, AlertWhen } from "../types.ts";
import type { Cell } from "./cells.ts";
import type { KeyState } from "./state.ts";

export type Windowed = Extract<AlertWhen, { kind: "count" | "sum" | "rate" }>;

/** A window that reaches the limit: its last cell, and what is in it. */
export type Reached = { end: Cell; count: number; sum?: string; usual?: number };

/** Amounts are compared with this many decimal places, so that nothing is rounded. */
const MOST_DECIMALS = 77;
/** Amounts of tokens with decimals of their own are added up with this many decimal places. */
const SUM_DECIMALS = 36;
/** A compared time is counted in this many parts. */
const PARTS = 100;

/**
 * The first window that reaches the limit, of those that end at a cell and hold this time; without a time, the last of
 * all windows. A window holds what is less than its length older than its end.
 */
export function reachedWindow(
  when: Windowed,
  state: KeyState,
  context: { since: number; at?: number },
): Reached | undefined {
  const { sorted } = state.cells;
  const { at = Number.NEGATIVE_INFINITY } = context;
  const before = context.at === undefined ? Number.POSITIVE_INFINITY : context.at + when.withinMs;
  const reaches = limitOf(when, state, context.since);
  let last: Reached | undefined;
  let from = 0;
  let count = 0;
  let sum = 0n;
  const add = (cell: Cell, sign: 1 | -1) => {
    count += sign * cell.n;
    if (when.kind === "sum") sum += sign === 1 ? cell.sum : -cell.sum;
  };
  if (context.at !== undefined) {
    const first = sorted.findIndex((cell) => cell.at > at - when.withinMs);
    from = first === -1 ? sorted.length : first;
  }
  for (let index = from; index < sorted.length; index += 1) {
    const end = sorted[index];
    if (end === undefined || end.at >= before) break;
    add(end, 1);
    let oldest = sorted[from];
    while (oldest !== undefined && oldest.at <= end.at - when.withinMs) {
      add(oldest, -1);
      from += 1;
      oldest = sorted[from];
    }
    if (end.at < at) continue;
    const usual = reaches(end.at, count, sum);
    if (usual === undefined) continue;
    const found = {
      end,
      count,
      ...(when.kind === "sum" ? { sum: String(sum) } : {}),
      ...(when.kind === "rate" ? { usual } : {}),
    };
    if (context.at !== undefined) return found;
    last = found;
  }
  return last;
}

/** A state is asked several times for the same, and never changes. */
const ends = new WeakMap<KeyState, { when: Windowed; since: number; end: number | undefined }>();
const spans = new WeakMap<KeyState, { when: Windowed; spans: Span[] }>();

/** When the last window that reaches the limit ends to do so, with what was counted; undefined without such a window. */
export function endOfReached(when: Windowed, state: KeyState, since: number): number | undefined {
  const known = ends.get(state);
  if (known !== undefined && known.when === when && known.since === since) return known.end;
  const end = findEnd(when, state, since);
  ends.set(state, { when, since, end });
  return end;
}

function findEnd(when: Windowed, state: KeyState, since: number): number | undefined {
  if (when.kind === "sum") return sumSpans(when, state).findLast((span) => !isUntold(span, state))?.to;
  const last = reachedWindow(when, state, { since });
  if (last === undefined) return undefined;
  const reaches = limitOf(when, state, since);
  const { sorted } = state.cells;
  let count = 0;
  for (let index = sorted.indexOf(last.end); index >= 0; index -= 1) {
    const cell = sorted[index];
    if (cell === undefined || cell.at <= last.end.at - when.withinMs) break;
    count += cell.n;
    if (reaches(last.end.at, count, 0n) !== undefined) return cell.at + when.withinMs;
  }
  return last.end.at + when.withinMs;
}

/** The first time at which a sum comes to reach its limit by what leaves its window, and that was not told. */
export function reachedByTime(when: AlertWhen, state: KeyState): Span | undefined {
  if (when.kind !== "sum" || !(when.is === "atMost" || state.cells.hasNegative)) return undefined;
  return sumSpans(when, state).find((span) => isUntold(span, state));
}

function isUntold({ isByTime, from }: Span, { reachedAt = Number.NEGATIVE_INFINITY }: KeyState): boolean {
  return isByTime && from > reachedAt;
}

function sumSpans(when: Sum, state: KeyState): Span[] {
  const known = spans.get(state);
  if (known?.when === when) return known.spans;
  const found = spansOf(state.cells.sorted, { withinMs: when.withinMs, reaches: sumLimit(when) });
  spans.set(state, { when, spans: found });
  return found;
}

/** Undefined where a window with this end does not reach the limit; of a rate, how many there usually are. */
function limitOf(
  when: Windowed,
  state: KeyState,
  since: number,
): (end: number, count: number, sum: bigint) => number | undefined {
  if (when.kind === "count") return (_end, count) => (count >= when.times ? 0 : undefined);
  if (when.kind === "sum") {
    const isReached = sumLimit(when);
    return (_end, count, sum) => (count > 0 && isReached(sum) ? 0 : undefined);
  }
  return (end, count) => {
    if (count < when.least) return undefined;
    const usual = usualBefore(when, state, end, since);
    return usual !== undefined && count > when.factor * usual ? usual : undefined;
  };
}

type Sum = Extract<AlertWhen, { kind: "sum" }>;

function sumLimit(when: Sum): (sum: bigint) => boolean {
  const limit = BigInt(toSmallestUnit(when.limit, MOST_DECIMALS, "limit"));
  const scale = 10n ** BigInt(MOST_DECIMALS - scaleOf(when));
  return (sum) => (when.is === "atMost" ? sum * scale <= limit : sum * scale >= limit);
}

/** With how many decimal places amounts are added up; 0 where the limit is in the smallest unit. */
function scaleOf({ unit, decimals = SUM_DECIMALS }: Sum): number {
  return unit === "token" ? decimals : 0;
}

/** Whether each event has decimals of its own: those of its contract. */
function isOfEach({ unit, decimals }: Sum): boolean {
  return unit === "token" && decimals === undefined;
}

/** An amount as it is added up. Undefined where the decimals of its token are not known. */
export function scaledAmount(when: Sum, amount: string, decimals: number | undefined): string | undefined {
  if (!isOfEach(when)) return amount;
  if (decimals === undefined || !Number.isInteger(decimals)) return undefined;
  return decimals >= 0 && decimals <= SUM_DECIMALS ? amount + "0".repeat(SUM_DECIMALS - decimals) : undefined;
}

/** A sum in the smallest unit of these decimals: the most that an event of it had. */
export function shownSum(when: Sum, sum: string, decimals = SUM_DECIMALS): string {
  if (!isOfEach(when) || decimals === SUM_DECIMALS) return sum;
  return String(BigInt(sum) / 10n ** BigInt(SUM_DECIMALS - decimals));
}

type Rate = Extract<AlertWhen, { kind: "rate" }>;

/** Counts one more at this time. */
export function withPart(when: Rate, parts: KeyState["parts"] = [], at: number): Array<[number, number]> {
  const part = partOf(when, at);
  const known = parts.find(([number]) => number === part);
  const others = parts.filter(([number]) => number !== part);
  return [...others, [part, (known?.[1] ?? 0) + 1] as [number, number]].sort(([a], [b]) => a - b);
}

/** The parts that a window may still be compared with, where windows reach back to this time. */
export function partsSince(when: Rate, parts: Array<[number, number]>, at: number): Array<[number, number]> {
  const first = partOf(when, at - when.withinMs) - partCount(when);
  return parts.filter(([part]) => part >= first);
}

/** From when on no window is compared with the parts any more; 0 without any. */
export function partsUntil(when: Rate, parts: KeyState["parts"] = []): number {
  const last = parts.at(-1)?.[0];
  return last === undefined ? 0 : (last + 1 + partCount(when)) * partMs(when) + when.withinMs;
}

/** Undefined while the compared time before the window is not known as a whole. */
function usualBefore(when: Rate, { parts = [] }: KeyState, end: number, since: number): number | undefined {
  const next = partOf(when, end - when.withinMs);
  const first = next - partCount(when);
  if (first * partMs(when) < since) return undefined;
  const total = parts.reduce((sum, [part, count]) => (part >= first && part < next ? sum + count : sum), 0);
  return (total * when.withinMs) / (partCount(when) * partMs(when));
}

const partMs = ({ comparedMs }: Rate) => Math.max(1, Math.ceil(comparedMs / PARTS));
const partCount = (when: Rate) => Math.max(1, Math.round(when.comparedMs / partMs(when)));
const partOf = (when: Rate, at: number) => Math.floor(at / partMs(when));

export function isWindowed(settings: AlertSettings): settings is AlertSettings & { when: Windowed } {
  return settings.when.kind !== "each" && settings.when.kind !== "absence";
}

/** A time through which what is in the window reaches the limit: from its first moment to the first one after it. */
export type Span = {
  from: number;
  to: number;
  /** It begins because something leaves the window: no event tells of it. */
  isByTime: boolean;
  /** What the window holds as it begins. */
  count: number;
  sum: bigint;
};

/**
 * When the window of a sum reaches its limit, in order. A window holds what is less than its length older than its end.
 * `reaches` is asked about a window that holds something.
 */
function spansOf(
  cells: readonly Cell[],
  { withinMs, reaches }: { withinMs: number; reaches: (sum: bigint) => boolean },
): Span[] {
  const spans: Span[] = [];
  let [added, dropped, count, sum] = [0, 0, 0, 0n];
  let open: Span | undefined;
  for (let oldest = cells[0]; oldest !== undefined; oldest = cells[dropped]) {
    const next = cells[added];
    const leavesAt = oldest.at + withinMs;
    const at = Math.min(next?.at ?? leavesAt, leavesAt);
    if (next?.at === at) {
      count += next.n;
      sum += next.sum;
      added += 1;
    }
    if (leavesAt === at) {
      count -= oldest.n;
      sum -= oldest.sum;
      dropped += 1;
    }
    const isReached = count > 0 && reaches(sum);
    if (isReached) open ??= { from: at, to: at, isByTime: next?.at !== at, count, sum };
    else if (open !== undefined) {
      spans.push({ ...open, to: at });
      open = undefined;
    }
  }
  return spans;
}
