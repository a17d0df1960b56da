// What nodes that wait do with events, computed another way: times in seconds after the start, in their order. A timer of
// the same time as an event comes before it, and the last second belongs to the span.

/** When a message left. `value`: which event, or what was sent. */
export type Sent = [at: number, value?: unknown];

export type Happening = { at: number; value: number };

type Of<Settings> = (events: readonly Happening[], settings: Settings, end: number) => Sent[];

const until =
  (end: number) =>
  ([at]: Sent) =>
    at <= end;

export const delayed: Of<{ seconds: number }> = (events, { seconds }, end) =>
  events.map(({ at, value }): Sent => [at + seconds, value]).filter(until(end));

/** The first leaves at once and starts an interval, which ends when it finds nothing that waits. */
export const limited: Of<{ seconds: number }> = (events, { seconds }, end) => {
  const left: Sent[] = [];
  const waiting: number[] = [];
  let next: number | undefined;
  const tickUntil = (time: number) => {
    while (next !== undefined && next <= time) {
      const value = waiting.shift();
      if (value !== undefined) left.push([next, value]);
      next = value === undefined ? undefined : next + seconds;
    }
  };
  for (const { at, value } of events) {
    tickUntil(at);
    if (next === undefined) {
      left.push([at, value]);
      next = at + seconds;
    } else waiting.push(value);
  }
  tickUntil(end);
  return left;
};

/** Only what is later than the one that left last by more than the time. */
export const dropped: Of<{ seconds: number }> = (events, { seconds }) => {
  const left: Sent[] = [];
  for (const { at, value } of events) {
    const last = left.at(-1);
    if (last === undefined || at - last[0] > seconds) left.push([at, value]);
  }
  return left;
};

/** Sends "first", and "then" so long after it, or after the last event if each extends the time. */
export const triggered: Of<{ seconds: number; extend: boolean }> = (events, { seconds, extend }, end) => {
  const left: Sent[] = [];
  let due: number | undefined;
  const pass = (time: number) => {
    if (due === undefined || due > time) return;
    left.push([due, "then"]);
    due = undefined;
  };
  for (const { at } of events) {
    pass(at);
    if (due === undefined) left.push([at, "first"]);
    if (due === undefined || extend) due = at + seconds;
  }
  pass(end);
  return left;
};

/** All that came in an interval leaves at its end. */
export const batched: Of<{ seconds: number }> = (events, { seconds }, end) =>
  events.map(({ at, value }): Sent => [(Math.floor(at / seconds) + 1) * seconds, value]).filter(until(end));

/** A group begins with its first event, and leaves so long after it. */
export const joined: Of<{ seconds: number }> = (events, { seconds }, end) => {
  const groups: Array<{ due: number; values: number[] }> = [];
  for (const { at, value } of events) {
    const group = groups.at(-1);
    if (group === undefined || group.due <= at) groups.push({ due: at + seconds, values: [value] });
    else group.values.push(value);
  }
  return groups.map(({ due, values }): Sent => [due, values]).filter(until(end));
};

/** Once after some time, then at each interval. */
export function repeated(
  { seconds, first }: { seconds: number; first: number | undefined },
  end: number,
): Sent[] {
  const left: Sent[] = first === undefined ? [] : [[first]];
  for (let at = (first ?? 0) + seconds; at <= end; at += seconds) left.push([at]);
  return left.filter(until(end));
}

/**
 * Nobody acknowledges: each event is sent so often, then rejected. `gaps`: seconds from an attempt to what follows it.
 * At most `places` events are in the flow at once.
 */
export function unanswered(
  events: readonly Happening[],
  { gaps, places }: { gaps: readonly number[]; places: number },
  end: number,
): { sent: Sent[]; rejected: Sent[] } {
  const sent: Sent[] = [];
  const rejected: Sent[] = [];
  /** When each place is free again. */
  const free = Array.from({ length: places }, () => 0);
  for (const { at, value } of events) {
    const place = free.indexOf(Math.min(...free));
    let time = Math.max(at, free[place] ?? 0);
    for (const gap of gaps) {
      sent.push([time, value]);
      time += gap;
    }
    rejected.push([time, value]);
    free[place] = time;
  }
  return { sent: inOrder(sent.filter(until(end))), rejected: inOrder(rejected.filter(until(end))) };
}

/** By time: an event of another place may be sent in between. At the same time, any order is right. */
export function inOrder(sent: readonly Sent[]): Sent[] {
  return [...sent].sort((one, other) => one[0] - other[0] || Number(one[1]) - Number(other[1]));
}

/**
 * Alerts of an absence of events, without summaries; with their end, and then again after the quiet time. `start`: from
 * when on events are awaited. An absence is told `slack` seconds later, unless an event comes before.
 */
export const absent: Of<{
  seconds: number;
  recovers: boolean;
  quiet: number;
  start: number;
  slack: number;
}> = (events, { seconds, recovers, quiet, start, slack }, end) => {
  const left: Sent[] = [];
  let newest = start;
  let last = Number.NEGATIVE_INFINITY;
  let open: { isSoon: boolean; held?: { at: number; isOver: boolean } | undefined } | undefined;
  let isNoticed = false;

  const recover = (at: number) => {
    left.push([at, "recovered"]);
    open = undefined;
  };
  const alert = (at: number) => {
    left.push([at, "alert"]);
    if (recovers) open = { isSoon: open?.isSoon ?? at < last + quiet };
    last = at;
  };
  const endOfQuiet = () => (open && quiet > 0 ? last + quiet : Number.POSITIVE_INFINITY);
  const due = () => {
    if (isNoticed) return Number.POSITIVE_INFINITY;
    return Math.max(newest + seconds, recovers ? 0 : last + quiet);
  };
  const passTo = (time: number) => {
    for (let at = Math.min(due(), endOfQuiet()); at + slack <= time; at = Math.min(due(), endOfQuiet())) {
      const isAbsence = at < endOfQuiet();
      if (isAbsence) isNoticed = true;
      if (!isAbsence && open?.held?.isOver) recover(open.held.at);
      else if (isAbsence && open?.held) open.held.isOver = false;
      else if (isAbsence && open) continue;
      else alert(at);
    }
  };
  for (const { at } of events.filter((event) => event.at <= end)) {
    passTo(at);
    if (at === newest) continue;
    const isHeld = open && (open.isSoon || open.held) && at < last + quiet;
    if (open && isHeld) open.held = open.held?.isOver ? open.held : { at, isOver: true };
    else if (open) recover(at);
    [newest, isNoticed] = [at, false];
  }
  passTo(end);
  return left;
};
