import type { Address, EventEnvelope, Query } from "../protocol/index.ts";
import type { VerifyReason } from "./reasons.ts";
import type { RequestedOperation, RequestedQuery } from "./requested-operation.ts";

/** Whose signatures count. Tenant, threshold and signers belong together: take all of them from one service. */
export type SignerSet = {
  /**
   * The organization whose proofs count. Its workflow owner follows from it and `creTenantId`. Not needed where
   * `workflowOwner` is given.
   * @default null
   */
  orgId?: string | null | undefined;
  /**
   * The address that the reports of the organization name. Replaces `orgId`.
   * @default null
   */
  workflowOwner?: string | null | undefined;
  /**
   * The part of the service that the organization belongs to. Needed with `orgId`.
   * @default null
   */
  creTenantId?: string | null | undefined;
  /** The addresses of the oracles whose signatures count. */
  validSigners: readonly string[];
  /** How many different signers of the set must have signed; 1 or more. */
  minRequiredSignatures: number;
};

/** The default set, and others for oracle families that sign with keys of their own. */
export type VerifyConfig = SignerSet & {
  /**
   * Sets by `don_family` of the watchers. Where a set leaves out organization and tenant, those of the default set
   * apply. A family that is missing here uses the default set.
   * @default {}
   */
  families?: Readonly<Record<string, SignerSet>> | undefined;
  /**
   * The channel that the events were read from. An event that names its channel in the signed text must name this one.
   * Given as undefined, such as a variable that is not set, it refuses every event.
   */
  channelId?: string | undefined;
};

/** What one call sets in place of the configuration. */
export type VerifyOptions = {
  /**
   * Another organization of the same service, by its id or by its workflow owner. When either of the two is given, even
   * empty, both of the configuration are ignored.
   */
  orgId?: string | null | undefined;
  /** Another workflow owner. See `orgId`. */
  workflowOwner?: string | null | undefined;
  /**
   * The channel that the event was read from. Given as undefined, where the configuration has none either, it refuses the
   * event.
   * @default `channelId` of the configuration
   */
  channelId?: string | undefined;
  /**
   * For a contract event: the oracle family of its watcher, or a function that looks it up by the watcher's id. The
   * function is only called where the configuration has `families`. All other events use the default set.
   */
  donFamily?: string | undefined | ((watcherId: string) => Promise<string | undefined>);
  /** For an operation's status: the operation that it must be about. */
  operation?: RequestedOperation | undefined;
};

/** `donFamily` is set where the signer set of a family was used, not the default set. */
export type VerifyResult =
  | {
      verified: true;
      /** The members of the set who signed, checksummed. */
      signers: Address[];
      /**
       * The workflow that reported it, as the signed report names it: 64 hex digits. Each watcher has its own, which the
       * service states as the watcher's `workflow_id`.
       */
      workflowId: string;
      /** The oracle family whose set was used. */
      donFamily?: string;
    }
  | {
      verified: false;
      /** The first check that failed. */
      reason: VerifyReason;
      /** What the reason means and what to do. */
      message: string;
      /** The oracle family whose set was used. */
      donFamily?: string;
    };

/**
 * Checks the proofs of events. It rejects only with the error of a `donFamily` function, and `verifyAll` with an
 * `ArgumentError` if it is not given a list. For any other input it resolves, for a wrong option with `not_configured`. Other work gets its turn after every 8 proofs.
 */
export type Verifier = {
  /** Checks one event. */
  verify(event: EventEnvelope, options?: VerifyOptions): Promise<VerifyResult>;
  /** Checks the signed result of a query. With `requested`, it must also be the answer to that query. */
  verifyQuery(
    query: Query,
    options?: VerifyOptions & { requested?: RequestedQuery | undefined },
  ): Promise<VerifyResult>;
  /** Checks several events. The results are in the order of the events. */
  verifyAll(events: readonly EventEnvelope[], options?: VerifyOptions): Promise<VerifyResult[]>;
};
