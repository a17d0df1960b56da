import { Absences } from "./absences.ts";
import { Deliveries } from "./deliveries.ts";
import { Failures } from "./failures.ts";
import { Faults } from "./faults.ts";
import type { GraphqlAuth } from "./graphql-auth.ts";

/** Everything that a tester can make go wrong under /local. A restart forgets it. */
export class InjectedFailures {
  /** Calls that fail, wait or lose their answer. */
  readonly faults = new Faults();
  /** Lifecycles that fail. */
  readonly failures = new Failures();
  /** Resources that are not found just after their create. */
  readonly absences = new Absences();
  /** Events and proofs that arrive late, twice, out of order or damaged. */
  readonly deliveries = new Deliveries();
  /** How the account API reports a wrong key. */
  readonly graphqlAuth: GraphqlAuth = { mode: "both" };
}
