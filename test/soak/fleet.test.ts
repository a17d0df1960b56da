import { describeFleet, type FleetTests } from "../fleet/faults/suite.ts";
import { hasPostgres, PostgresServer } from "../support/postgres.ts";
import { hasRedis, RedisServer } from "../support/redis.ts";

const ENGINES: Record<string, Pick<FleetTests, "has" | "startEngine">> = {
  PostgreSQL: { has: hasPostgres, startEngine: () => PostgresServer.start() },
  Redis: { has: hasRedis, startEngine: () => RedisServer.start() },
};

const report = (line: string) => process.stdout.write(`    ${line}\n`);

for (const [name, engine] of Object.entries(ENGINES)) {
  describe(`three copies of a flow that share a ${name}, for a long time`, function () {
    this.timeout(3_600_000);
    describeFleet({ ...engine, events: 2_000, faults: 80, patience: 1, report });
    describeFleet({ ...engine, events: 20_000, faults: 240, inFlight: 20, patience: 1, report });
  });
}
