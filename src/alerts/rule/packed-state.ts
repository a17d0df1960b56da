import { isKeyState, type KeyState, type Mark } from "./state.ts";

/** The order of what is written. Add names at the end only. */
const STATE = [
  ...["newest", "marks", "raised", "suppressed", "alertTimes", "key", "floor", "active", "ended"],
  ...["pending", "parts", "decimals"],
  ...["lastAt", "reminders", "soon", "held", "subject", "holding", "noticed"],
] as const satisfies ReadonlyArray<keyof KeyState>;
const MARK = [
  ...["at", "id", "n", "place", "tx", "says", "alert", "used", "moved", "movedAt", "also", "amount"],
] as const satisfies ReadonlyArray<keyof Mark>;
const ALERT = [
  "id",
  "count",
  "suppressed",
  "sum",
  "usual",
  "reminder",
  "changes",
  "lastAt",
  "decimals",
] as const;

/** The state of a key as short text: a key beyond the limit of those in memory may be one of many. */
export function packed(recordKey: string, state: KeyState): string {
  const marks = state.marks.map((mark) =>
    listOf(MARK, { ...mark, alert: mark.alert && listOf(ALERT, mark.alert) }),
  );
  const key = recordKey === `=${state.key}` ? undefined : state.key;
  return JSON.stringify(listOf(STATE, { ...state, marks, key }));
}

/** Undefined for what is no packed state. */
export function unpacked(recordKey: string, text: string): KeyState | undefined {
  try {
    const { marks, ...state } = objectOf(STATE, JSON.parse(text));
    const whole = {
      v: 1,
      key: recordKey.slice(1),
      ...state,
      marks: (marks as unknown[]).map((packedMark) => {
        const { alert, ...mark } = objectOf(MARK, packedMark);
        return alert === undefined ? mark : { ...mark, alert: objectOf(ALERT, alert) };
      }),
    };
    return isKeyState(whole) ? whole : undefined;
  } catch {
    return undefined;
  }
}

function listOf(names: readonly string[], object: object): unknown[] {
  const values = names.map((name) => (object as Record<string, unknown>)[name] ?? null);
  return values.slice(0, values.findLastIndex((value) => value !== null) + 1);
}

function objectOf(names: readonly string[], list: unknown): Record<string, unknown> {
  const values = (list as unknown[]).map((value, index) => [names[index], value] as const);
  return Object.fromEntries(values.filter(([name, value]) => name !== undefined && value !== null));
}
