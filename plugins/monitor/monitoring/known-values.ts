import type { ExpectationReason, VerifyReason } from "../../../src/index.ts";

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

export const METHODS: readonly string[] = ["GET", "POST", "PATCH", "PUT", "DELETE"];
