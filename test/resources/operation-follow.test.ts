import should from "should";
import { ServiceError } from "../../src/http/index.ts";
import type { OperationStatusEvent, VerifyResult } from "../../src/index.ts";
import { errorOf } from "../http/support.ts";
import {
  ADDRESS,
  type Asked,
  CHAIN,
  ID,
  notFound,
  OTHER_ID,
  type Reply,
  refusedFilter,
  startFakeService,
} from "./support.ts";

describe("following an operation", () => {
  const open: Array<Awaited<ReturnType<typeof startFakeService>>> = [];
  afterEach(async () => {
    for (const service of open.splice(0)) await service.close();
  });
  const operation = {
    operation_id: OTHER_ID,
    wallet_operation_id: "42",
    chain_selector: CHAIN,
    address: ADDRESS,
    status: "accepted",
  };
  /** Knows the operation, answers searches as told, and refuses filters that API 0.8.0 does not support. */
  const serve = async (reply: (asked: Asked) => Reply) => {
    const service = await startFakeService((asked) => {
      if (!asked.path.endsWith("/events/search")) return [200, operation];
      return refusedFilter(asked) ?? reply(asked);
    });
    open.push(service);
    return service.client.operations;
  };
  /** A page of the operation's status events, each at its offset. */
  const statuses = (...entries: Array<[offset: number, status: string]>): Reply => {
    const events = entries.map(([offset, status]) => ({
      event_id: `event ${offset}`,
      headers: { type: "operation.status", offset, proofs: [] },
      payload: { operation_id: OTHER_ID, wallet_operation_id: "42", address: ADDRESS, status },
    }));
    return [200, { events, has_more: false }];
  };
  const pollMs = { min: 1, max: 5 };

  it("shows each status once, in the order of the channel, and continues after failures of the service", async () => {
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

  it("asks by the id that the wallet knows, for all pages, and keeps what is of this operation", async () => {
    const at = (offset: number, of: string, status: string): object => ({
      event_id: `event ${offset}`,
      headers: { type: "operation.status", offset, proofs: [] },
      payload: { ...operation, operation_id: of, status },
    });
    const queries: URLSearchParams[] = [];
    const operations = await serve(({ query }) => {
      queries.push(query);
      const isFirst = query.get("offset") === "0";
      const events = isFirst
        ? [at(1, ID, "accepted"), at(2, ID, "failed"), at(3, OTHER_ID.toUpperCase(), "accepted")]
        : [at(3, OTHER_ID, "accepted"), at(7, OTHER_ID, "confirmed")];
      return [200, { events, has_more: isFirst }];
    });
    const seen: string[] = [];
    for await (const { status } of operations.follow(ID, OTHER_ID, { pollMs })) seen.push(status);
    should(seen).deepEqual(["accepted", "confirmed"]);
    should(queries).have.length(2);
    should(Object.fromEntries(queries[0] ?? [])).match({
      type: "operation.status",
      wallet_operation_id: "42",
      chain_selector: CHAIN,
      address: ADDRESS,
    });
  });

  it("does not ask for an operation that it is given, and stays with one that is not shown yet", async () => {
    let shown = 0;
    const { client, calls, close } = await startFakeService(({ path }) => {
      if (path.endsWith("/events/search")) return statuses([1, "accepted"], [2, "confirmed"]);
      shown += 1;
      if (shown === 1) return [404, { type: "NOT_FOUND", message: "" }];
      return shown === 2 ? notFound("OPERATION_NOT_FOUND") : [200, operation];
    });
    const follow = async (which: Parameters<typeof client.operations.follow>[1]) => {
      const seen: string[] = [];
      for await (const { status } of client.operations.follow(ID, which, { pollMs })) seen.push(status);
      return seen;
    };
    should(await follow(operation)).deepEqual(["accepted", "confirmed"]);
    should(calls()).deepEqual([`GET /channels/${ID}/events/search`]);
    should(await follow(OTHER_ID)).deepEqual(["accepted", "confirmed"]);
    should(shown).equal(3);
    await close();
  });

  it("passes an answer that is not the service's, once the host has given a good one", async () => {
    const html: Reply = [200, "<html>Log in</html>", { "content-type": "text/html" }];
    const replies = [html, statuses([1, "accepted"]), [200, { events: 1 }] as Reply];
    const operations = await serve(() => replies.shift() ?? statuses([1, "accepted"], [2, "confirmed"]));
    const seen: string[] = [];
    for await (const { status } of operations.follow(ID, OTHER_ID, { pollMs })) seen.push(status);
    should(seen).deepEqual(["accepted", "confirmed"]);
    const strange = await serve(() => html);
    should((await errorOf(strange.follow(ID, operation, { pollMs }).next())).code).equal("BAD_RESPONSE");
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
    should(error).match({ code: "WAIT_TIMEOUT", message: /none was seen/ });
    should(performance.now() - begun).be.below(2_000);
  });

  describe("with proofs judged", () => {
    const no = (reason: "no_proof" | "not_verifiable") => ({
      verified: false as const,
      reason,
      message: "No.",
    });

    it("skips what is not proven until it is, also at the last confirmation level", async () => {
      const replies = [
        statuses([1, "accepted"], [2, "confirmed"]),
        statuses([1, "accepted"], [2, "confirmed"], [3, "confirmed_latest"]),
      ];
      const last = replies[1] as Reply;
      const operations = await serve(() => replies.shift() ?? last);
      let looks = 0;
      const verify = async ({ payload: { status } }: OperationStatusEvent): Promise<VerifyResult> => {
        if (status === "accepted") return no("not_verifiable");
        if (status === "confirmed_latest") return { verified: true, signers: [], workflowId: "" };
        looks += 1;
        return looks < 4 ? no("no_proof") : { verified: true, signers: [ADDRESS], workflowId: "" };
      };
      const seen: unknown[] = [];
      for await (const { status, verification } of operations.follow(ID, OTHER_ID, { pollMs, verify }))
        seen.push([status, verification?.verified]);
      // By the time the first is proven a higher one may be: what is below that is not told any more.
      should(seen).deepEqual([
        ["accepted", false],
        ["confirmed_latest", true],
        ["confirmed", true],
      ]);
    });

    it("never leads down, and an event of another operation or one that cannot be read ends nothing", async () => {
      const pages = [
        statuses([1, "accepted"], [4, "confirmed_safe"], [3, "confirmed_latest"]),
        statuses([1, "accepted"], [4, "confirmed_safe"], [3, "confirmed_latest"], [6, "confirmed"]),
      ];
      const [, body] = pages[1] as [number, { events: Array<{ payload: object }> }];
      body.events.push(
        {
          ...body.events[0],
          event_id: "odd",
          payload: { ...body.events[0]?.payload, status_reason: 5 },
        } as never,
        {
          ...body.events[0],
          event_id: "other",
          payload: { ...body.events[0]?.payload, operation_id: ID, status: "failed" },
        } as never,
      );
      const last = pages[1] as Reply;
      const operations = await serve(() => pages.shift() ?? last);
      let looks = 0;
      const verify = async ({ payload: { status } }: OperationStatusEvent): Promise<VerifyResult> => {
        if (status === "accepted" || status === "failed") return no("not_verifiable");
        if (status !== "confirmed_latest") return { verified: true, signers: [], workflowId: "" };
        looks += 1;
        return looks < 2 ? no("no_proof") : { verified: true, signers: [], workflowId: "" };
      };
      const seen: unknown[] = [];
      for await (const { status } of operations.follow(ID, OTHER_ID, { pollMs, verify })) seen.push(status);
      should(seen).deepEqual(["accepted", "confirmed_safe", "confirmed"]);
    });

    it("ends with what the check of a proof throws, also an error that would pass from the service", async () => {
      const operations = await serve(() => statuses([1, "accepted"]));
      const error = new ServiceError("SERVICE_ERROR", "Failed.", { status: 503, retryable: true });
      const verify = () => Promise.reject(error);
      const changes = operations.follow(ID, OTHER_ID, { pollMs, timeoutMs: 1_000, verify });
      should(await errorOf(changes.next())).equal(error);
    });

    it("ends in time as OPERATION_UNPROVEN, which may be tried again", async () => {
      const operations = await serve(() => statuses([1, "accepted"], [2, "confirmed"]));
      const verify = async ({ payload: { status } }: OperationStatusEvent): Promise<VerifyResult> =>
        no(status === "accepted" ? "not_verifiable" : "no_proof");
      const changes = operations.follow(ID, OTHER_ID, { pollMs, timeoutMs: 1_000, verify });
      should((await changes.next()).value).have.property("status", "accepted");
      should(await errorOf(changes.next())).match({
        code: "OPERATION_UNPROVEN",
        retryable: true,
        lastStatus: "accepted",
        message: /^No valid proof within .* is confirmed\. /,
      });
    });
  });
});
