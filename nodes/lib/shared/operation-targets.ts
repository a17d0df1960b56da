import type { OperationStatus } from "../../../src/protocol/statuses.ts";

/** The statuses that a flow can wait for, in their order. From `confirmed_latest` on they are confirmation levels. */
export const OPERATION_TARGETS = [
  "accepted",
  "sending",
  "sent",
  "broadcasting",
  "confirmed_latest",
  "confirmed_safe",
  "confirmed",
] as const satisfies readonly OperationStatus[];
