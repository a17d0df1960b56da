import { join } from "node:path";
import type { NodeAPI } from "node-red";
import { isReference } from "../shared/variables.ts";
import type { Setting } from "./from-environment.ts";

/** In the user directory, next to the credentials. */
export function bindingsPath(RED: NodeAPI): string | undefined {
  const { userDir } = RED.settings;
  return userDir === undefined ? undefined : join(userDir, "crec-keys.json");
}

/** A node in a subflow instance has its own id, and the credentials of the original node. */
export function originalId(node: { id: string; _alias?: string }): string {
  return node._alias ?? node.id;
}

/**
 * The type of subflow property that chooses such a node from outside, if a subflow may give this node other addresses in
 * each instance: all instances have one secret, which is bound to the addresses of the first.
 */
export function subflowProperty(
  node: { id: string; _alias?: string },
  type: string,
  addresses: ReadonlyArray<Setting | undefined>,
): string | undefined {
  const isInstance = originalId(node) !== node.id;
  return isInstance && addresses.some((one) => isReference(one?.written ?? "")) ? type : undefined;
}

/**
 * Under what the key of a connection is bound. Bindings of other nodes are named `<id> <field>`: a connection with such an
 * id, which a flow that was written by hand may have, must not replace one of those.
 */
export function connectionBinding(id: string): string {
  return id.replaceAll(/[% ]/g, encodeURIComponent);
}
