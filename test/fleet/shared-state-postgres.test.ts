import postgres from "postgres";
import should from "should";
import { postgresSettings } from "../../src/fleet/driver-settings.ts";
import { postgresClient } from "../../src/fleet/postgres/client.ts";
import { type OnceResult, openSharedState, SharedCursorDamagedError } from "../../src/index.ts";
import { selfSigned } from "../support/certificates.ts";
import { eventually } from "../support/eventually.ts";
import { hasPostgres, PostgresServer } from "../support/postgres.ts";
import { failure, faults } from "./shared-state-faults.ts";
import { modelTests } from "./shared-state-model.ts";
import { A, B, behaviour, LONG_MS, type Open, pastTime, stateAt, taken } from "./shared-state-suite.ts";

describe("shared state in PostgreSQL", function () {
  this.timeout(60_000);

  let started: PostgresServer | undefined;
  let admin: postgres.Sql;
  const certificate = selfSigned();
  const server = (): PostgresServer => {
    if (started === undefined) throw new Error("The server is there once the tests run.");
    return started;
  };
  const open: Open = (namespace) => openSharedState(server().url, { namespace });

  before(async function () {
    if (!hasPostgres()) return this.skip();
    started = await PostgresServer.start({ certificate });
    admin = postgres(started.url, { max: 1, onnotice: () => {} });
  });
  after(async () => {
    await admin?.end();
    await started?.remove();
  });

  behaviour(open);
  modelTests(open);
  faults(server);

  it("says where it is, without the password", async () => {
    const shared = await open();
    should(shared.label).equal(`PostgreSQL at 127.0.0.1:${server().port}`);
    await shared.close();
  });

  it("marks nothing for a copy that loses the lease at the same moment", async () => {
    const shared = await open("overtaken");
    const { epoch } = await taken(shared, "key", A);
    const fence = { key: "key", epoch };
    let answer: OnceResult | undefined;
    let once: Promise<unknown> | undefined;
    await admin.begin(async (sql) => {
      await sql`UPDATE overtaken.lease SET epoch = epoch + 1, copy_id = ${B.id}`;
      once = shared.once({ scope: "s", key: "k", ttlMs: LONG_MS, fence }).then((result) => {
        answer = result;
      });
      // It waits for this transaction.
      const waiting = () => sql`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'`;
      await eventually(
        "the call to wait, or an answer",
        async () => answer !== undefined || (await waiting()).length > 0,
      );
    });
    await once;
    should(answer).equal("moved");
    await shared.close();
  });

  it("removes marks that are over, a few with each call", async () => {
    const shared = await open("forgets");
    for (let index = 0; index < 100; index += 1) {
      await shared.once({ scope: "short", key: `${index}`, ttlMs: 1 });
    }
    for (let index = 0; index < 60; index += 1) {
      await shared.once({ scope: "long", key: `${index}`, ttlMs: LONG_MS });
    }
    const [row] = await admin`SELECT count(*)::int AS marks FROM forgets.once`;
    should(row?.marks).equal(60);
    await shared.close();
  });

  it("removes expired records, some with each new one", async () => {
    const shared = await open("records");
    const write = (scope: string, key: string, ttlMs: number) =>
      shared.writeRecord({ scope, key, revision: 0, value: 1, ttlMs });
    for (let index = 0; index < 100; index += 1) await write("short", `${index}`, 1);
    for (let index = 0; index < 60; index += 1) await write("long", `${index}`, LONG_MS);
    const [row] = await admin`SELECT count(*)::int AS records FROM records.record`;
    should(row?.records).equal(60);
    await shared.close();
  });

  it("adds what is missing to a schema of an earlier version, which earlier versions continue to use", async () => {
    const shared = await open("earlier");
    const { epoch } = await taken(shared, "key", A);
    await shared.save("key", epoch, stateAt(7), LONG_MS);
    await shared.once({ scope: "s", key: "k", ttlMs: LONG_MS });
    await admin`DROP TABLE earlier.record`;
    await admin`ALTER TABLE earlier.once DROP COLUMN digest`;
    // Several copies are updated at the same moment.
    const copies = await Promise.all([open("earlier"), open("earlier"), open("earlier")]);
    const write = { scope: "s", key: "k", revision: 0, value: "kept", ttlMs: LONG_MS };
    const revisions = await Promise.all(copies.map((copy) => copy.writeRecord(write)));
    should(revisions.filter((revision) => revision !== undefined)).have.length(1);
    // The earlier version asks for this table and this version only.
    const [version] = await admin`SELECT version FROM earlier.version`;
    should(version?.version).equal(1);
    should(await shared.save("key", epoch, stateAt(8), LONG_MS)).be.true();
    const mark = { scope: "s", key: "k", ttlMs: LONG_MS, digest: "one" };
    should(await copies[0]?.once(mark)).equal("seen");
    await admin`
      INSERT INTO earlier.once (scope, key, delivery, is_new, ends_at) VALUES ('s', 'k2', '', true, 'infinity')`;
    should(await copies[0]?.once({ ...mark, key: "k2" })).equal("seen");
    should((await copies[1]?.take("key", A, LONG_MS))?.state).deepEqual(stateAt(8));
    for (const copy of [shared, ...copies]) await copy.close();
  });

  it("says that a record is damaged", async () => {
    const shared = await open("torn");
    await shared.writeRecord({ scope: "s", key: "k", revision: 0, value: 1, ttlMs: LONG_MS });
    await admin`UPDATE torn.record SET text = '{'`;
    const error = await failure(shared.readRecord("s", "k"), server());
    should([error.code, error.retryable]).deepEqual(["SHARED_RECORD_DAMAGED", false]);
    should(error.message).match(/\(s, k\)\.$/);
    await shared.close();
  });

  it("removes members that are gone", async () => {
    const shared = await open("leaves");
    const present = (id: string, leaseMs: number) =>
      shared.members({ copy: { id, name: "" }, group: "g", leaseMs, held: [], wanted: [] });
    for (let index = 0; index < 30; index += 1) await present(`gone ${index}`, 1);
    // Each call removes a few, and the last one may have a millisecond left.
    const listed = async () => {
      await present("here", LONG_MS);
      return admin`SELECT count(*)::int AS members FROM leaves.member`;
    };
    await eventually("a list of those that are here", listed, ([row]) => row?.members === 1);
    await shared.close();
  });

  it("does not work with tables of a newer version", async () => {
    const shared = await open("newer");
    await taken(shared, "key", A);
    await admin`UPDATE newer.version SET version = 2`;
    const other = await open("newer");
    const error = await failure(other.take("key", B, LONG_MS), server());
    should([error.code, error.retryable]).deepEqual(["SHARED_STATE_NEWER", false]);
    should(error.message).match(/version 2.*Update this copy/);
    await Promise.all([shared.close(), other.close()]);
  });

  it("makes its tables again where they were removed", async () => {
    const shared = await open("removed");
    await taken(shared, "key", A);
    await admin`DROP SCHEMA removed CASCADE`;
    const error = await failure(shared.take("key", A, LONG_MS), server());
    should([error.code, error.retryable]).deepEqual(["SHARED_STATE_UNREACHABLE", true]);
    await taken(shared, "key", B);
    await shared.close();
  });

  it("says that a cursor is damaged, and lets it be replaced", async () => {
    const shared = await open("damaged");
    const { epoch } = await taken(shared, "key", A);
    await shared.save("key", epoch, stateAt(1), LONG_MS);
    await admin`UPDATE damaged.lease SET state = '{"version":1}'`;
    const error = await failure(shared.take("key", A, LONG_MS), server());
    should(error).be.instanceOf(SharedCursorDamagedError);
    should([error.code, error.retryable]).deepEqual(["SHARED_CURSOR_DAMAGED", false]);
    const held = (error as SharedCursorDamagedError).epoch;
    should(await shared.save("key", held, stateAt(2), LONG_MS)).be.true();
    should((await taken(shared, "key", A)).state).deepEqual(stateAt(2));
    await shared.close();
  });

  it("raises the epoch even where the server lost what it committed last", async () => {
    const shared = await open("lost");
    const { epoch } = await taken(shared, "key", A);
    await pastTime(epoch);
    await admin`UPDATE lost.lease SET epoch = 5, copy_id = NULL`;
    const next = await taken(shared, "key", B);
    should(next.epoch).be.above(epoch);
    // It goes on with the time, in milliseconds.
    await pastTime(next.epoch);
    await admin`DELETE FROM lost.lease`;
    should((await taken(shared, "key", A)).epoch).be.above(next.epoch);
    should(await shared.save("key", next.epoch, stateAt(1), LONG_MS)).be.false();
    await shared.close();
  });

  it("needs few rights, and says which are missing", async () => {
    await admin`CREATE ROLE limited LOGIN PASSWORD 'limited-4711'`;
    const url = server().urlAt(server().port, { user: "limited", password: "limited-4711" });
    const shared = await openSharedState(url, { namespace: "limited" });
    const error = await failure(shared.take("key", A, LONG_MS), { password: "limited-4711" });
    should(error.code).equal("SHARED_STATE_REFUSED");
    should(error.message).match(/too few rights \(42501\).*create the schema for it/);
    await admin`CREATE SCHEMA limited AUTHORIZATION limited`;
    await taken(shared, "key", A);
    await shared.close();
  });

  it("prepares statements, unless the URL says no, as some poolers need", async () => {
    const preparedBy = async (query: string): Promise<unknown> => {
      const client = postgresClient(postgresSettings(`${server().url}${query}`, {}));
      const text = "SELECT count(*)::int AS prepared FROM pg_prepared_statements WHERE $1::boolean";
      await client.run(text, [true]);
      const [row] = await client.run(text, [true]);
      await client.close();
      return row?.prepared;
    };
    should(await preparedBy("")).equal(1);
    should(await preparedBy("?prepare=false")).equal(0);
    const shared = await openSharedState(`${server().url}?prepare=false`);
    const { epoch } = await taken(shared, "unprepared", A);
    should(await shared.save("unprepared", epoch, stateAt(1), LONG_MS)).be.true();
    await shared.close();
  });

  it("tries the next of several hosts", async () => {
    const url = server().url.replace(`127.0.0.1:${server().port}`, `127.0.0.1:1,127.0.0.1:${server().port}`);
    const shared = await openSharedState(url);
    should(shared.label).equal(`PostgreSQL at 127.0.0.1:1, 127.0.0.1:${server().port}`);
    await taken(shared, "several hosts", A);
    await shared.close();
  });

  it("uses TLS as the URL says, and checks the certificate", async () => {
    const encrypted = async (query: string, ca?: string): Promise<unknown> => {
      const shared = await openSharedState(`${server().url}?application_name=tls&${query}`, { ca });
      try {
        await taken(shared, "tls", A);
        const rows = await admin`
          SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'tls'`;
        return rows[0]?.ssl;
      } finally {
        await shared.close();
      }
    };
    should(await encrypted("sslmode=disable")).be.false();
    for (const mode of ["", "sslmode=prefer", "sslmode=require"]) {
      should(await encrypted(mode)).be.true();
    }
    should(await encrypted("sslmode=verify-full", certificate.cert)).be.true();
    should(await encrypted("", certificate.cert)).be.true();
    const error = await failure(encrypted("sslmode=verify-full"), server());
    should(error.code).equal("SHARED_STATE_REFUSED");
    should(error.message).match(/certificate is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\).*option ca/);
  });
});
