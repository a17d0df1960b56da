import type { ExpectationReason, VerifyReason } from "../../../src/index.ts";
import { OPERATION_STATUSES, WALLET_STATUSES, WATCHER_STATUSES } from "../../../src/protocol/index.ts";

/** More than the readers, connections or checks of any installation that we know of. */
const MOST_CONSUMERS = 1_000;
const MOST_CONNECTIONS = 100;
const MOST_CHECKS = 100;
/** A service sends them. */
const MOST_HTTP_STATUSES = 30;
const MOST_ERROR_CODES = 100;

/** `signing`, before an operation is sent, is a status of the nodes only. */
const SIGNING = "signing";

/** What the labels may be. All metrics share it, so that a consumer that has become "other" is so in all of them. */
export class Bounds {
  readonly consumer = new BoundedValues({ most: MOST_CONSUMERS });
  readonly connection = new BoundedValues({ most: MOST_CONNECTIONS });
  readonly node = new BoundedValues({ most: MOST_CONNECTIONS });
  readonly check = new BoundedValues({ most: MOST_CHECKS });
  readonly httpStatus = new BoundedValues({ most: MOST_HTTP_STATUSES });
  readonly errorCode = new BoundedValues({ most: MOST_ERROR_CODES });
  readonly reason = new BoundedValues({ known: REJECTION_REASONS });
  readonly endpoint = new BoundedValues({ known: ENDPOINTS });
  readonly method = new BoundedValues({ known: METHODS });
  readonly operationStatus = new BoundedValues({ known: [SIGNING, ...OPERATION_STATUSES] });
  readonly watcherStatus = new BoundedValues({ known: WATCHER_STATUSES });
  readonly walletStatus = new BoundedValues({ known: WALLET_STATUSES });
}

/** What stands for all values beyond the limit. */
const OTHER = "other";

/** Longer ones are cut: a name of this length is enough to find a node. */
const MOST_CHARACTERS = 128;

/** The values that a label may take: those that are listed, or the first ones up to a number. */
type Bound = { known: readonly string[] } | { most: number };

/**
 * Keeps the number of time series bounded, whatever a flow or a service sends: Prometheus keeps each series in memory.
 * @example
 * const reasons = new BoundedValues({ known: ["no_proof"] });
 * reasons.of("no_proof"); // → "no_proof"
 * reasons.of("invented"); // → "other"
 */
export class BoundedValues {
  readonly #taken: Set<string>;
  readonly #most: number;

  constructor(bound: Bound) {
    this.#taken = new Set("known" in bound ? bound.known : []);
    this.#most = "known" in bound ? this.#taken.size : bound.most;
  }

  of(value: string): string {
    // The text formats are UTF-8, where half a surrogate pair cannot stand.
    const text = value.slice(0, MOST_CHARACTERS).toWellFormed();
    if (this.#taken.has(text)) return text;
    if (this.#taken.size >= this.#most) return OTHER;
    this.#taken.add(text);
    return text;
  }
}

/** Why events are rejected. The type makes the list complete, and the library is not loaded for it. */
const REASONS: Record<VerifyReason | ExpectationReason, true> = {
  not_configured: true,
  malformed_event: true,
  not_verifiable: true,
  no_proof: true,
  multiple_proofs: true,
  malformed_proof: true,
  workflow_owner_mismatch: true,
  event_hash_mismatch: true,
  threshold_not_met: true,
  unsigned_field_mismatch: true,
  unexpected_family: true,
  unexpected_watcher: true,
  unexpected_contract: true,
  unexpected_event: true,
  confidence_too_low: true,
  too_old: true,
  in_the_future: true,
};
/** These are the nodes' own. */
const OF_NODES = ["seen_before", "given_up", "crashed", "too_deep"];
export const REJECTION_REASONS: readonly string[] = [...Object.keys(REASONS), ...OF_NODES];

/** The paths that calls are made to, with placeholders for ids; `graphql` is the account service. */
export const ENDPOINTS: readonly string[] = [
  "/channels",
  "/channels/{id}",
  "/channels/{id}/events",
  "/channels/{id}/events/search",
  "/channels/{id}/events/search/{id}",
  "/channels/{id}/operations",
  "/channels/{id}/operations/{id}",
  "/channels/{id}/queries",
  "/channels/{id}/queries/{id}",
  "/channels/{id}/watchers",
  "/channels/{id}/watchers/{id}",
  "/health-check",
  "/networks",
  "/wallets",
  "/wallets/{id}",
  "graphql",
];

const METHODS: readonly string[] = ["GET", "POST", "PATCH", "PUT", "DELETE"];
