import should from "should";
import type { SearchEvents } from "../../src/resources/index.ts";
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

/** API 0.8.0 supports neither filter: the client applies both to what arrives. */
describe("a search of events by operation_id or query_id", () => {
  const open: Array<Awaited<ReturnType<typeof startFakeService>>> = [];
  afterEach(async () => {
    for (const service of open.splice(0)) await service.close();
  });

  const operation = {
    operation_id: OTHER_ID,
    wallet_operation_id: "42",
    chain_selector: CHAIN,
    address: ADDRESS,
    status: "sent",
  };
  const query = { query_id: OTHER_ID, chain_selector: CHAIN, status: "completed", created_at: 1_800_000_000 };
  const eventOf = (type: string, offset: number, payload: object): object => ({
    event_id: `event ${offset}`,
    headers: { type, offset, proofs: [] },
    payload,
  });
  /** Every third of so many is of the operation or query asked for. */
  const mixed = (type: string, count: number): object[] =>
    Array.from({ length: count }, (_, offset) => {
      const id = offset % 3 === 0 ? OTHER_ID.toUpperCase() : ID;
      return eventOf(type, offset, { operation_id: id, query_id: id, status: "sent" });
    });

  /** A service that refuses both filters, and gives `events` in pages of 200. */
  const serve = async (
    events: object[],
    resource: Reply = notFound("OPERATION_NOT_FOUND"),
    onPage: (count: number) => void = () => {},
  ) => {
    const searches: URLSearchParams[] = [];
    const service = await startFakeService((asked: Asked) => {
      if (!asked.path.endsWith("/events/search")) return resource;
      searches.push(asked.query);
      const [from, limit] = [Number(asked.query.get("offset")), Number(asked.query.get("limit"))];
      const page = events.slice(from, from + limit);
      const reply: Reply = [200, { events: page, has_more: from + limit < events.length }];
      onPage(searches.length);
      return refusedFilter(asked) ?? reply;
    });
    open.push(service);
    const search = (filter: SearchEvents) => service.client.events.search(ID, filter);
    return { ...service, search, searches };
  };
  const offsets = async (events: AsyncIterable<{ headers: { offset: number } }>): Promise<number[]> => {
    const found: number[] = [];
    for await (const { headers } of events) found.push(headers.offset);
    return found;
  };

  it("asks for the operation, then for its wallet operation id alone", async () => {
    const { search, searches, calls } = await serve(mixed("operation.status", 6), [200, operation]);
    should(await offsets(search({ operation_id: OTHER_ID, "created.gte": 7 }))).deepEqual([0, 3]);
    should(calls()).deepEqual([
      `GET /channels/${ID}/operations/${OTHER_ID}`,
      `GET /channels/${ID}/events/search`,
    ]);
    should(Object.fromEntries(searches[0] ?? [])).deepEqual({
      type: "operation.status",
      wallet_operation_id: "42",
      chain_selector: CHAIN,
      address: ADDRESS,
      "created.gte": "7",
      limit: "200",
      offset: "0",
    });
  });

  it("asks for the query, then for query events of its network since it was made", async () => {
    const { search, searches, calls } = await serve(mixed("query.status", 4), [200, query]);
    should(await offsets(search({ query_id: OTHER_ID }))).deepEqual([0, 3]);
    should(calls()[0]).equal(`GET /channels/${ID}/queries/${OTHER_ID}`);
    should(Object.fromEntries(searches[0] ?? [])).deepEqual({
      type: "query.status",
      chain_selector: CHAIN,
      "created.gte": "1799999940",
      limit: "200",
      offset: "0",
    });
  });

  it("leaves what is asked for beside it as it is", async () => {
    const { search, searches, calls } = await serve([], [200, operation]);
    const type = ["operation.status", "a.new.type"];
    await search({
      operation_id: OTHER_ID,
      wallet_operation_id: "7",
      type,
      status: ["failed"],
    } as SearchEvents);
    should(calls()).deepEqual([`GET /channels/${ID}/events/search`]);
    should(searches[0]?.getAll("type")).deepEqual(type);
    should(searches[0]?.get("wallet_operation_id")).equal("7");
    should(searches[0]?.getAll("status")).deepEqual(["failed"]);
  });

  it("reads on until a page is full or the end has come", async () => {
    const { search, searches } = await serve(mixed("operation.status", 1_000), [200, operation]);
    const filter = { operation_id: OTHER_ID, offset: 60, limit: 20 };
    const page = await search(filter);
    should(page.data.map(({ headers }) => headers.offset)).deepEqual(
      Array.from({ length: 20 }, (_, at) => (60 + at) * 3),
    );
    should(page.has_more).be.true();
    should(searches).have.length(2);
    const last = await search({ ...filter, offset: 320 });
    should([last.data.length, last.has_more]).deepEqual([14, false]);
    should(await offsets(search({ operation_id: OTHER_ID }))).have.length(334);
  });

  it("finds nothing, after one request, where the service does not know the operation or query", async () => {
    for (const [field, code] of [
      ["operation_id", "OPERATION_NOT_FOUND"],
      ["query_id", "QUERY_NOT_FOUND"],
    ] as const) {
      const { search, calls } = await serve(mixed("operation.status", 4), notFound(code));
      should(await search({ [field]: OTHER_ID })).deepEqual({ data: [], has_more: false });
      should(calls()).have.length(1);
    }
  });

  it("gives each event once where new ones move others to the next page", async () => {
    const newestFirst = mixed("operation.status", 600).reverse();
    const { search, searches } = await serve(newestFirst, [200, operation], (page) => {
      if (page === 1)
        for (let offset = 600; offset < 630; offset += 1)
          newestFirst.unshift(eventOf("operation.status", offset, { operation_id: ID }));
    });
    const found = await offsets(search({ operation_id: OTHER_ID }));
    should(found).deepEqual(Array.from({ length: 200 }, (_, at) => 597 - at * 3));
    should(searches).have.length(4);
  });

  it("ends where the service ignores offset and always promises more", async () => {
    for (const count of [1, 150]) {
      const events = mixed("operation.status", count);
      let pages = 0;
      const service = await startFakeService(({ path }) => {
        if (!path.endsWith("/events/search")) return [200, operation];
        pages += 1;
        // Without the change this would go on for ever.
        return pages > 100
          ? [500, { type: "INTERNAL_ERROR", message: "" }]
          : [200, { events, has_more: true }];
      });
      open.push(service);
      const found = await offsets(service.client.events.search(ID, { operation_id: OTHER_ID }));
      should(found).have.length(Math.ceil(count / 3));
    }
  });

  it("looks through all events of the type where a 404 does not say what is not there", async () => {
    const { search, searches } = await serve(mixed("operation.status", 4), notFound("NOT_FOUND"));
    should(await offsets(search({ operation_id: OTHER_ID }))).deepEqual([0, 3]);
    should([...(searches[0]?.keys() ?? [])]).deepEqual(["type", "limit", "offset"]);
  });

  it("is refused where no event has such an id, before anything is sent", async () => {
    const { search, asked } = await serve([]);
    const refused: Array<[SearchEvents, string]> = [
      [{ operation_id: "7" }, "operation_id"],
      [{ query_id: "" }, "query_id"],
      [{ operation_id: OTHER_ID, type: ["watcher.event"] }, "operation_id"],
      [{ query_id: OTHER_ID, type: ["query.status", "operation.status"] }, "query_id"],
      [{ operation_id: OTHER_ID, query_id: OTHER_ID }, "operation_id"],
      [{ operation_id: OTHER_ID, limit: 201 }, "limit"],
    ];
    for (const [filter, path] of refused) {
      should(await errorOf(search(filter))).match({ code: "INVALID_ARGUMENT", path });
      should(await errorOf(offsets(search(filter)))).match({ code: "INVALID_ARGUMENT", path });
    }
    should(asked).be.empty();
  });

  it("ends with the failure of the service", async () => {
    const { search } = await serve([], [500, { type: "INTERNAL_ERROR", message: "" }]);
    should((await errorOf(search({ query_id: OTHER_ID }))).code).equal("SERVICE_ERROR");
    should((await errorOf(search({ query_id: OTHER_ID }).finally(() => {}))).code).equal("SERVICE_ERROR");
  });

  it("is not needed to wait for a query by its events", async () => {
    const statuses = ["accepted", "sending", "sent", "completed"];
    const events = statuses.flatMap((status, at) => [
      eventOf("query.status", 2 * at, { query_id: ID, status: "failed" }),
      eventOf("query.status", 2 * at + 1, { query_id: OTHER_ID, status }),
    ]);
    const { client, searches } = await serve(events, [200, query]);
    const seen: string[] = [];
    const onStatus = ({ status }: { status: string }) => seen.push(status);
    await client.queries.waitFor(ID, OTHER_ID, { by: "events", onStatus });
    should(seen).deepEqual(statuses);
    should(searches).have.length(1);
  });
});
