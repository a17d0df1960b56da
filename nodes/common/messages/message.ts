import type { NodeMessage } from "node-red";

/** A message as it travels through our nodes. `crec` carries ids and what was found out about them. */
export type CrecMessage = NodeMessage & { crec?: Record<string, unknown>; [key: string]: unknown };

/**
 * A message as a node works with it, whatever a flow wrote into it: `crec` is an object of its own, with values only,
 * or absent. It is the incoming message itself, so that a Catch node gets what the node notes in it, except for a
 * frozen one.
 */
export function takenMessage(incoming: object): CrecMessage {
  const crec = crecOf(incoming);
  const property = { value: crec, writable: true, enumerable: true, configurable: true };
  const isTaken =
    Object.isExtensible(incoming) &&
    (crec ? Reflect.defineProperty(incoming, "crec", property) : Reflect.deleteProperty(incoming, "crec"));
  if (isTaken) return incoming as CrecMessage;
  const { crec: _frozen, ...rest } = valuesOf(incoming);
  return (crec ? { ...rest, crec } : rest) as CrecMessage;
}

/** What a message carries for our nodes; undefined where it is no plain object: a text would be spread into letters. */
export function crecOf(msg: object): Record<string, unknown> | undefined {
  try {
    const crec: unknown = Reflect.get(msg, "crec");
    // Function nodes make objects of another realm.
    return Object.prototype.toString.call(crec) === "[object Object]" ? valuesOf(crec as object) : undefined;
  } catch {
    return undefined;
  }
}

/** A property that throws stays, as undefined: an input that cannot be read must not become that of the form. */
function valuesOf(from: object): Record<string, unknown> {
  const read = (key: PropertyKey): unknown => {
    try {
      return Reflect.get(from, key);
    } catch {
      return undefined;
    }
  };
  return Object.fromEntries(Reflect.ownKeys(from).map((key) => [key, read(key)]));
}
