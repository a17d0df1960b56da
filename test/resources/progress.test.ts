import should from "should";
import {
  OPERATION_LIFECYCLE,
  OPERATION_STATUSES,
  progressTo,
  WALLET_LIFECYCLE,
  WATCHER_LIFECYCLE,
} from "../../src/protocol/index.ts";

describe("the progress to a status", () => {
  it("is reached by the status itself and by every stronger one", () => {
    const reached = OPERATION_STATUSES.filter(
      (status) => progressTo(OPERATION_LIFECYCLE, "confirmed_latest", status) === "reached",
    );
    should(reached).deepEqual(["confirmed_latest", "confirmed_safe", "confirmed"]);
  });

  it("is unreachable after an end without success", () => {
    const lost = OPERATION_STATUSES.filter(
      (status) => progressTo(OPERATION_LIFECYCLE, "accepted", status) === "unreachable",
    );
    should(lost).deepEqual(["failed", "cancelled", "expired"]);
    // A failed wallet can be archived, but only by a new request.
    should(progressTo(WALLET_LIFECYCLE, "archived", "failed")).equal("unreachable");
    should(progressTo(WATCHER_LIFECYCLE, "active", "archiving")).equal("unreachable");
  });

  it("never ends at a status that this version does not know", () => {
    should(progressTo(OPERATION_LIFECYCLE, "confirmed", "paused")).equal("waiting");
    should(progressTo(OPERATION_LIFECYCLE, "confirmed", "toString")).equal("waiting");
  });
});
