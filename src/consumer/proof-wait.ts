import { CrecError } from "../errors.ts";
import { isVerifiable, type VerifyResult } from "../proofs/index.ts";
import {
  type ChannelEvent,
  type EventEnvelope,
  envelopeOf,
  eventTypeOf,
  isSameId,
  isUnnamed,
} from "../protocol/index.ts";
import { type Clock, throwIfAborted, unlessAborted } from "./clock.ts";
import type { EventSource } from "./source.ts";

export type Judged = { event: ChannelEvent; verification?: VerifyResult };

export type ProofWaitOptions = {
  source: EventSource;
  clock: Clock;
  /** How long to wait for a proof, in milliseconds. */
  waitMs: number;
  verify?: ((event: ChannelEvent) => Promise<VerifyResult>) | undefined;
};

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Judges an event. One that should carry a proof and has none yet is asked for again by its id, as `offset:7` where
 * it has no id, until it has, or until the time is over; then it is given back without. Without `verify` it only waits.
 * Throws what the source throws, except that an event which cannot be found by id counts as unchanged.
 */
export async function judgeWithPatience(
  event: ChannelEvent,
  { source, clock, waitMs, verify }: ProofWaitOptions,
  signal: AbortSignal,
): Promise<Judged> {
  const judge = async (one: ChannelEvent): Promise<Judged> =>
    verify === undefined
      ? { event: one }
      : { event: one, verification: await unlessAborted(verify(one), signal) };
  let judged = await judge(event);
  const until = clock.now() + waitMs;
  for (let pauseMs = FIRST_PAUSE_MS; lacksProof(judged) && clock.now() < until; pauseMs *= 2) {
    await clock.sleep(Math.min(pauseMs, LONGEST_PAUSE_MS, until - clock.now()), signal);
    throwIfAborted(signal);
    const again = await askAgain(event, source, signal);
    // Its id and its place in the channel stay those it was read with.
    if (again !== undefined) {
      const { event_id, headers } = event;
      judged = await judge(
        envelopeOf({ ...again, event_id, headers: { ...again.headers, offset: headers.offset } }),
      );
    }
  }
  return judged;
}

function lacksProof({ event, verification }: Judged): boolean {
  if (verification !== undefined) return !verification.verified && verification.reason === "no_proof";
  const { status }: EventEnvelope["payload"] = event.payload;
  const carriesOne = isVerifiable(eventTypeOf(event) ?? "", typeof status === "string" ? status : undefined);
  return carriesOne && !(event.headers.proofs?.length > 0);
}

async function askAgain(
  event: ChannelEvent,
  source: EventSource,
  signal: AbortSignal,
): Promise<ChannelEvent | undefined> {
  try {
    const again = envelopeOf({ ...(await unlessAborted(source.get(event.event_id, signal), signal)) });
    return isSame(again, event) ? again : undefined;
  } catch (error) {
    if (error instanceof CrecError && NOT_THERE.has(error.code)) return undefined;
    throw error;
  }
}

/** At an offset, an event with an id is the one that was read there without. */
function isSame(again: ChannelEvent, event: ChannelEvent): boolean {
  if (isSameId(again.event_id, event.event_id)) return true;
  return isUnnamed(event) && again.headers.offset === event.headers.offset;
}

/** What asking again cannot change, such as an id that the service refuses: to fail would hold those behind it. */
const NOT_THERE: ReadonlySet<string> = new Set([
  "EVENT_NOT_FOUND",
  "NOT_FOUND",
  "VALIDATION_ERROR",
  "EVENT_TOO_LARGE",
]);
