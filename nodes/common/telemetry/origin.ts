import type { Node } from "node-red";
import type { Origin } from "./types.ts";

/** Node-RED keeps these without public names. */
type Placed = Node & { _alias?: string; _flow?: { path?: string } };

/** Where the editor finds a node. */
export function originOf(node: Node): Origin {
  const { id, z, type, name, _alias, _flow } = node as Placed;
  // The path of a flow names the tab, and then each subflow instance.
  const [tab] = _flow?.path?.split("/") ?? [];
  const isConfig = z === undefined || z === "";
  return { node: _alias ?? id, flow: isConfig ? "" : tab || z, type, label: labelOf({ name, type }) };
}

/** What a person calls a node: its name, else its type as in the palette, such as `events in`. */
export function labelOf({ name, type }: { name?: string | undefined; type: string }): string {
  return name || typeWords(type);
}

/** `events in` for `crec-events-in`. */
export function typeWords(type: string): string {
  return type.startsWith("crec-") ? type.slice("crec-".length).replaceAll("-", " ") : type;
}
