import type { Confidence, SignedFacts } from "../../src/index.ts";

/** What is expected of an event whose proof is right. What is left out is not looked at. */
export type Expectations = {
  /** The oracle family whose set judged it; empty for the default set. */
  family?: string;
  contract?: { address: string; chainSelector: string };
  /** Names such as `Transfer`, or signatures as they are signed, such as `Transfer(address,address,uint256)`. */
  events?: readonly string[];
  minConfidence?: Confidence;
  /** Seconds. */
  maxAge?: number;
};

export type Unmet = {
  verified: false;
  reason:
    | "unexpected_family"
    | "unexpected_contract"
    | "unexpected_event"
    | "confidence_too_low"
    | "too_old"
    | "in_the_future"
    | "seen_before";
  message: string;
};

/** Weakest first. */
export const LEVELS: readonly Confidence[] = ["latest", "safe", "finalized"];
/** Clocks differ; more than this is a clock that is wrong. Seconds. */
const CLOCK_SKEW = 60;

/**
 * The first expectation that an event does not meet, or undefined where it meets all. It is judged by what was
 * signed alone: what an event does not say meets no expectation. `now` in Unix seconds.
 */
export function firstUnmet(facts: SignedFacts, expected: Expectations, now: number): Unmet | undefined {
  return (
    (expected.contract && contractUnmet(facts, expected.contract)) ??
    (expected.events && eventUnmet(facts, expected.events)) ??
    (expected.minConfidence && confidenceUnmet(facts, expected.minConfidence)) ??
    (expected.maxAge === undefined ? undefined : ageUnmet(facts, expected.maxAge, now))
  );
}

/** `donFamily` as the verifier gives it: the family whose set judged, missing for the default set. */
export function familyUnmet(donFamily: string | undefined, wanted: string | undefined): Unmet | undefined {
  if (wanted === undefined || wanted === (donFamily ?? "")) return undefined;
  return unmet(
    "unexpected_family",
    `The event is signed by ${setOf(donFamily)}, and only ${setOf(wanted)} is accepted; do not act on it, or choose another set in the node's form.`,
  );
}

function setOf(family: string | undefined): string {
  return family ? `the set of the oracle family "${family}"` : "the default set of the connection";
}

export function seenBefore(dedupeKey: string): Unmet {
  return unmet(
    "seen_before",
    `This node has sent on what is signed here before (${dedupeKey}); nothing is to be done about it again.`,
  );
}

function contractUnmet(facts: SignedFacts, wanted: { address: string; chainSelector: string }) {
  const { contract, chainSelector } = facts;
  const isWanted =
    contract?.toLowerCase() === wanted.address.toLowerCase() &&
    chainSelector === wanted.chainSelector.replace(/^0+(?=\d)/, "");
  if (isWanted) return undefined;
  const network = chainSelector ? `on network ${chainSelector}` : "on a network that is not signed";
  const origin = contract ? `The event is of contract ${contract} ${network}` : "The event is of no contract";
  return unmet(
    "unexpected_contract",
    `${origin}, and only events of ${wanted.address} on network ${wanted.chainSelector} are accepted; do not act on it, or choose another contract in the node's form.`,
  );
}

function eventUnmet({ name, signature }: SignedFacts, wanted: readonly string[]) {
  if ([name, signature].some((one) => one !== undefined && wanted.includes(one))) return undefined;
  const what = signature ?? name;
  return unmet(
    "unexpected_event",
    `${what ? `The event is ${what}` : "It is no contract event"}, and only ${wanted.join(", ")} is accepted; do not act on it, or add it in the node's form.`,
  );
}

function confidenceUnmet({ confidence }: SignedFacts, wanted: Confidence) {
  if (confidence && LEVELS.indexOf(confidence) >= LEVELS.indexOf(wanted)) return undefined;
  return unmet(
    "confidence_too_low",
    `${confidence ? `The block of the event is ${confidence}` : "The event does not say how final its block is"}, and at least ${wanted} is asked for; wait for the event that says so, or ask for a level that the network reports.`,
  );
}

function ageUnmet({ time }: SignedFacts, maxAge: number, now: number) {
  if (time === undefined) {
    return unmet("too_old", "No time is signed in the event, so it may be of any age; do not act on it.");
  }
  const age = Math.floor(now - time);
  if (age < -CLOCK_SKEW) {
    return unmet(
      "in_the_future",
      `The time signed in the event is ${-age} seconds ahead of this machine, so its age cannot be told; set this machine's clock.`,
    );
  }
  if (age <= maxAge) return undefined;
  return unmet(
    "too_old",
    `The event is ${age} seconds old, and at most ${maxAge} are accepted; it may be a repetition, or comes after an outage.`,
  );
}

function unmet(reason: Unmet["reason"], message: string): Unmet {
  return { verified: false, reason, message };
}
