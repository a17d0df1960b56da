import { Deliveries } from "./deliveries.ts";
import { Absences, Failures, Faults } from "./lists.ts";

/** How the account API reports a wrong key: by the status, in `errors` with a status of 200, or both. */
export const GRAPHQL_AUTH_MODES = ["status", "errors", "both"] as const;

/** What a tester chose under /local/graphql-auth. */
export type GraphqlAuth = { mode: (typeof GRAPHQL_AUTH_MODES)[number] };

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
