import { CrecError } from "../errors.ts";
import { isVerifiable, type VerifyResult } from "../proofs/index.ts";
import { type ChannelEvent, type EventEnvelope, envelopeOf, isSameId, isUnnamed } from "../protocol/index.ts";
import { type Clock, throwIfAborted, unlessAborted } from "./clock.ts";
import { type EventSource, typeOf } from "./source.ts";

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
 * Judges an event. One that should carry a proof and has none yet is asked for again by its id until it has, or
 * until the time is over; then it is given back without. Without `verify` it only waits.
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
  const until = clock.now() + (isUnnamed(event) ? 0 : waitMs);
  for (let pauseMs = FIRST_PAUSE_MS; lacksProof(judged) && clock.now() < until; pauseMs *= 2) {
    await clock.sleep(Math.min(pauseMs, LONGEST_PAUSE_MS, until - clock.now()), signal);
    throwIfAborted(signal);
    const again = await askAgain(event.event_id, source, signal);
    // Its place in the channel stays the one it was read at.
    if (again !== undefined)
      judged = await judge(
        envelopeOf({ ...again, headers: { ...again.headers, offset: event.headers.offset } }),
      );
  }
  return judged;
}

function lacksProof({ event, verification }: Judged): boolean {
  if (verification !== undefined) return !verification.verified && verification.reason === "no_proof";
  const { status }: EventEnvelope["payload"] = event.payload;
  const carriesOne = isVerifiable(typeOf(event), typeof status === "string" ? status : undefined);
  return carriesOne && !(event.headers.proofs?.length > 0);
}

async function askAgain(
  eventId: string,
  source: EventSource,
  signal: AbortSignal,
): Promise<EventEnvelope | undefined> {
  try {
    const event = await unlessAborted(source.get(eventId, signal), signal);
    return isSameId(event.event_id, eventId) ? event : undefined;
  } catch (error) {
    if (error instanceof CrecError && NOT_THERE.has(error.code)) return undefined;
    throw error;
  }
}

/** That it is not there, or that the service takes its id for none: to ask on would hold up those behind it. */
const NOT_THERE: ReadonlySet<string> = new Set(["EVENT_NOT_FOUND", "NOT_FOUND", "VALIDATION_ERROR"]);
