import type { Address, EventEnvelope, Query } from "../protocol/index.ts";
import { type AskedOperation, compareWithOperation } from "./asked-operation.ts";
import { type AskedQuery, compareWithAsked } from "./asked-query.ts";
import { type Claim, readClaim } from "./claim.ts";
import { type Engine, loadEngine } from "./engine.ts";
import { judge } from "./judge.ts";
import { Rejection, type VerifyReason } from "./reasons.ts";
import { type CallSettings, forCall, prepare, prepareFamily, type Settings } from "./settings.ts";
import { takeTurn } from "./turns.ts";

/** Whose signatures count. Tenant, threshold and signers belong together: take all from one service. */
export type SignerSet = {
  /** With `creTenantId`, gives the workflow owner; not needed where that is given. */
  orgId?: string | null;
  workflowOwner?: string | null;
  creTenantId?: string | null;
  validSigners: readonly string[];
  /** How many different signers of the set must have signed; 1 or more. */
  minRequiredSignatures: number;
};

/** The default set, and others for oracle families that sign with keys of their own. */
export type VerifyConfig = SignerSet & {
  /**
   * By `don_family` of the watchers. Organization and tenant that a set leaves out are those of the default set. A
   * family that is not here has the default set.
   */
  families?: Readonly<Record<string, SignerSet>>;
  /** The channel the events were asked of. Where the channel is signed, it must be this one. */
  channelId?: string;
};

/** What one call says otherwise than the configuration. */
export type VerifyOptions = {
  /**
   * Another organization of the same service, by its id or by its workflow owner. With either of the two, even
   * empty, both of the configuration are left aside.
   */
  orgId?: string | null;
  workflowOwner?: string | null;
  channelId?: string;
  /**
   * Of a contract event: the oracle family of its watcher, or what finds it by the id of the watcher. That is only
   * called where the configuration has `families`. All other events have the default set.
   */
  donFamily?: string | undefined | ((watcherId: string) => Promise<string | undefined>);
  /** Of an operation's status: the operation that it must be about. */
  operation?: AskedOperation;
};

/** `donFamily` is there where the set of a family judged, and not the default set. */
export type VerifyResult =
  | {
      verified: true;
      /** Those of the set who signed, checksummed. */
      signers: Address[];
      donFamily?: string;
    }
  | {
      verified: false;
      reason: VerifyReason;
      /** What it means and what to do. */
      message: string;
      donFamily?: string;
    };

/** Rejects only with what a `donFamily` rejects with, whatever else it is given. Other work gets its turn after every 8 proofs, however they are asked for. */
export type Verifier = {
  verify(event: EventEnvelope, options?: VerifyOptions): Promise<VerifyResult>;
  /** With `asked` the answer must also be the one to that question. */
  verifyQuery(query: Query, options?: VerifyOptions & { asked?: AskedQuery }): Promise<VerifyResult>;
  /** One result an event, in their order. */
  verifyAll(events: readonly EventEnvelope[], options?: VerifyOptions): Promise<VerifyResult[]>;
};

/**
 * Judges one event by its proof. For many events make one verifier with `createVerifier`.
 * The result says why when the answer is no; nothing is ever thrown.
 * @example
 * const { verified } = await verifyEvent(event, config);
 * verified; // → true
 *
 * const forged = { ...event, payload: { ...event.payload, chain_selector: "1" } };
 * const result = await verifyEvent(forged, config);
 * result.verified ? "" : result.reason; // → "unsigned_field_mismatch"
 */
export function verifyEvent(
  event: EventEnvelope,
  config: VerifyConfig,
  options?: VerifyOptions,
): Promise<VerifyResult> {
  return createVerifier(config).verify(event, options);
}

/**
 * Judges the signed result of a query resource: the same steps as for its `query.status` event.
 * Give what you `asked`: without it, the true answer to another question passes, too.
 * @example
 * const params = {
 *   contract_address: counter,
 *   call_data: encodeFunctionCall({ abi, function: "countOf", args: [address] }).data,
 *   block_selection: { type: "latest" as const },
 * };
 * const { query_id: queryId } = await client.queries.create(channelId, { chain_selector: network, params });
 * const query = await client.queries.waitFor(channelId, queryId);
 * const asked = { queryId, chainSelector: network, params };
 * (await verifyQuery(query, { ...config, asked })).verified; // → true
 */
export function verifyQuery(
  query: Query,
  config: VerifyConfig & { asked?: AskedQuery },
): Promise<VerifyResult> {
  return createVerifier(config).verifyQuery(query, config);
}

/**
 * Prepares a configuration once. An invalid set answers `not_configured` to each event that it has to judge.
 * @example
 * const ours = createVerifier(config);
 * (await ours.verify(event)).verified; // → true
 * const theirs = await ours.verify(event, { orgId: "org_of_another_customer" });
 * theirs.verified ? "" : theirs.reason; // → "workflow_owner_mismatch"
 *
 * const strangers = { validSigners: [address], minRequiredSignatures: 1 };
 * const byFamily = createVerifier({ ...config, families: { "zone-b": strangers } });
 * (await byFamily.verify(event, { donFamily: "zone-a" })).verified; // → true
 * (await byFamily.verify(event, { donFamily: "zone-b" })).verified; // → false
 */
export function createVerifier(config: VerifyConfig): Verifier {
  return createVerifierOn(loadEngine, config);
}

/** The same on an engine of one's choice. */
export function createVerifierOn(load: () => Promise<Engine>, config: VerifyConfig): Verifier {
  const byDefault = attempt(() => prepare(config), "not_configured");
  const families = attempt(() => preparedFamilies(config), "not_configured");
  const judged = async (read: () => Claim, options: VerifyOptions = {}): Promise<VerifyResult> => {
    if (isRefusal(families)) return families;
    // Without families nothing has to be read to know the set.
    if (families.size === 0 && isRefusal(byDefault)) return byDefault;
    const engine = await load();
    await takeTurn();
    const claim = attempt(read, "malformed_event");
    const donFamily = families.size === 0 ? undefined : await familyOf(claim, options);
    const ofFamily = donFamily === undefined ? undefined : families.get(donFamily);
    const result = judgedBy(ofFamily ?? byDefault, claim, { options, engine });
    return donFamily !== undefined && ofFamily ? { ...result, donFamily } : result;
  };
  const verifier: Verifier = {
    verify: (event, options) => judged(() => readEventClaim(event, options?.operation), options),
    verifyQuery: (query, options) => judged(() => readQueryClaim(query, options?.asked), options),
    async verifyAll(events, options) {
      const results: VerifyResult[] = [];
      for (const event of events) results.push(await verifier.verify(event, options));
      return results;
    },
  };
  return verifier;
}

/** An invalid set rejects only what is judged by it. */
function preparedFamilies(config: VerifyConfig): Map<string, Settings | Refusal> {
  const sets = Object.entries(config.families ?? {});
  return new Map(
    sets.map(([family, set]) => [
      family,
      attempt(() => prepareFamily(config, family, set), "not_configured"),
    ]),
  );
}

/** Only a contract event has a watcher, and with it a family. */
async function familyOf(claim: Claim | Refusal, options: VerifyOptions): Promise<string | undefined> {
  if (isRefusal(claim) || claim.watcherId === undefined) return undefined;
  const { watcherId } = claim;
  const donFamily = options?.donFamily;
  return typeof donFamily === "function" ? donFamily(watcherId) : donFamily;
}

/** The settings are judged before the event. */
function judgedBy(
  set: Settings | Refusal,
  claim: Claim | Refusal,
  { options, engine }: { options: VerifyOptions; engine: Engine },
): VerifyResult {
  if (isRefusal(set)) return set;
  const settings = attempt((): CallSettings => forCall(set, options), "not_configured");
  if (isRefusal(settings)) return settings;
  if (isRefusal(claim)) return claim;
  return attempt(() => ({ verified: true, signers: judge(claim, settings, engine) }), "malformed_event");
}

function readEventClaim(event: EventEnvelope, asked: AskedOperation | undefined): Claim {
  const claim = readClaim(event);
  if (asked && claim.signedText !== undefined) {
    claim.comparisons.push(...compareWithOperation(asked, claim.type, claim.signedText));
  }
  return claim;
}

function readQueryClaim(query: Query, asked: AskedQuery | undefined): Claim {
  const claim = readClaim(queryAsEvent(query));
  if (asked && claim.signedText !== undefined) {
    claim.comparisons.push(...compareWithAsked(asked, claim.signedText));
  }
  return claim;
}

function queryAsEvent(query: Query): unknown {
  const { proof, channel_id } = query;
  const proofs = Array.isArray(proof) ? proof : [proof];
  return { headers: { type: "query.status", proofs }, payload: query, channel_id };
}

type Refusal = Extract<VerifyResult, { verified: false }>;

/** Runs checks on foreign values: whatever else they throw, a getter of theirs say, has the given reason. */
function attempt<T>(check: () => T, otherwise: VerifyReason): T | Refusal {
  try {
    return check();
  } catch (error) {
    const { reason, message } = isRejection(error) ? error : new Rejection(otherwise);
    return { verified: false, reason, message };
  }
}

/** Even asking what a thrown value is can throw. */
function isRejection(error: unknown): error is Rejection {
  try {
    return error instanceof Rejection;
  } catch {
    return false;
  }
}

function isRefusal(value: object): value is Refusal {
  return "verified" in value;
}
