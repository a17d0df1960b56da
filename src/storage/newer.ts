/** All that this version stores has this version, or none. */
const VERSION = 1;
const CODE = "STATE_FILE_NEWER";

/**
 * Whether a later version of this package has stored a value: by its version, or by that of the state that is its part,
 * or the end of its list.
 */
export function isNewer(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return isNewer(value.at(-1));
  const { version, v, state, position } = value as Record<string, unknown>;
  return [version, v].some((one) => typeof one === "number" && one > VERSION) || isNewer(state ?? position);
}

/** Makes the error: this file imports nothing, so that nodes may use it, too. */
export type MakeError = (code: string, message: string) => Error;

/**
 * For what is read from a file, before it is called damaged, replaced or removed. `what`: the file, as a sentence begins
 * with it. `lost`: what happens without it.
 * @throws `STATE_FILE_NEWER`
 */
export function refuseNewer(
  value: unknown,
  { what, lost }: { what: string; lost: string },
  makeError: MakeError,
): void {
  if (!isNewer(value)) return;
  throw makeError(
    CODE,
    `${what} was written by a newer version of this package. Install that version again; or move it away, and restart: then ${lost}.`,
  );
}

/** Whether `refuseNewer` has thrown it. */
export function isNewerRefused(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === CODE;
}
