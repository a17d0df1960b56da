import { join } from "node:path";
import type { Node, NodeAPI } from "node-red";
import type { ConnectionCredentials } from "../../lib/runtime/config-nodes.ts";
import { type CodedError, nodeError, toCodedError } from "../../lib/shared/errors.ts";
import { isReference } from "../../lib/shared/variables.ts";
import { addressesOf, type Destination, strayAddress } from "./addresses.ts";
import { bindKey, boundTo } from "./binding.ts";

/** In the user directory, so that it is kept where the credentials are. */
function bindingsPath(RED: NodeAPI): string | undefined {
  const { userDir } = RED.settings;
  return userDir === undefined ? undefined : join(userDir, "crec-keys.json");
}

/** Inside a subflow a node has an id of its own, and the credentials of the node it was made from. */
export function originalId(node: { id: string; _alias?: string }): string {
  return node._alias ?? node.id;
}

/** The addresses that the typed key of a connection may go to, as far as they were noted. */
export function typedFor(RED: NodeAPI, id: string): readonly string[] | undefined {
  return isReference(writtenKey(RED, id) ?? "") ? undefined : boundTo(bindingsPath(RED), id);
}

function writtenKey(RED: NodeAPI, id: string): string | undefined {
  return ((RED.nodes.getCredentials(id) ?? {}) as ConnectionCredentials).apiKey?.trim();
}

/**
 * Why the key of a connection must not be sent, whatever has changed the flow: a key that was typed goes to the
 * addresses it was typed for, one from the environment to addresses from there.
 */
export function keyProblem(
  RED: NodeAPI,
  node: Node<ConnectionCredentials>,
  destination: Destination,
): CodedError | undefined {
  const id = originalId(node);
  const stored = node.credentials?.apiKey ?? "";
  const written = writtenKey(RED, id) ?? stored;
  if (isReference(written) && isInEnvironment(stored.trim())) {
    const stray = strayAddress(destination, process.env);
    return stray === undefined ? undefined : strayKey(written, stray);
  }
  try {
    bindKey(bindingsPath(RED), { id, stored, addresses: addressesOf(destination) });
    return undefined;
  } catch (thrown) {
    return toCodedError(thrown);
  }
}

/** Under any name: a flow can give a variable of the environment another one. */
function isInEnvironment(key: string): boolean {
  return Object.values(process.env).some((value) => value?.trim() === key);
}

function strayKey(written: string, address: string): CodedError {
  return nodeError(
    "KEY_NEEDS_CONFIRMATION",
    `The API key comes from the environment by ${written}, and ${address} does not. Nothing was sent. Take all of them from variables of the environment, or type the key in.`,
  );
}
