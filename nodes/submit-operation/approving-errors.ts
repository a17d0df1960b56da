import { nodeError } from "../common/shared/errors.ts";

/** The draft was not signed in time. */
export class Expired extends Error {
  readonly code = "OPERATION_EXPIRED";

  constructor(id: string) {
    super(
      `Expired: the draft was not approved before its deadline, and the service has no signature of it. Operation ${id}.`,
    );
  }
}

export function interrupted(cause: unknown): Error {
  const message =
    "Not known: a deploy has interrupted the decision. If the draft is still listed in a moment, it was not decided.";
  return nodeError("WAIT_INTERRUPTED", message, cause);
}

export function changed(): Error {
  const message =
    "Changed: the stored calls are not those that were shown. Nothing was signed. Find out who can change the state folder.";
  return nodeError("DIGEST_MISMATCH", message);
}
