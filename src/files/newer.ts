import { CrecError } from "../errors.ts";

/** All that this version stores has this version, or none. */
const VERSION = 1;

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

/**
 * For what is read from a file, before it is called damaged, replaced or removed. `what`: the file, as a sentence begins
 * with it. `lost`: what happens without it. `Refused`: for nodes, the class of the library that they load.
 * @throws {CrecError} `STATE_FILE_NEWER`
 */
export function refuseNewer(
  value: unknown,
  { what, lost }: { what: string; lost: string },
  Refused: typeof CrecError = CrecError,
): void {
  if (!isNewer(value)) return;
  const message = `${what} was written by a newer version of this package. Install that version again; or move it away, and restart: then ${lost}.`;
  throw new Refused("STATE_FILE_NEWER", message);
}

/** Whether `refuseNewer` has thrown it. */
export function isNewerRefused(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === "STATE_FILE_NEWER";
}
