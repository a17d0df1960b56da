import should from "should";
import type { Copy, SharedState } from "../../src/index.ts";
import { hasPostgres, PostgresServer } from "../support/postgres.ts";
import { hasRedis, RedisServer } from "../support/redis.ts";
import { PRESENT } from "./code.ts";
import { keysAt, putKeys, putRows, rowsAt, tablesAt } from "./dump.ts";
import { LATEST, OLDER, RECORDS, type Stored, withoutChance } from "./records.ts";
import * as things from "./things.ts";
import { alertRule, readPast, sharedAlerts, writeShared } from "./write.ts";

const { COPY, IDENTITY, MANY, TIME } = things;
const OTHER: Copy = { id: "0d5a7f1e-90c4-4b0a-8d62-5e4f3a2b1c0d", name: "pod-b" };
const NOW_MS = TIME * 1000 + 3 * things.HOUR_MS;
const key = PRESENT.leaseKey(IDENTITY.consumer, IDENTITY.channelId);
const free = PRESENT.leaseKey(MANY.consumer, MANY.channelId);

type Server = { url: string; remove(): Promise<void> };
type Engine = {
  has(): boolean;
  start(): Promise<Server>;
  put(url: string, stored: Stored): Promise<void>;
  read(url: string): Promise<unknown>;
  of(stored: Stored): unknown;
  epochOf(stored: Stored, key: string): number;
};

const ENGINES: Readonly<Record<string, Engine>> = {
  PostgreSQL: {
    has: hasPostgres,
    start: () => PostgresServer.start(),
    put: (url, { postgres: { tables, rows } }) => putRows(url, tables, rows),
    read: async (url) => ({ tables: await tablesAt(url), rows: await rowsAt(url) }),
    of: ({ postgres }) => postgres,
    epochOf: ({ postgres }, name) => Number(postgres.rows.lease?.find((row) => row.key === name)?.epoch),
  },
  Redis: {
    has: hasRedis,
    start: () => RedisServer.start(),
    put: (url, { redis }) => putKeys(url, redis),
    read: keysAt,
    of: ({ redis }) => redis,
    epochOf: ({ redis }, name) =>
      Number((redis[`{crec}:lease:${name}`]?.value as { epoch?: string } | undefined)?.epoch),
  },
};

for (const [engine, { has, start, put, read, of, epochOf }] of Object.entries(ENGINES)) {
  for (const stored of RECORDS) {
    const isOlder = stored === OLDER;
    describe(`what ${stored.commit} has written in ${engine}`, function () {
      this.timeout(60_000);

      let server: Server | undefined;
      let shared: SharedState;

      before(async function () {
        if (!has()) return this.skip();
        server = await start();
        await put(server.url, stored);
        shared = await PRESENT.library.openSharedState(server.url);
      });
      after(async () => {
        await shared?.close();
        await server?.remove();
      });

      it("has a lease that is kept for the copy that holds it, which saves and renews it", async () => {
        should(await shared.take(key, OTHER, 10_000)).be.undefined();
        const asked = { copy: OTHER, group: "0123456789abcdef", leaseMs: 10_000, held: [], wanted: [key] };
        const { copies, holders } = await shared.members(asked);
        should(copies.map(({ name }) => name).sort()).deepEqual([COPY.name, OTHER.name]);
        const epoch = epochOf(stored, key);
        should(holders.get(key)).match({ copy: COPY, epoch });
        const held = [{ key, epoch }];
        should(await shared.members({ ...asked, copy: COPY, held, wanted: [] })).match({ lost: [] });
        should(await shared.save(key, epoch, things.stateOf(IDENTITY, 3), 10_000)).be.true();
      });

      it("has the cursor of a lease that is free, and the epoch before", async () => {
        const taken = await shared.take(free, OTHER, 10_000);
        should(taken).match({ replaced: epochOf(stored, free), state: things.stateOf(MANY, 3) });
        should(taken?.epoch).be.above(epochOf(stored, free));
      });

      it("has marks of what was processed, with their deliveries", async () => {
        const scope = { scope: things.SHARED_ONCE, ttlMs: things.LONG_MS };
        const [first, second] = things.SEEN;
        const again = second?.seen as NonNullable<typeof second>["seen"] & object;
        should(await shared.once({ ...scope, key: String(first?.key) })).equal("seen");
        const mark = { ...scope, key: String(second?.key), ...again };
        should(await shared.once(mark)).equal("seen");
        should(await shared.once({ ...mark, delivery: { ...again.delivery, redelivered: true } })).equal(
          "new",
        );
        // Earlier versions did not remember what the parameters were.
        const other = { ...mark, digest: "b".repeat(64) };
        should(await shared.once(other)).equal(isOlder ? "seen" : "contradicts");
        should(await shared.once({ ...scope, key: "1:0xab:9:latest" })).equal("new");
      });

      it("has what is being signed", async () => {
        const claims = PRESENT.sharedClaims(shared);
        should(await claims.claim(things.SIGNING, things.OTHER_CLAIM)).deepEqual(things.CLAIM);
        await claims.release(things.SIGNING, things.CLAIM.digest);
        should(await claims.claim(things.SIGNING, things.OTHER_CLAIM)).deepEqual(things.OTHER_CLAIM);
      });

      it("has a record whose key the engine cannot have, and the list of its scope", async () => {
        const long = "k".repeat(300);
        should(await shared.recordKeys("long", 10)).deepEqual([long]);
        const { revision = 0, value } = (await shared.readRecord("long", long)) ?? {};
        should(value).deepEqual({ a: 1 });
        const write = { scope: "long", key: long, revision, value: { a: 2 }, ttlMs: things.LONG_MS };
        should(await shared.writeRecord(write)).be.above(revision);
      });

      it("has an open alert whose end is told once, and one that was not told", async () => {
        const rule = (name: "open" | "ended") =>
          alertRule(PRESENT, sharedAlerts(PRESENT, shared), name, NOW_MS);
        const [open, ended] = [rule("open"), rule("ended")];
        for (const afterS of [0, 10])
          should((await open.accept(things.transfer(afterS))).passed).equal("seen");
        const ends = await readPast(open);
        should(ends).match([{ kind: "recovered", alert: { id: "FFEDZGRG37EKb8pxTdTc9N", count: 2 } }]);
        should(await ended.pending()).match([{ kind: "recovered" }]);
        for (const end of ends) await open.acknowledge(end);
        await Promise.all([open.close(), ended.close()]);
        const after = rule("open");
        should([...(await after.pending()), ...(await readPast(after))]).be.empty();
        await after.close();
      });

      // The older one did not yet.
      if (isOlder) return;
      it("says which alert nodes have their memory there", async () => {
        const tab = { id: "tab", type: "tab" };
        const RED = { nodes: { eachNode: (call: (node: object) => void) => call(tab) } } as never;
        const found = await PRESENT.otherRulesOf(RED, shared, new Set());
        should(found).match([{ id: things.NODE.open, label: "transfers", notedAt: TIME * 1000 }]);
      });
    });
  }

  describe(`what is written now in ${engine}`, function () {
    this.timeout(60_000);

    let server: Server | undefined;
    let shared: SharedState | undefined;
    before(async function () {
      if (!has()) return this.skip();
      server = await start();
      shared = await PRESENT.library.openSharedState(server.url);
    });
    after(async () => {
      await shared?.close();
      await server?.remove();
    });

    it(`has the names and formats of ${LATEST.commit}`, async () => {
      await writeShared(PRESENT, shared as SharedState);
      should(withoutChance(await read(String(server?.url)))).deepEqual(withoutChance(of(LATEST)));
    });
  });
}
