const CATALOG = "@crec-nodes/node-red-crec/rehearsal:rehearsal.";

type Values = Readonly<Record<string, unknown>>;

/** A text of the plugin's catalog. */
export function word(key: string, values: Values = {}): string {
  return RED._(CATALOG + key, values);
}

/** A number of things, such as `31 alerts`. */
export function counted(key: string, count: number): string {
  return word(key, { count, shown: numberText(count) });
}

/** With the separators of the reader's language. */
export function numberText(value: number): string {
  return value.toLocaleString(RED.i18n.lang());
}

const MINUTE = { hour: "2-digit", minute: "2-digit" } as const;
const TIME = { ...MINUTE, second: "2-digit" } as const;
const DAY = { month: "short", day: "numeric" } as const;
const PARTS = {
  full: { year: "numeric", ...DAY, ...TIME },
  day: { ...DAY, ...TIME },
  span: { year: "numeric", ...DAY, ...MINUTE },
  minute: MINUTE,
} as const;

/** A time as the rehearsal had it, in its time zone: of what happened to the second, of a span to the minute. */
export function timeText(at: number, timeZone: string, parts: keyof typeof PARTS = "full"): string {
  return new Date(at).toLocaleString(RED.i18n.lang(), { timeZone, ...PARTS[parts] });
}
