import { aNumber, anyText, finite, like, optional, text, texts } from "../options/index.ts";
import { CONFIDENCES, type Confidence, canonicalWorkflowId } from "../protocol/index.ts";
import type { SignedFacts } from "./signed-event.ts";
import type { VerifyResult } from "./verify-types.ts";

/** What a verified event is expected to be. What is left out is not checked. */
export type Expectations = {
  /** The oracle family whose signer set verified it; empty for the default set. */
  donFamily?: string;
  /**
   * One of these watchers reported it, by the `workflow_id` of each. A watcher's ABI decides which names the parameters
   * of a log get: without this, an event read by any ABI is accepted.
   */
  watchers?: readonly string[];
  /** The contract that emitted it. The address is compared without case, the selector as a number. */
  contract?: { address: string; chainSelector: string };
  /** One of these, by name, such as `Transfer`, or by signature, such as `Transfer(address,address,uint256)`. */
  events?: readonly string[];
  /** How final its block must be at least. */
  minConfidence?: Confidence;
  /** Its highest age, in seconds. */
  maxAge?: number;
};

/** Why a verified event is not what was expected, in the order of the checks. */
export const EXPECTATION_REASONS = [
  "unexpected_family",
  "unexpected_watcher",
  "unexpected_contract",
  "unexpected_event",
  "confidence_too_low",
  "too_old",
  "in_the_future",
] as const;

export type ExpectationReason = (typeof EXPECTATION_REASONS)[number];

/** Has the form of the `VerifyResult` of an event that is not verified. */
export type UnmetExpectation = {
  verified: false;
  /** The first expectation that is not met. */
  reason: ExpectationReason;
  /** What the reason means and what to do. */
  message: string;
};

/** The result of a check with expectations. */
export type Verification = VerifyResult | UnmetExpectation;

/** What is known about an event besides its signed facts. */
export type ExpectationOptions = {
  /**
   * As in the `VerifyResult`: the family whose signer set verified the event, undefined for the default set.
   * @default undefined
   */
  donFamily?: string | undefined;
  /**
   * As in the `VerifyResult`: the workflow that reported the event.
   * @default undefined
   */
  workflowId?: string | undefined;
  /**
   * The current time, in Unix seconds.
   * @default the system's clock
   */
  now?: number;
};

const factsKind = like<SignedFacts>({});

const expectedKind = like<Expectations>({
  donFamily: optional(text),
  watchers: optional(texts),
  contract: optional(like<NonNullable<Expectations["contract"]>>({ address: text, chainSelector: text })),
  events: optional(texts),
  // No event meets a level that does not exist.
  minConfidence: optional(anyText()),
  maxAge: optional(aNumber("a number of seconds, 0 or more", (value) => value >= 0)),
});

const knownKind = like<ExpectationOptions>({
  donFamily: optional(text),
  workflowId: optional(text),
  now: optional(finite),
});

/** Clocks differ. An event that is further ahead than this means that a clock is wrong. Seconds. */
const CLOCK_TOLERANCE = 60;

/**
 * The first expectation that an event does not meet, or undefined when it meets all. Only signed facts count: an event
 * that does not say what is expected does not meet the expectation. Verify the event first.
 * @example
 * const expected = { contract: { address: counter, chainSelector: network }, events: ["Incremented"], maxAge: 3600 };
 * const result = await verifier.verify(event);
 * if (result.verified) {
 *   unmetExpectation(signedFacts(event), expected, result); // → undefined
 *   unmetExpectation(signedFacts(event), { events: ["Transfer"] })?.reason; // → "unexpected_event"
 * }
 */
export function unmetExpectation(
  facts: SignedFacts,
  expected: Expectations,
  known: ExpectationOptions = {},
): UnmetExpectation | undefined {
  factsKind(facts, "facts");
  expectedKind(expected, "expected");
  const { donFamily, workflowId, now = Date.now() / 1000 } = knownKind(known, "known");
  return (
    (expected.donFamily === undefined ? undefined : familyUnmet(donFamily, expected.donFamily)) ??
    (expected.watchers && watcherUnmet(facts, workflowId, expected.watchers)) ??
    (expected.contract && contractUnmet(facts, expected.contract)) ??
    (expected.events && eventUnmet(facts, expected.events)) ??
    (expected.minConfidence && confidenceUnmet(facts, expected.minConfidence)) ??
    (expected.maxAge === undefined ? undefined : ageUnmet(facts, expected.maxAge, now))
  );
}

type Unmet = UnmetExpectation | undefined;

function familyUnmet(donFamily: string | undefined, expected: string): Unmet {
  if (expected === (donFamily ?? "")) return undefined;
  return unmet(
    "unexpected_family",
    `The event is signed by ${setOf(donFamily)}, and only ${setOf(expected)} is accepted. Do not act on it, or expect another set.`,
  );
}

function setOf(family: string | undefined): string {
  return family ? `the set of the oracle family "${family}"` : "the default set";
}

function watcherUnmet(
  { contract }: SignedFacts,
  workflowId: string | undefined,
  expected: readonly string[],
): Unmet {
  // Only a contract event has a watcher.
  const reported = contract === undefined ? undefined : workflowId && canonicalWorkflowId(workflowId);
  if (reported && expected.some((one) => canonicalWorkflowId(one) === reported)) return undefined;
  const by = reported
    ? `was reported by the watcher with workflow ${reported}`
    : "was not reported by a watcher";
  return unmet(
    "unexpected_watcher",
    `The event ${by}, and only events of accepted watchers pass: its parameters may have other names. Do not act on it, or accept this watcher.`,
  );
}

function contractUnmet(facts: SignedFacts, expected: { address: string; chainSelector: string }): Unmet {
  const { contract, chainSelector } = facts;
  const isExpected =
    contract?.toLowerCase() === expected.address.toLowerCase() &&
    chainSelector === expected.chainSelector.replace(/^0+(?=\d)/, "");
  if (isExpected) return undefined;
  const network = chainSelector ? `on network ${chainSelector}` : "on a network that is not signed";
  const origin = contract
    ? `The event is from contract ${contract} ${network}`
    : "The event is not from a contract";
  return unmet(
    "unexpected_contract",
    `${origin}, and only events of ${expected.address} on network ${expected.chainSelector} are accepted. Do not act on it, or expect another contract.`,
  );
}

function eventUnmet({ name, signature }: SignedFacts, expected: readonly string[]): Unmet {
  if ([name, signature].some((one) => one !== undefined && expected.includes(one))) return undefined;
  const what = signature ?? name;
  return unmet(
    "unexpected_event",
    `${what ? `The event is ${what}` : "It is not a contract event"}, and only ${expected.join(", ")} is accepted. Do not act on it, or add it to the expected events.`,
  );
}

function confidenceUnmet({ confidence }: SignedFacts, expected: Confidence): Unmet {
  const least = CONFIDENCES.indexOf(expected);
  // No event meets a level that does not exist, such as a mistyped one.
  if (confidence && least >= 0 && CONFIDENCES.indexOf(confidence) >= least) return undefined;
  const actual = confidence
    ? `The block of the event is ${confidence}`
    : "The event does not say how final its block is";
  return unmet(
    "confidence_too_low",
    `${actual}, and at least ${expected} is expected. Wait for the event with that level, or expect a level that the network reports.`,
  );
}

function ageUnmet({ time }: SignedFacts, maxAge: number, now: number): Unmet {
  if (time === undefined) {
    return unmet("too_old", "No time is signed in the event, so its age is unknown. Do not act on it.");
  }
  const age = Math.floor(now - time);
  if (age < -CLOCK_TOLERANCE) {
    return unmet(
      "in_the_future",
      `The time signed in the event is ${-age} seconds ahead of this machine, so its age is unknown. Correct this machine's clock. If it is right, the blocks of this network are ahead: expect no age.`,
    );
  }
  if (age <= maxAge) return undefined;
  return unmet(
    "too_old",
    `The event is ${age} seconds old, and at most ${maxAge} are accepted. It may be repeated, or late after an outage. If every event is, check this machine's clock.`,
  );
}

function unmet(reason: ExpectationReason, message: string): UnmetExpectation {
  return { verified: false, reason, message };
}
