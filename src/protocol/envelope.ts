import { type ChannelEvent, EVENT_TYPES, eventTypeOf, idOfUnnamed } from "./events.ts";
import { canonicalId } from "./ids.ts";

/**
 * Nested fields whose content the service defines. The content of any other field belongs to the user, such as
 * `service_config` and `metadata`, or is not known to this version: there, `null` can have a meaning.
 */
const DEFINED_BY_SERVICE: ReadonlySet<string> = new Set([
  "transactions",
  "preview_snapshot",
  "abi",
  "inputs",
  "components",
  "initiator",
  "signer",
  "canceller",
]);
/** Deeper than any of these fields is nested. Deeper values stay as they are. */
const MAX_DEPTH = 64;

/** A copy of a resource without its fields that are `null`: some versions write `null` for an absent field. */
export function withoutNulls(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, depth + 1));
  // Most have none, and this is the work of each event that is read: a copy of all fields is four times as fast.
  const copy: Record<string, unknown> = Object.values(value).includes(null) ? filled(value) : { ...value };
  for (const name of DEFINED_BY_SERVICE)
    if (Object.hasOwn(copy, name)) copy[name] = withoutNulls(copy[name], depth + 1);
  return copy;
}

function filled(value: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, content]) => content !== null));
}

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
