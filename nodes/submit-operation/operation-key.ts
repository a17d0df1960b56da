import { eventIn } from "../common/messages/event-message.ts";
import type { CrecMessage } from "../common/messages/message.ts";
import { isTest } from "../common/messages/message.ts";
import { isObject } from "../common/shared/collections.ts";
import { nodeError } from "../common/shared/errors.ts";
import type { OnceFor } from "./fields.ts";

/** Who asks for the key, and how it counts messages as the same. */
type KeyOptions = {
  onceFor: OnceFor;
  /** The same on each copy of the flow and after each restart; another in each instance of a subflow. */
  nodeId: string;
  /** Of the library. */
  eventKeyOf: (dedupeKey: string) => string;
};

/** Deeper than any flow splits; a message may also hold itself. */
const DEEPEST = 32;

/**
 * The key under which the operation of a message is sent: messages with the same key execute once. `undefined` for an
 * operation that nothing else is the same as. A key of the flow's own counts with each setting, since it was set so
 * that the operation is not repeated.
 * @throws INVALID_FIELD for a key that is not usable: without one, every message would execute;
 * OPERATION_KEY_MISSING where the form requires one
 */
export function operationKeyOf(msg: CrecMessage, options: KeyOptions): string | undefined {
  const own = ownKeyOf(msg);
  if (own !== undefined) return own;
  if (options.onceFor === "key") throw keyMissing();
  return options.onceFor === "event" ? eventKeyIn(msg, options) : undefined;
}

/** Whether a message is about an event that has no key: its proof was not checked, or it never has one. */
export function isUnproven(msg: CrecMessage): boolean {
  return eventIn(msg) !== undefined && dedupeKeyIn(msg) === undefined;
}

/** `event 16015286601757825753:0x…:3, part 0/2, node 1f2e3d4c5b6a7980` */
function eventKeyIn(msg: CrecMessage, { nodeId, eventKeyOf }: KeyOptions): string | undefined {
  const dedupeKey = dedupeKeyIn(msg);
  // A test must not use up the one time that the event is acted on.
  if (dedupeKey === undefined || isTest(msg)) return undefined;
  const path = partsOf(msg).map(escaped).join("/");
  const part = path === "" ? "" : `, part ${path}`;
  return `event ${escaped(eventKeyOf(dedupeKey))}${part}, node ${escaped(nodeId)}`;
}

function dedupeKeyIn({ crec }: CrecMessage): string | undefined {
  const key = crec?.dedupeKey;
  return typeof key === "string" && key !== "" ? key : undefined;
}

/**
 * The positions of a message that was split from that of its event, the outermost first. The ids of the sequences are
 * random. The sequence in which the event itself came, such as the answer of a search, does not count: the next search
 * finds it at another position.
 */
function partsOf({ parts, crec }: CrecMessage): string[] {
  const path: string[] = [];
  let level = parts as Partial<Record<"id" | "index" | "parts", unknown>> | undefined;
  for (let depth = 0; depth < DEEPEST && typeof level === "object" && level !== null; depth++) {
    if (level.id !== undefined && level.id === crec?.eventParts) break;
    const { index } = level;
    path.unshift(typeof index === "number" || typeof index === "string" ? String(index) : "-");
    level = level.parts as typeof level;
  }
  return path;
}

/** So that no two lists of texts give the same key. */
function escaped(text: string): string {
  return text.replace(/[%,/]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
}

function ownKeyOf({ crec }: CrecMessage): string | undefined {
  // One that is there and undefined is a mistake of the flow, not a wish for no key.
  if (!isObject(crec) || !Object.hasOwn(crec, "operationKey")) return undefined;
  const key = crec.operationKey;
  if (typeof key === "string" && key.trim() !== "") return key;
  if (typeof key === "number" && Number.isSafeInteger(key)) return String(key);
  const message =
    typeof key === "number"
      ? `msg.crec.operationKey is the number ${key}, which may be rounded, so another key could become the same. Give it as text.`
      : "msg.crec.operationKey must be text or a whole number, and not empty. Set it to an id of what the operation is about, such as an order number, or delete it.";
  throw nodeError("INVALID_FIELD", message);
}

function keyMissing(): Error {
  const message =
    "No operation key: this node acts once for each key, and the message has none, so nothing was sent. Set msg.crec.operationKey to an id of what the operation is about, such as an order number.";
  return nodeError("OPERATION_KEY_MISSING", message);
}

/** The messages that a node is working on, by the key that the node made for them. */
export class UnderWay {
  readonly #keys = new Map<CrecMessage, string>();

  /**
   * Whether a message under way has the same key and is a copy of this one, as a function node or a second wire makes
   * them: a flow that means several operations by that gets one. An event that arrives again is another message.
   */
  add(msg: CrecMessage, key: string): boolean {
    const isCopy = [...this.#keys].some(([other, its]) => its === key && other._msgid === msg._msgid);
    this.#keys.set(msg, key);
    return isCopy;
  }

  delete(msg: CrecMessage): void {
    this.#keys.delete(msg);
  }
}
