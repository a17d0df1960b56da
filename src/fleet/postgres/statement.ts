/** A column of a row that a statement returns. */
export type Column = string | number | boolean | null;

/** Sends one statement with its parameters `$1`, `$2` and so on; resolves with the rows. */
export type Run = (text: string, parameters: ReadonlyArray<Column>) => Promise<Array<Record<string, Column>>>;

/** SQL: a moment so many milliseconds from now, by the clock of the server. */
export function later(ms: string): string {
  return `clock_timestamp() + ${ms} * interval '1 millisecond'`;
}
