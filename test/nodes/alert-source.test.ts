import should from "should";
import { sourceOf } from "../../nodes/alert/input/event-facts.ts";

describe("the source of a message for an alert node", () => {
  const messageOf = (type: string, payload: unknown) => ({
    crec: { event: { event_id: "1", headers: { type, offset: 1, proofs: [] }, payload } },
  });

  it("is the watcher of a contract event, also where its proof is not checked", () => {
    const payload = { watcher_id: "transfers", timestamp: 1_767_225_600 };
    should(sourceOf(messageOf("watcher.event", payload))).deepEqual({
      source: "transfers",
      reportedAt: 1_767_225_600_000,
    });
  });

  it("is not known of other messages", () => {
    for (const msg of [
      ...[{}, { crec: {} }, { crec: { event: "text" } }, { crec: { event: {} } }],
      ...[messageOf("watcher.event", null), messageOf("query.status", { watcher_id: "transfers" })],
    ]) {
      should(sourceOf(msg)).deepEqual({});
    }
  });
});
