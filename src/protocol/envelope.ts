import { type ChannelEvent, EVENT_TYPES, eventTypeOf, idOfUnnamed } from "./events.ts";
import { canonicalId } from "./ids.ts";
import { withoutNulls } from "./nulls.ts";

type Fields = Record<string, unknown>;

/**
 * An event of any version of the service in the one form that all code reads: `event_id` where some say `id`, in lower
 * case; type, offset and proofs in `headers` where some have them at the top; no field that is `null`. An event without
 * an id is the one that was `wanted`, else it is known by its offset. Nothing is dropped, and nothing is checked: type
 * and offset may be missing, and the offset may be no number.
 */
export function envelopeOf(raw: Fields, wanted?: string): ChannelEvent {
  const event = fieldsOf(raw);
  const headers = fieldsOf(event.headers);
  const type = eventTypeOf(event);
  const offset = wholeNumber(headers.offset ?? event.offset);
  const proofs = headers.proofs ?? event.proofs ?? [];
  const given = [event.event_id, event.id].find((id) => typeof id === "string" && id !== "");
  const place = typeof offset === "number" ? idOfUnnamed(offset) : "";
  return {
    ...event,
    event_id: canonicalId(String(given ?? wanted ?? place)),
    headers: { ...headers, ...(type === undefined ? {} : { type }), offset, proofs },
    payload: payloadOf(event.payload, type),
  } as ChannelEvent;
}

/** Of a type that this version does not know it stays as it is. */
function payloadOf(payload: unknown, type: unknown): unknown {
  const isKnown = EVENT_TYPES.some((one) => one === type);
  return (isKnown ? withoutNulls(payload) : payload) ?? {};
}

function fieldsOf(value: unknown): Fields {
  const isFields = typeof value === "object" && value !== null && !Array.isArray(value);
  return isFields ? (withoutNulls(value) as Fields) : {};
}

/** Decimal text as a number, where that is exact. */
function wholeNumber(value: unknown): unknown {
  const isText = typeof value === "string" && /^\d{1,100}$/.test(value);
  return isText && Number.isSafeInteger(Number(value)) ? Number(value) : value;
}
