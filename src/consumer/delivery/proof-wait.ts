import { throwIfAborted, unlessAborted } from "../../abort.ts";
import { CrecError } from "../../errors.ts";
import { isVerifiable, type Verification } from "../../proofs/index.ts";
import {
  type ChannelEvent,
  type EventEnvelope,
  envelopeOf,
  eventTypeOf,
  isSameId,
  isUnnamed,
} from "../../protocol/index.ts";
import { POLLS } from "../../retry/policies.ts";
import { pollFor } from "../../retry/poll.ts";
import type { Clock } from "../../timing/index.ts";
import type { EventSource } from "../source.ts";

type CheckedEvent = { event: ChannelEvent; verification?: Verification };

type ProofWaitOptions = {
  source: EventSource;
  clock: Clock;
  /** How long to wait for a proof, in milliseconds. */
  waitMs: number;
  verify?: ((event: ChannelEvent) => Promise<Verification>) | undefined;
};

/**
 * Verifies an event when its proof arrives. One that should carry a proof and has none yet is requested again by its id
 * (`offset:7` when it has no id) until it has one, or until the time is over; then it is returned without. Without
 * `verify` it only waits. Throws what the source throws; an event that cannot be found by id counts as unchanged.
 */
export async function verifyWhenProofArrives(
  event: ChannelEvent,
  { source, clock, waitMs, verify }: ProofWaitOptions,
  signal: AbortSignal,
): Promise<CheckedEvent> {
  const check = async (one: ChannelEvent): Promise<CheckedEvent> =>
    verify === undefined
      ? { event: one }
      : { event: one, verification: await unlessAborted(verify(one), signal) };
  let checked = await check(event);
  const until = clock.elapsed() + waitMs;
  const isOver = () => !lacksProof(checked) || clock.elapsed() >= until;
  const pause = async (ms: number) => {
    await clock.sleep(Math.min(ms, until - clock.elapsed()), signal);
    throwIfAborted(signal);
    const again = await requestAgain(event, source, signal);
    if (again === undefined) return;
    // Id and offset stay those it was read with.
    const { event_id, headers } = event;
    checked = await check({
      ...again,
      event_id,
      headers: { ...again.headers, offset: headers.offset },
    } as ChannelEvent);
  };
  return pollFor({ policy: POLLS.proof, look: async () => (isOver() ? checked : undefined), pause });
}

function lacksProof({ event, verification }: CheckedEvent): boolean {
  if (verification !== undefined) return !verification.verified && verification.reason === "no_proof";
  const { status }: EventEnvelope["payload"] = event.payload;
  const carriesOne = isVerifiable(eventTypeOf(event) ?? "", typeof status === "string" ? status : undefined);
  return carriesOne && !(event.headers.proofs?.length > 0);
}

async function requestAgain(
  event: ChannelEvent,
  source: EventSource,
  signal: AbortSignal,
): Promise<ChannelEvent | undefined> {
  try {
    const again = envelopeOf({ ...(await unlessAborted(source.get(event.event_id, signal), signal)) });
    return isSame(again, event) ? again : undefined;
  } catch (error) {
    if (error instanceof CrecError && UNAVAILABLE.has(error.code)) return undefined;
    throw error;
  }
}

/** At an offset, an event with an id is the one that was read there without. */
function isSame(again: ChannelEvent, event: ChannelEvent): boolean {
  if (isSameId(again.event_id, event.event_id)) return true;
  return isUnnamed(event) && again.headers.offset === event.headers.offset;
}

/** A further request cannot change these, such as an id that the service refuses. To fail would hold up the channel. */
const UNAVAILABLE: ReadonlySet<string> = new Set([
  "EVENT_NOT_FOUND",
  "NOT_FOUND",
  "VALIDATION_ERROR",
  "EVENT_TOO_LARGE",
]);
