import should from "should";
import type { Operation } from "../../src/index.ts";
import { SearchTurns } from "../../src/resources/requests/shared-searches.ts";
import { errorOf } from "../http/support.ts";
import { eventually } from "../support/eventually.ts";
import { ADDRESS, type Asked, CHAIN, ID, type Reply, startFakeService } from "./support.ts";

describe("waits of one channel", () => {
  type Status = [of: number, status: string];
  const idOf = (index: number) => `7c9e6679-7425-40de-944b-${String(index).padStart(12, "0")}`;
  /** When the test begins: an operation of before would be searched for first. */
  let now = 0;
  beforeEach(() => {
    now = Math.floor(Date.now() / 1000);
  });
  const operationAt = (index: number) => ({
    operation_id: idOf(index),
    wallet_operation_id: String(index),
    chain_selector: CHAIN,
    address: ADDRESS,
    status: "accepted",
    created_at: now,
  });
  const isShared = ({ query }: Asked) => !query.has("wallet_operation_id");
  const open: Array<{ close: () => Promise<void> }> = [];
  afterEach(async () => {
    for (const service of open.splice(0)) await service.close();
  });
  const eventAt = (shown: Status[], offset: number) => {
    const [of, status] = shown[offset] ?? [0, ""];
    const headers = { type: "operation.status", offset, proofs: [] };
    return {
      event_id: `event ${offset}`,
      headers,
      payload: { ...operationAt(of), status },
      created_at: now,
    };
  };
  /** A channel that shows these statuses, or what `instead` answers. */
  const serve = async (shown: Status[], instead: (asked: Asked) => Reply | undefined = () => undefined) => {
    const service = await startFakeService((asked) => {
      const id = asked.query.get("wallet_operation_id");
      const events = shown.flatMap(([of], at) =>
        id === null || id === String(of) ? [eventAt(shown, at)] : [],
      );
      return instead(asked) ?? [200, { events, has_more: false }];
    });
    open.push(service);
    return service;
  };
  const pollMs = { min: 20, max: 100 };
  const follow = async (
    { client }: Awaited<ReturnType<typeof serve>>,
    index: number,
    onStatus: (status: string) => unknown = () => {},
    timeoutMs = 30_000,
  ) => {
    const seen: string[] = [];
    for await (const { status } of client.operations.follow(ID, operationAt(index), { pollMs, timeoutMs })) {
      seen.push(status);
      onStatus(status);
    }
    return seen;
  };
  const all = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

  it("share a search by type, addresses and time, and each gets its own statuses", async () => {
    const shown: Status[] = all.map((index) => [index, "accepted"]);
    const service = await serve(shown);
    let accepted = 0;
    const confirmAll = () => {
      accepted += 1;
      if (accepted === all.length) shown.push(...all.map((index): Status => [index, "confirmed"]));
    };
    const waits = all.map((index) =>
      follow(service, index, (status) => status === "accepted" && confirmAll()),
    );
    for (const seen of await Promise.all(waits)) should(seen).deepEqual(["accepted", "confirmed"]);
    const shared = service.asked.filter(isShared);
    should(shared.length).be.above(0);
    should(service.asked.length - shared.length).be.below(all.length);
    for (const { query } of shared) {
      should(query.get("type")).equal("operation.status");
      should(query.getAll("address")).deepEqual([ADDRESS.toLowerCase()]);
      should(Number(query.get("created.gte"))).be.belowOrEqual(now);
    }
  });

  it("of many wallets name at most 50 in one search", async () => {
    const service = await serve(Array.from({ length: 60 }, (_, index): Status => [index, "confirmed"]));
    const waits = Array.from({ length: 60 }, async (_, index) => {
      const address = `0x${String(index).padStart(40, "0")}`;
      const operation = { ...operationAt(index), address };
      return (await service.client.operations.follow(ID, operation, { pollMs }).next()).value?.status;
    });
    for (const status of await Promise.all(waits)) should(status).equal("confirmed");
    const counts = service.asked.filter(isShared).map(({ query }) => query.getAll("address").length);
    should(Math.max(...counts)).equal(50);
  });

  it("search for themselves where the service refuses the shared search", async () => {
    const service = await serve(
      all.slice(0, 4).map((index): Status => [index, "confirmed"]),
      (asked) => (isShared(asked) ? [400, { type: "VALIDATION_ERROR", message: "" }] : undefined),
    );
    for (const seen of await Promise.all(all.slice(0, 4).map((index) => follow(service, index))))
      should(seen).deepEqual(["confirmed"]);
  });

  it("search for themselves before they end in an error", async () => {
    const shown: Status[] = [0, 1, 2, 3].map((index) => [index, "failed"]);
    const service = await serve(shown);
    await Promise.all([0, 1, 2, 3].map((index) => follow(service, index)));
    const own = new Set(service.asked.flatMap(({ query }) => query.get("wallet_operation_id") ?? []));
    should([...own].sort()).deepEqual(["0", "1", "2", "3"]);
  });

  it("find what the shared search left out before their time is over", async () => {
    const service = await serve(
      [0, 1, 2, 3].map((index): Status => [index, "confirmed"]),
      (asked) =>
        isShared(asked) || service.asked.length <= 2 ? [200, { events: [], has_more: false }] : undefined,
    );
    const waits = [0, 1, 2, 3].map((index) => follow(service, index, undefined, 1_500));
    for (const seen of await Promise.all(waits)) should(seen).deepEqual(["confirmed"]);
  });

  it("of a restart share what they have missed: 500 of an hour ago ask at most 5 times a second", async () => {
    const many = Array.from({ length: 500 }, (_, index) => index);
    now -= 3_600;
    const shown = many.map((index): Status => [index, "accepted"]);
    const service = await serve(shown, ({ query }) => {
      if (query.has("wallet_operation_id")) return undefined;
      const offset = Number(query.get("offset") ?? 0);
      const all = shown.map((_, at) => eventAt(shown, at));
      return [200, { events: all.slice(offset, offset + 200), has_more: offset + 200 < all.length }];
    });
    const started = performance.now();
    const waits = many.map((index) => follow(service, index));
    await eventually("all are confirmed", () => service.asked.length >= 4);
    shown.push(...many.map((index): Status => [index, "confirmed"]));
    for (const seen of await Promise.all(waits)) should(seen.at(-1)).equal("confirmed");
    const seconds = (performance.now() - started) / 1000;
    should(service.asked.length).be.belowOrEqual(5 * (Math.ceil(seconds) + 1));
    should(service.asked.length).be.below(40);
  });

  it("that have missed more than a few pages search for themselves", async () => {
    now -= 3_600;
    const shown = Array.from({ length: 700 }, (): Status => [99, "accepted"]);
    shown.push([0, "confirmed"], [1, "confirmed"], [2, "confirmed"]);
    const service = await serve(shown);
    for (const seen of await Promise.all([0, 1, 2].map((index) => follow(service, index))))
      should(seen).deepEqual(["confirmed"]);
    const own = new Set(service.asked.flatMap(({ query }) => query.get("wallet_operation_id") ?? []));
    should([...own].sort()).deepEqual(["0", "1", "2"]);
  });

  it("that have ended, or are not read on, share no more", async () => {
    const shown = [0, 1, 2, 3].map((index): Status => [index, index === 3 ? "confirmed" : "failed"]);
    const service = await serve([...shown, [4, "confirmed_latest"], [5, "confirmed_latest"]]);
    const { operations } = service.client;
    const until = (index: number) =>
      operations.followUntil(ID, operationAt(index) as unknown as Operation, {
        target: "confirmed_latest",
        pollMs,
      });
    for (const index of [0, 1, 2]) should((await errorOf(until(index))).code).equal("OPERATION_FAILED");
    await Promise.all([until(4), until(5)]);
    const before = service.asked.length;
    should(await follow(service, 3)).deepEqual(["confirmed"]);
    should(service.asked.slice(before).filter(isShared)).be.empty();
  });

  it("end in time where no search shows more", async () => {
    const service = await serve([]);
    const waits = [0, 1, 2].map((index) => errorOf(follow(service, index, undefined, 500)));
    for (const error of await Promise.all(waits)) should(error.code).equal("WAIT_TIMEOUT");
  });
});

describe("the turns of searches", () => {
  it("lets shared searches in first, and those that are aborted never", async () => {
    const turns = new SearchTurns(1);
    await turns.take(undefined);
    const order: string[] = [];
    const abort = new AbortController();
    const aborted = turns.take(abort.signal);
    const own = turns.take(undefined).then(() => order.push("own"));
    const shared = turns.take(undefined, true).then(() => order.push("shared"));
    abort.abort(new Error("Enough."));
    await should(aborted).be.rejectedWith("Enough.");
    await Promise.all([own, shared]);
    should(order).deepEqual(["shared", "own"]);
  });
});
