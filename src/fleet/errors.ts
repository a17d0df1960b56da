import { CrecError } from "../errors.ts";
import { storableLabel } from "./driver.ts";

/**
 * The cursor that is kept by the shared state is damaged. The lease was taken all the same: a cursor that is saved with
 * its `epoch` replaces the damaged one.
 */
export class SharedCursorDamagedError extends CrecError {
  override readonly name = "SharedCursorDamagedError";
  readonly epoch: number;

  constructor(label: string, key: string, epoch: number) {
    super(
      "SHARED_CURSOR_DAMAGED",
      `The shared cursor was changed by hand, or belongs to another program. Restore it from a backup of ${label}, or reset the cursor to choose where to continue (${key}).`,
    );
    this.epoch = epoch;
  }
}

export function damagedRecord(label: string, scope: string, key: string): CrecError {
  const place = storableLabel(`${scope}, ${key}`);
  return new CrecError(
    "SHARED_RECORD_DAMAGED",
    `A shared record was changed by hand, or belongs to another program. Remove it, or restore it from a backup of ${label} (${place}).`,
  );
}

export function unreachable(label: string, reason: string): CrecError {
  return new CrecError(
    "SHARED_STATE_UNREACHABLE",
    `The shared state gives no answer: ${reason}. Check that the server runs and that this machine can reach it, then try again (${label}).`,
    { retryable: true },
  );
}

export function refused(label: string, reason: string): CrecError {
  return new CrecError("SHARED_STATE_REFUSED", `The shared state refuses the call: ${reason} (${label}).`);
}

export function newerSchema(label: string, reason: string): CrecError {
  return new CrecError(
    "SHARED_STATE_NEWER",
    `The shared state was set up by a newer version of this package: ${reason}. Update this copy to that version (${label}).`,
  );
}

export function closed(label: string): CrecError {
  return new CrecError(
    "SHARED_STATE_CLOSED",
    `The shared state was closed. Open it again with openSharedState (${label}).`,
  );
}
