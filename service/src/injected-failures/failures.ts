import { CountedList } from "./counted-list.ts";

/** What can be made to fail; the kinds of `POST /local/failures`. */
export const FAILURE_KINDS = ["deployment", "watcher", "archive", "operation", "query"] as const;
type FailureKind = (typeof FAILURE_KINDS)[number];

/** Asked for by a tester: the next `times` of a kind fail. The status event then has this `reason`. */
type Failure = { kind: FailureKind; times: number; reason: string };

/**
 * Failures that wait for the next deployment of a wallet, provisioning or archiving of a watcher, relay of an
 * operation, or dispatch of a query. Each lifecycle asks once for each that it begins.
 */
export class Failures extends CountedList<Failure> {
  /** The reason with which this one has to fail, counted; undefined when it runs as usual. */
  take(kind: FailureKind): string | undefined {
    return this.takeFirst((failure) => failure.kind === kind)?.reason;
  }
}
