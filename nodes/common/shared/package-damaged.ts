import { type CodedError, messageOf, nodeError } from "./errors.ts";

/** Why a file of the package cannot be loaded, with what to do. The library says the same about its parts. */
export function packageDamaged(what: string, cause: unknown): CodedError {
  const [reason] = messageOf(cause).split("\n", 1);
  return nodeError(
    "PACKAGE_DAMAGED",
    `A file of this package is missing or damaged: ${what}. Install @crec-nodes/node-red-crec again, then restart (${reason}).`,
    cause,
  );
}
