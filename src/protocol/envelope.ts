import { type ChannelEvent, EVENT_TYPES, eventTypeOf, idOfUnnamed } from "./events.ts";
import { canonicalId } from "./ids.ts";
import { withoutNulls } from "./nulls.ts";

type Fields = Record<string, unknown>;

/**
 * An event of any version of the service in one form: `event_id` also where the service writes `id`; its ids and those of
 * its payload in lower case; type, offset and proofs in `headers`, also where the service has them at the top; no field
 * that is `null`. An event without an id gets `requestedId`, or one made from its offset. Nothing is dropped, and nothing
 * is checked: type and offset may be missing, and the offset may not be a number.
 */
export function envelopeOf(raw: Fields, requestedId?: string): ChannelEvent {
  const event = fieldsOf(raw);
  const headers = fieldsOf(event.headers);
  const type = eventTypeOf(event);
  const offset = wholeNumber(headers.offset ?? event.offset);
  const proofs = headers.proofs ?? event.proofs ?? [];
  const given = [event.event_id, event.id].find((id) => typeof id === "string" && id !== "");
  const byOffset = typeof offset === "number" ? idOfUnnamed(offset) : "";
  return {
    ...event,
    event_id: canonicalId(String(given ?? requestedId ?? byOffset)),
    headers: { ...headers, ...(type === undefined ? {} : { type }), offset, proofs },
    payload: payloadOf(event.payload, type),
  } as ChannelEvent;
}

/** The payload of a type that this version does not know stays as it is. */
function payloadOf(payload: unknown, type: unknown): unknown {
  const isKnown = EVENT_TYPES.some((one) => one === type);
  return (isKnown ? withCanonicalIds(withoutNulls(payload)) : payload) ?? {};
}

/** Its ids are compared with those of resources. */
function withCanonicalIds(payload: unknown): unknown {
  if (typeof payload !== "object" || payload === null || Array.isArray(payload)) return payload;
  let changed: Fields = payload as Fields;
  for (const [name, value] of Object.entries(payload)) {
    if (!name.endsWith("_id") || typeof value !== "string") continue;
    const id = canonicalId(value);
    if (id !== value) changed = { ...changed, [name]: id };
  }
  return changed;
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
