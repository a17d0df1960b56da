import should from "should";
import { errorOf } from "../http/support.ts";
import { ADDRESS, type Asked, ID, OTHER_ID, type Reply, startFakeService } from "./support.ts";

describe("following an operation", () => {
  const open: Array<Awaited<ReturnType<typeof startFakeService>>> = [];
  afterEach(async () => {
    for (const service of open.splice(0)) await service.close();
  });
  const serve = async (reply: (asked: Asked) => Reply) => {
    const service = await startFakeService(reply);
    open.push(service);
    return service.client.operations;
  };
  /** A page of the operation's status events, each at its offset. */
  const statuses = (...rungs: Array<[offset: number, status: string]>): Reply => {
    const events = rungs.map(([offset, status]) => ({
      event_id: `event ${offset}`,
      headers: { type: "operation.status", offset, proofs: [] },
      payload: { operation_id: OTHER_ID, wallet_operation_id: "42", address: ADDRESS, status },
    }));
    return [200, { events, has_more: false }];
  };
  const pollMs = { min: 1, max: 5 };

  it("tells each status once, in the order of the channel, and goes on through trouble of the service", async () => {
    const replies: Reply[] = [
      statuses([2, "sending"], [1, "accepted"]),
      "drop",
      [503, ""],
      statuses([1, "accepted"], [9, "confirmed"], [2, "sending"], [5, "sent"]),
    ];
    const operations = await serve(() => replies.shift() ?? "drop");
    const seen: string[] = [];
    for await (const { status } of operations.follow(ID, OTHER_ID, { pollMs })) seen.push(status);
    should(seen).deepEqual(["accepted", "sending", "sent", "confirmed"]);
  });

  it("ends with what is permanent", async () => {
    const operations = await serve(() => [
      404,
      { type: "NOT_FOUND", code: "CHANNEL_NOT_FOUND", message: "" },
    ]);
    should((await errorOf(operations.follow(ID, OTHER_ID, { pollMs }).next())).code).equal(
      "CHANNEL_NOT_FOUND",
    );
  });

  it("ends in time with the last status, when the next does not come", async () => {
    const operations = await serve(() => statuses([1, "accepted"]));
    const changes = operations.follow(ID, OTHER_ID, { pollMs, timeoutMs: 1_500 });
    should((await changes.next()).value).have.property("status", "accepted");
    should(await errorOf(changes.next())).match({ code: "WAIT_TIMEOUT", lastStatus: "accepted" });
  });

  it("ends in time when the service says nothing at all", async () => {
    const operations = await serve(() => "silence");
    const begun = performance.now();
    const error = await errorOf(operations.follow(ID, OTHER_ID, { pollMs, timeoutMs: 50 }).next());
    should(error).match({ code: "WAIT_TIMEOUT", message: /no status of it was seen/ });
    should(performance.now() - begun).be.below(2_000);
  });
});
