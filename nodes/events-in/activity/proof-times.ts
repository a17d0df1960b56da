import type { ChannelEvent, Verification } from "../../../src/index.ts";

type Verify = (event: ChannelEvent) => Promise<Verification>;

/** How long each check took, in milliseconds, by its result. */
export type ProofTimes = WeakMap<Verification, number>;

/** The same check, with its times: they have the look-up of an oracle family in them, where there are several. */
export function timed(verify: Verify, times: ProofTimes): Verify {
  return async (event) => {
    const begun = performance.now();
    const result = await verify(event);
    times.set(result, performance.now() - begun);
    return result;
  };
}

export function proofMsOf(times: ProofTimes, result: Verification | undefined): number | undefined {
  return result && times.get(result);
}
