import { nodeError } from "../../common/shared/errors.ts";
import type { LeaseReading } from "./read-by-lease.ts";

/**
 * What only the copy that reads can do: the others have no cursor.
 * @throws READ_BY_ANOTHER_COPY
 */
export function refuseOnStandby({ leaseReading }: { leaseReading?: Pick<LeaseReading, "state"> }): void {
  const state = leaseReading?.state();
  if (state?.kind !== "elsewhere" && state?.kind !== "waiting_for_share") return;
  const where = state.kind === "elsewhere" ? `the copy "${state.holder.copy.name}"` : "another copy";
  throw nodeError(
    "READ_BY_ANOTHER_COPY",
    `This channel is read by ${where}, and this copy stands by. Do it in the editor of that copy, or send the command there.`,
  );
}
