import type { Node, NodeAPI } from "node-red";
import type { Confidence, EventFilter, EventType } from "../../src/index.ts";
import { eventNames } from "../lib/runtime/event-names.ts";
import { oneOf, readField } from "../lib/runtime/fields.ts";
import { loadLibrary } from "../lib/runtime/library.ts";
import { ADDRESS } from "../lib/shared/address.ts";
import { nodeError } from "../lib/shared/errors.ts";
import { splitNames } from "../lib/shared/split-names.ts";

/** What of the channel is wanted: several in one field with commas between, or a list; an empty one does not restrict. */
export type FilterDef = {
  types?: string[];
  /** Ids or names. */
  watcher?: string;
  watcherType?: string;
  /** Names or signatures of contract events. */
  contractEvent?: string;
  contractEventType?: string;
  address?: string;
  addressType?: string;
  confidence?: "" | Confidence;
};

export type Filters = {
  types: EventType[];
  /** Ids or names: only the service knows which. */
  watchers: string[];
  /** What does not hang on the watcher. */
  filter: EventFilter;
};

/**
 * What a node's form asks for. What no event could meet is refused: the node would pass over all of them.
 * @throws INVALID_FIELD, MISSING_VALUE, VARIABLE_MISSING
 */
export async function filtersOf(RED: NodeAPI, node: Node, def: FilterDef): Promise<Filters> {
  const library = await loadLibrary();
  const several = async (label: string, property: "watcher" | "contractEvent" | "address") => {
    const [value, type] = [def[property], def[`${property}Type`]];
    const found = namesIn(label, await readField(RED, node, {} as never, { label, value, type }));
    if (found.length > 0 || type === undefined || type === "str") return found;
    throw nodeError("MISSING_VALUE", `"${label}" is empty. It was looked for in ${type} ${value}.`);
  };
  const types = namesIn("Only", def.types).flatMap((type) => oneOf("Only", type, library.EVENT_TYPES) ?? []);
  const minConfidence = oneOf("Confidence", def.confidence, library.CONFIDENCES);
  const watchers = await several("Watcher", "watcher");
  const contractEvents = await eventNames(await several("Event", "contractEvent"), "Event");
  const addresses = await several("Address", "address");
  const wrong = addresses.find((address) => !ADDRESS.test(address));
  if (wrong !== undefined) {
    const how = "0x and 40 hexadecimal digits, with commas between several";
    throw nodeError("INVALID_FIELD", `"Address" must be ${how}, not "${wrong}".`);
  }
  return { types, watchers, filter: { contractEvents, addresses, minConfidence } };
}

/** The texts of a list, or of a text with commas between. */
function namesIn(label: string, value: unknown): string[] {
  if (value === undefined || value === null) return [];
  if (typeof value === "string") return splitNames(value);
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) {
    return value.map((one) => one.trim()).filter((one) => one !== "");
  }
  throw nodeError("INVALID_FIELD", `"${label}" must be text with commas between, or a list of texts.`);
}
