import { bareName, cutAtWord, splitNames } from "../shared/text.ts";
import type { ConfigNode, EditedNode } from "./api.ts";
import { shortAddress } from "./lookups/addresses.ts";

/** Characters of a label, so that a node leaves room for others beside it. */
const LONGEST = 32;

/** A label that is cut at a word if it is long. */
export function shortLabel(text: string): string {
  return cutAtWord(text, LONGEST);
}

/** What a chosen config node is called; empty if none is chosen. */
export function configName(id: unknown): string {
  const config = RED.nodes.node(String(id ?? ""));
  return config ? shortAddress(RED.utils.getNodeLabel(config)) : "";
}

/** The events in a field, as `Transfer +1`; empty if a message or a variable names them. */
export function eventsIn(node: EditedNode, field: string): string {
  if ((node[`${field}Type`] || "str") !== "str") return "";
  return withCount(splitNames(String(node[field] ?? "")).map(bareName));
}

/** The first of several names, and how many more there are. */
export function withCount([first = "", ...more]: readonly string[]): string {
  return more.length > 0 ? `${first} +${more.length}` : first;
}

/** Has the labels of all nodes drawn again that use a config node: they may hold its name. */
export function redrawUsers(config: ConfigNode): void {
  if (!Array.isArray(config.users)) return;
  for (const user of config.users as Array<{ dirty?: boolean }>) user.dirty = true;
}
