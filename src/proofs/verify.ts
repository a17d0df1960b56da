import { aList, anyText, kindOf, like, optional } from "../options/index.ts";
import type { EventEnvelope, Query } from "../protocol/index.ts";
import {
  type CallSettings,
  checkProof,
  forCall,
  prepare,
  prepareFamily,
  type Settings,
} from "./check-proof.ts";
import { type Engine, loadEngine, yieldRegularly } from "./engine.ts";
import { isObject } from "./fields.ts";
import { Rejection, type VerifyReason } from "./reasons.ts";
import {
  compareWithOperation,
  compareWithQuery,
  type RequestedOperation,
  type RequestedQuery,
} from "./requested-operation.ts";
import { readUnverifiedEvent, type UnverifiedEvent } from "./unverified-event.ts";
import type { Verifier, VerifyConfig, VerifyOptions, VerifyResult } from "./verify-types.ts";

/**
 * Checks the proof of one event. For many events, create one verifier with `createVerifier`.
 * It never throws: the result has the reason when the event is not verified.
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
 * Checks the signed result of a query, in the same steps as its `query.status` event.
 * Give the query that you `requested`: without it, the true answer to another query passes, too.
 * @example
 * const params = {
 *   contract_address: counter,
 *   call_data: encodeFunctionCall({ abi, function: "countOf", args: [address] }).data,
 *   block_selection: { type: "latest" as const },
 * };
 * const { query_id: queryId } = await client.queries.create(channelId, { chain_selector: network, params });
 * const query = await client.queries.waitFor(channelId, queryId);
 * const requested = { queryId, chainSelector: network, params };
 * (await verifyQuery(query, { ...config, requested })).verified; // → true
 */
export function verifyQuery(
  query: Query,
  config: VerifyConfig & { requested?: RequestedQuery | undefined },
): Promise<VerifyResult> {
  return createVerifier(config).verifyQuery(query, config);
}

/**
 * Prepares a configuration once, for many events. Each event for which an invalid set is used is `not_configured`.
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

/** The same with a given engine. */
export function createVerifierOn(load: () => Promise<Engine>, config: VerifyConfig): Verifier {
  const byDefault = attempt(() => prepare(config), "not_configured");
  const families = attempt(() => preparedFamilies(config), "not_configured");
  const verified = async (
    read: () => UnverifiedEvent,
    options: VerifyOptions = {},
  ): Promise<VerifyResult> => {
    const wrong = attempt(() => requireOptions(options), "not_configured");
    if (wrong !== undefined) return wrong;
    if (isRefusal(families)) return families;
    // Without families, the set is known before the event is read.
    if (families.size === 0 && isRefusal(byDefault)) return byDefault;
    const engine = await load();
    await yieldRegularly();
    const event = attempt(read, "malformed_event");
    const donFamily = families.size === 0 ? undefined : await familyOf(event, options);
    const ofFamily = donFamily === undefined ? undefined : families.get(donFamily);
    const result = verifiedBy(ofFamily ?? byDefault, event, { options, engine });
    return donFamily !== undefined && ofFamily ? { ...result, donFamily } : result;
  };
  const verifier: Verifier = {
    verify: (event, options) => verified(() => readEvent(event, options?.operation), options),
    verifyQuery: (query, options) => verified(() => readQuery(query, options?.requested), options),
    async verifyAll(events, options) {
      const results: VerifyResult[] = [];
      for (const event of listOfEvents(events, "events")) results.push(await verifier.verify(event, options));
      return results;
    },
  };
  return verifier;
}

const listOfEvents = aList<readonly EventEnvelope[]>();

const nullable = kindOf<string | null>("text", (value) => value === null || typeof value === "string");
const anObject = kindOf<never>("an object", isObject);

/** They are used as they are: an organization that is given as undefined is given, too. */
const optionsKind = like<VerifyOptions & { requested?: RequestedQuery }>({
  orgId: optional(nullable),
  workflowOwner: optional(nullable),
  channelId: optional(anyText()),
  donFamily: optional(kindOf("text or a function", (value) => /^(string|function)$/.test(typeof value))),
  operation: optional(anObject),
  requested: optional(anObject),
});

/** @throws {Rejection} `not_configured`: with a wrong option, an event could count as verified that must not. */
function requireOptions(options: VerifyOptions): undefined {
  try {
    optionsKind(options, "options");
  } catch (error) {
    throw new Rejection("not_configured", (error as Error).message.replace(/\.$/, ""));
  }
}

/** An invalid set rejects only the events for which it is used. */
function preparedFamilies(config: VerifyConfig): Map<string, Settings | Refusal> {
  const { families = {} } = config;
  if (!isObject(families)) throw new Rejection("not_configured", "families must be an object");
  const sets = Object.entries(families);
  return new Map(
    sets.map(([family, set]) => [
      family,
      attempt(() => prepareFamily(config, family, set), "not_configured"),
    ]),
  );
}

/** Only a contract event has a watcher, and so a family. */
async function familyOf(
  event: UnverifiedEvent | Refusal,
  options: VerifyOptions,
): Promise<string | undefined> {
  if (isRefusal(event) || event.watcherId === undefined) return undefined;
  const donFamily = options?.donFamily;
  return typeof donFamily === "function" ? donFamily(event.watcherId) : donFamily;
}

/** The settings are checked before the event. */
function verifiedBy(
  set: Settings | Refusal,
  event: UnverifiedEvent | Refusal,
  { options, engine }: { options: VerifyOptions; engine: Engine },
): VerifyResult {
  if (isRefusal(set)) return set;
  const settings = attempt((): CallSettings => forCall(set, options), "not_configured");
  if (isRefusal(settings)) return settings;
  if (isRefusal(event)) return event;
  return attempt(() => ({ verified: true, ...checkProof(event, settings, engine) }), "malformed_event");
}

function readEvent(event: EventEnvelope, requested: RequestedOperation | undefined): UnverifiedEvent {
  const read = readUnverifiedEvent(event);
  if (requested && read.signed) read.comparisons.push(...compareWithOperation(requested, read, read.signed));
  return read;
}

function readQuery(query: Query, requested: RequestedQuery | undefined): UnverifiedEvent {
  const read = readUnverifiedEvent(queryAsEvent(query));
  if (requested && read.signed) read.comparisons.push(...compareWithQuery(requested, read.signed));
  return read;
}

function queryAsEvent(query: Query): unknown {
  const { proof, channel_id } = query;
  const proofs = Array.isArray(proof) ? proof : [proof];
  return { headers: { type: "query.status", proofs }, payload: query, channel_id };
}

type Refusal = Extract<VerifyResult, { verified: false }>;

/** Runs checks on foreign values. Anything else that is thrown, by a getter for example, gets the given reason. */
function attempt<T>(check: () => T, otherwise: VerifyReason): T | Refusal {
  try {
    return check();
  } catch (error) {
    const { reason, message } = isRejection(error) ? error : new Rejection(otherwise);
    return { verified: false, reason, message };
  }
}

/** For a foreign value even `instanceof` can throw. */
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
