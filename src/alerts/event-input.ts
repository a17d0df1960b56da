import type { Abi } from "../abi/index.ts";
import { CrecError } from "../errors.ts";
import { flag, like, optional, text } from "../options/index.ts";
import {
  type DecodedWatcherEvent,
  decodeEvent,
  dedupeKey,
  eventKeyOf,
  eventTokens,
} from "../proofs/index.ts";
import { type ChannelEvent, statedTimeOf } from "../protocol/index.ts";
import { type FieldPath, readField } from "./conditions/field-kind.ts";
import type { CompiledConditions } from "./conditions/index.ts";
import { blockEvidenceOf, logPlaceOf } from "./taken-back/index.ts";
import type { AlertEvidence, AlertInput } from "./types.ts";

/** How what is decoded of an event is read. */
type Decoding = { abi?: Abi | undefined; decimals?: number | DecimalsOf | undefined };

/** The decimals of a token; undefined where they are not known. */
export type DecimalsOf = (contract: { chainSelector: string; contract: string }) => number | undefined;

/** An event, as a consumer delivers it, or what was decoded from it. Verify events first. */
export type AlertEvent = (
  | { event: ChannelEvent; decoded?: unknown }
  | {
      decoded: unknown;
      /** Of the event: see `dedupeKey`. Without it, each delivery counts. */
      dedupeKey?: string | undefined;
    }
) & {
  /** It was delivered before, and not acknowledged. */
  redelivered?: boolean | undefined;
  /** No higher level is reported for this event: its alert is not watched. */
  isHighest?: boolean | undefined;
};

export const givenKind = like<Partial<AlertEvent> & { dedupeKey?: string | undefined }>({
  dedupeKey: optional(text),
  redelivered: optional(flag),
  isHighest: optional(flag),
});

export function decodedOf(given: AlertEvent, options: Decoding): unknown {
  const { abi } = options;
  const decoded = given.decoded ?? ("event" in given ? decodeEvent(given.event, abi) : undefined);
  const decimals = decimalsFor(decoded, options);
  if (decimals === undefined || !isContractEvent(decoded) || "tokens" in decoded) return decoded;
  return { ...decoded, tokens: eventTokens(decoded, { decimals, ...(abi === undefined ? {} : { abi }) }) };
}

export function decimalsFor(decoded: unknown, { decimals }: Decoding): number | undefined {
  if (typeof decimals !== "function") return decimals;
  const { contract, chainSelector } = (decoded ?? {}) as Partial<DecodedWatcherEvent>;
  const isKnown = typeof contract === "string" && typeof chainSelector === "string";
  return isKnown ? decimals({ chainSelector, contract }) : undefined;
}

export function evidenceOf(given: AlertEvent, decoded: unknown): AlertEvidence | undefined {
  if (!isContractEvent(decoded)) return "event" in given ? blockEvidenceOf(given.event) : undefined;
  const log = logPlaceOf(decoded);
  if (log === undefined) return undefined;
  return {
    kind: "log",
    log,
    ...present("at", timeOf(decoded)),
    ...present("redelivered", given.redelivered),
    ...present("isHighest", given.isHighest),
  };
}

export function isContractEvent(decoded: unknown): decoded is DecodedWatcherEvent {
  const { name, params } = (decoded ?? {}) as Partial<DecodedWatcherEvent>;
  return typeof name === "string" && typeof params === "object" && params !== null;
}

export function subjectOf(decoded: unknown): string | undefined {
  return isContractEvent(decoded) ? decoded.name : undefined;
}

export function reasonsOf(check: CompiledConditions, decoded: unknown, key: string | undefined): string[] {
  const reasons = check.explain(decoded).rows.flatMap(({ reason }) => reason ?? []);
  return key === undefined ? [...reasons, "The event does not have what is counted separately."] : reasons;
}

/** The time of the block, in milliseconds. */
export function timeOf(decoded: unknown): number | undefined {
  const seconds = Number(readField(decoded, ["blockTime"]));
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : undefined;
}

export function reportedAtOf(event: ChannelEvent): number | undefined {
  const seconds = statedTimeOf(event);
  return seconds === undefined ? undefined : seconds * 1000;
}

export function idOf(given: AlertEvent): Pick<AlertInput, "id"> {
  if (!("event" in given)) return given.dedupeKey === undefined ? {} : { id: eventKeyOf(given.dedupeKey) };
  try {
    return { id: eventKeyOf(dedupeKey(given.event)) };
  } catch (error) {
    // An event without signed text. The prefix keeps its id apart from keys of signed content.
    if (error instanceof CrecError) return { id: `unproven ${given.event.event_id}` };
    throw error;
  }
}

export function amountOf(decoded: unknown, path: FieldPath | undefined): Pick<AlertInput, "amount"> {
  const value = path && readField(decoded, path);
  const isExact = typeof value === "string" || typeof value === "bigint" || Number.isSafeInteger(value);
  return isExact ? { amount: String(value) } : {};
}

export function present<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { [key in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { [key in Name]?: Value });
}
