import type { ChannelEvent, LevelSource, Verification, VerifyResult } from "../../../src/index.ts";
import type { Library } from "../library.ts";
import type { ConfidenceOption } from "../shared/common-fields.ts";

/** The field of nodes that verify events: workflow ids of watchers. */
type Fields = {
  of(msg: object): { names(name: "acceptWatchers"): Promise<string[]> };
  missing(name: "acceptWatchers"): Error;
  settings: { acceptWatchersType?: string };
};

/**
 * The watchers whose events a node accepts, by the ids that are stored in the node; undefined where it accepts any. They
 * are never looked up by name: what answers could name another one.
 * @throws INVALID_FIELD, MISSING_VALUE, VARIABLE_MISSING
 */
export async function acceptedWatchers(fields: Fields): Promise<readonly string[] | undefined> {
  const ids = await fields.of({}).names("acceptWatchers");
  if (ids.length > 0) return ids;
  // An empty text field accepts any. A list or a variable must not be empty.
  if ((fields.settings.acceptWatchersType ?? "str") !== "str") throw fields.missing("acceptWatchers");
  return undefined;
}

/** A check of proofs that also expects one of these watchers. */
export function acceptingOnly(
  watchers: readonly string[] | undefined,
  verify: (event: ChannelEvent) => Promise<VerifyResult>,
  { signedFacts, unmetExpectation }: Pick<Library, "signedFacts" | "unmetExpectation">,
): (event: ChannelEvent) => Promise<Verification> {
  if (watchers === undefined) return verify;
  return async (event) => {
    const result = await verify(event);
    if (!result.verified) return result;
    return unmetExpectation(signedFacts(event), { watchers }, result) ?? result;
  };
}

/** What a node's *Confidence* lets pass. */
type ConfidenceCheck = {
  /** Awaited before `passes` sees these events. @throws when the service cannot be asked now */
  prepare(events: readonly ChannelEvent[], signal: AbortSignal): Promise<void>;
  /** Whether the level of an event is high enough. Events other than contract events always pass. */
  passes(event: ChannelEvent): boolean;
};

type Source = {
  levelSource: LevelSource;
  library: Pick<Library, "HighestConfidence" | "eventFilter">;
};

/** The check for an option of the field; empty lets all levels pass. */
export function confidenceCheck(option: ConfidenceOption, { levelSource, library }: Source): ConfidenceCheck {
  if (option === "highest") {
    const highest = new library.HighestConfidence(levelSource);
    return {
      prepare: (events, signal) => highest.learn(events, signal),
      passes: (event) => highest.passes(event),
    };
  }
  const passes = library.eventFilter(option === "" ? {} : { minConfidence: option });
  return { prepare: async () => undefined, passes };
}
