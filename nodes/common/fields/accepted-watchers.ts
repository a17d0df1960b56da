import type { ChannelEvent, Verification, VerifyResult } from "../../../src/index.ts";
import type { Library } from "../library.ts";

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
