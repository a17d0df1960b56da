import { ArgumentError } from "../errors.ts";
import { reading } from "../options/index.ts";
import type { RecordWrite } from "./shared-state.ts";

/** The largest record: its key, and its value as JSON. In characters. */
export const RECORD_LIMITS = { key: 1_000, value: 16_000_000 } as const;

/**
 * The value of a record as text; undefined where it is to be removed.
 * @throws {ArgumentError} `SHARED_RECORD_TOO_LARGE`
 */
export function recordText({ key, value }: Pick<RecordWrite, "key" | "value">): string | undefined {
  const text = value === undefined ? undefined : reading("value", () => JSON.stringify(value));
  if (key.length > RECORD_LIMITS.key) throw tooLarge("key", key.length, RECORD_LIMITS.key);
  const length = text?.length ?? 0;
  if (length > RECORD_LIMITS.value) throw tooLarge("value", length, RECORD_LIMITS.value);
  return text;
}

function tooLarge(name: string, length: number, most: number): ArgumentError {
  return new ArgumentError(
    name,
    `The ${name} of the shared record has ${length} characters, and at most ${most} are allowed. Store less in it.`,
    { code: "SHARED_RECORD_TOO_LARGE" },
  );
}
