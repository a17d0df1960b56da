import { hasPostgres, PostgresServer } from "../../support/postgres.ts";
import { inVariants, sized } from "../../support/variants.ts";
import { describeFleet, describeUnfenced, type FleetTests } from "./suite.ts";

const TESTS: FleetTests = {
  has: hasPostgres,
  startEngine: () => PostgresServer.start(),
  events: sized(60, 200),
  faults: sized(4, 8),
  patience: 5,
};

/**
 * Without the conditions on the epoch and on the revision, in the text of the statement that saves a cursor. Each of the
 * two refuses a copy without the lease: the newer holder saves with a higher revision.
 */
const unfence = (sent: string) =>
  sent
    .replace(/epoch = \$2::float8::bigint AND copy_id IS NOT NULL(?=\s+RETURNING true AS saved)/, (fence) =>
      "$2::float8 > 0".padEnd(fence.length),
    )
    .replace("WHEN revision < $5::float8::bigint", (fence) => "WHEN $5::float8 > 0".padEnd(fence.length));

describe("three copies of a flow that share a PostgreSQL", function () {
  this.timeout(600_000);
  describeFleet(TESTS);
  inVariants(() => describeUnfenced(TESTS, unfence));
});
