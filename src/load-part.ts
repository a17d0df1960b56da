import { CrecError } from "./errors.ts";

/** The package that this code is built into. */
declare const PACKAGE_NAME: string | undefined;
const INSTALLED = typeof PACKAGE_NAME === "string" ? PACKAGE_NAME : "@crec-nodes/client";

/**
 * Loads a part of the package that is a file of its own, such as the client of a database. `what` names it in the error.
 *
 * @throws {CrecError} `PACKAGE_DAMAGED`
 */
export async function loadPart<T>(what: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    const [reason] = String((cause as Partial<Error> | undefined)?.message ?? cause).split("\n", 1);
    throw new CrecError(
      "PACKAGE_DAMAGED",
      `A file of this package is missing or damaged: ${what}. Install ${INSTALLED} again, then restart (${reason}).`,
      { cause },
    );
  }
}
