import type { Node, NodeAPI } from "node-red";
import type { ConnectionCredentials } from "../../common/fields/config-nodes.ts";
import {
  bindingsPath,
  bindKey,
  boundTo,
  connectionBinding,
  originalId,
  subflowProperty,
} from "../../common/keys/binding.ts";
import { isInEnvironment, notFromEnvironment, type Setting } from "../../common/keys/destination.ts";
import { type CodedError, nodeError, toCodedError } from "../../common/shared/errors.ts";
import { isReference } from "../../common/shared/variables.ts";
import { addressesOf, type Destination, strayAddress } from "./addresses.ts";

/** The addresses that the typed key of a connection may be sent to; undefined where they are not stored. */
export function typedFor(RED: NodeAPI, id: string): readonly string[] | undefined {
  return isReference(writtenKey(RED, id) ?? "")
    ? undefined
    : boundTo(bindingsPath(RED), connectionBinding(id));
}

function writtenKey(RED: NodeAPI, id: string): string | undefined {
  return ((RED.nodes.getCredentials(id) ?? {}) as ConnectionCredentials).apiKey?.trim();
}

/**
 * Why the key of a connection must not be sent. A typed key only goes to the addresses it was typed for, a key from the
 * environment only to addresses from the environment: no change of the flow can redirect it.
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
  const { baseUrl, graphqlUrl, proxy } = destination;
  const inSubflow = subflowProperty(node, "crec-connection", [baseUrl, graphqlUrl, proxy]);
  const addresses = addressesOf(destination);
  try {
    bindKey(bindingsPath(RED), { id: connectionBinding(id), stored, addresses, inSubflow });
    return undefined;
  } catch (thrown) {
    return toCodedError(thrown);
  }
}

function strayKey(written: string, stray: Setting): CodedError {
  return nodeError(
    "KEY_NEEDS_CONFIRMATION",
    `The API key comes from the environment variable ${written}, but ${notFromEnvironment(stray)}. Nothing was sent. Set the addresses in the environment of this machine too, or enter the key.`,
  );
}
