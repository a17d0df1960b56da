import postgres from "postgres";
import should from "should";
import { hasPostgres, PostgresServer } from "../support/postgres.ts";

describe("a PostgreSQL of tests", () => {
  let server: PostgresServer | undefined;

  before(async function () {
    if (!hasPostgres()) return this.skip();
    server = await PostgresServer.start();
  });
  after(() => server?.remove());

  it("has after a kill what it committed before", async () => {
    const sql = postgres(server?.url ?? "", { max: 1 });
    await sql`CREATE TABLE kept (value text)`;
    await sql`INSERT INTO kept VALUES ('value')`;
    await server?.kill();
    await server?.restart();
    should([...(await sql`SELECT value FROM kept`)]).deepEqual([{ value: "value" }]);
    await sql.end();
  });
});
