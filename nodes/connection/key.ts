import type { Node, NodeAPI } from "node-red";
import { PUBLIC_BASE_URL, PUBLIC_GRAPHQL_URL } from "../../src/protocol/limits.ts";
import { storedCredential } from "../common/admin/deployed.ts";
import type { NodeRedContext } from "../common/context.ts";
import type { ConnectionCredentials } from "../common/fields/config-nodes.ts";
import { isDisabled, storedValue } from "../common/fields/flow-settings.ts";
import {
  bindingsPath,
  bindKey,
  boundTo,
  connectionBinding,
  originalId,
  subflowProperty,
} from "../common/keys/binding.ts";
import * as common from "../common/keys/destination.ts";
import { isInEnvironment, type Setting } from "../common/keys/destination.ts";
import { type CodedError, nodeError, toCodedError } from "../common/shared/errors.ts";
import { isReference } from "../common/shared/variables.ts";

/** Where the API key of a connection would be sent. */
export type Destination = Omit<common.Destination, "urls"> & {
  baseUrl: Setting;
  /** Empty without an account URL. */
  graphqlUrl: Setting;
};

/** The API key of a connection that has none of its own. */
type EnvironmentKey = {
  variable: string;
  value: string;
  /** What follows the names of its variables: empty, or `_` and the name of the connection. */
  suffix: string;
};

const KEY_VARIABLE = "CREC_API_KEY";
const BASE_URL_VARIABLE = "CREC_BASE_URL";
const GRAPHQL_URL_VARIABLE = "CREC_GRAPHQL_URL";

/**
 * Why the key of a connection must not be sent. A typed key only goes to the addresses it was typed for, a key from the
 * environment only to addresses from the environment: no change of the flow can redirect it.
 */
export function keyProblem(
  context: NodeRedContext,
  node: Node<ConnectionCredentials>,
  destination: Destination,
): CodedError | undefined {
  const id = originalId(node);
  const stored = node.credentials?.apiKey ?? "";
  const written = writtenKey(context.RED.nodes, id) ?? stored;
  if (isReference(written) && isInEnvironment(stored.trim())) {
    const stray = strayAddress(destination, process.env);
    return stray === undefined ? undefined : strayKey(written, stray);
  }
  const { baseUrl, graphqlUrl, proxy } = destination;
  const inSubflow = subflowProperty(node, "crec-connection", [baseUrl, graphqlUrl, proxy]);
  const addresses = addressesOf(destination);
  try {
    bindKey(bindingsPath(context.RED), { id: connectionBinding(id), stored, addresses, inSubflow });
    return undefined;
  } catch (thrown) {
    return toCodedError(thrown);
  }
}

/** The addresses that the typed key of a connection may be sent to; undefined where they are not stored. */
export function typedFor(context: NodeRedContext, id: string): readonly string[] | undefined {
  return isReference(writtenKey(context.RED.nodes, id) ?? "")
    ? undefined
    : boundTo(bindingsPath(context.RED), connectionBinding(id));
}

function writtenKey(nodes: NodeAPI["nodes"], id: string): string | undefined {
  return ((nodes.getCredentials(id) ?? {}) as ConnectionCredentials).apiKey?.trim();
}

function strayKey(written: string, stray: Setting): CodedError {
  return nodeError(
    "KEY_NEEDS_CONFIRMATION",
    `The API key comes from the environment variable ${written}, but ${common.notFromEnvironment(stray)}. Nothing was sent. Set the addresses in the environment of this machine too, or enter the key.`,
  );
}

/**
 * The key that the process has for a connection of this name, else for any; undefined if neither is set. Variables of a
 * flow, a group or a subflow are not read.
 */
export function environmentKey(name: string): EnvironmentKey | undefined {
  for (const suffix of new Set([suffixOf(name), ""])) {
    const variable = `${KEY_VARIABLE}${suffix}`;
    const value = fromProcess(variable);
    if (value !== "") return { variable, value, suffix };
  }
  return undefined;
}

/** The same for a deployed connection; undefined if it has a stored key. */
export function environmentKeyOf(nodes: NodeAPI["nodes"], id: string): EnvironmentKey | undefined {
  return storedCredential(nodes, id, "apiKey") ? undefined : environmentKey(nameOf(nodes, id));
}

/**
 * Why such a key must not be sent: the environment, not the flow, says which addresses it is for. Or two connections
 * would have the key that is meant for one.
 */
export function environmentKeyProblem(
  nodes: NodeAPI["nodes"],
  { variable, suffix }: EnvironmentKey,
  { id, name }: { id: string; name: string },
  destination: Destination,
): CodedError | undefined {
  const other = suffix === "" ? undefined : otherWith(nodes, suffix, id);
  if (other !== undefined) {
    return nodeError(
      "CONNECTION_INCOMPLETE",
      `The connections "${name}" and "${other}" would both take their API key from ${variable}. Nothing was sent. Rename one of them, or enter its key, and deploy all flows.`,
    );
  }
  const hasPublic = suffix === "";
  const baseUrlVariable = `${BASE_URL_VARIABLE}${suffix}`;
  const variables = [baseUrlVariable, `${GRAPHQL_URL_VARIABLE}${suffix}`];
  const own = variables.map(fromProcess).filter((address) => address !== "");
  const known = hasPublic ? [...own, PUBLIC_BASE_URL, PUBLIC_GRAPHQL_URL] : own;
  const stray = common.strayAddress(onlyKnown(destination), process.env, known);
  if (stray === undefined) return undefined;
  // What a variable in the flow stands for is not shown.
  const { baseUrl, graphqlUrl, proxy } = destination;
  const { written = stray.resolved } =
    [baseUrl, graphqlUrl, proxy].find((one) => one?.resolved === stray.resolved) ?? {};
  const isUnset = !hasPublic && fromProcess(baseUrlVariable) === "";
  const advice = isUnset ? `${baseUrlVariable} is not set: set it, correct` : "Correct";
  return nodeError(
    "KEY_NEEDS_CONFIRMATION",
    `The connection has no stored API key, and the one in ${variable} is not sent to ${written}, only to ${hasPublic ? "the public service and " : ""}the addresses in ${variables.join(" and ")}. Nothing was sent. ${advice} the address or these variables, take a proxy from a variable, or enter the key.`,
  );
}

/** A URL must be one of those for this key, not of just any variable. */
function onlyKnown(destination: Destination): ReturnType<typeof withUrls> {
  const { urls, ...way } = withUrls(destination);
  return { urls: urls.map(({ resolved }) => ({ written: "", resolved })), ...way };
}

/** The name of another connection that takes its key from the same variable. */
function otherWith(nodes: NodeAPI["nodes"], suffix: string, id: string): string | undefined {
  const ids: string[] = [];
  nodes.eachNode((node) => {
    if (node.type === "crec-connection" && node.id !== id) ids.push(node.id);
  });
  const other = ids.find(
    (one) => environmentKeyOf(nodes, one)?.suffix === suffix && !isDisabled(nodes, { id: one }),
  );
  return other === undefined ? undefined : nameOf(nodes, other);
}

/** As it is written: a flow can set what a variable in it stands for. */
export function nameOf(nodes: NodeAPI["nodes"], id: string): string {
  return String(storedValue(nodes, id, "name") ?? "").trim();
}

/** `Plant A (new)` becomes `_PLANT_A_NEW`. */
function suffixOf(name: string): string {
  const words = name.toUpperCase().match(/[A-Z0-9]+/g) ?? [];
  return words.map((word) => `_${word}`).join("");
}

function fromProcess(variable: string): string {
  return (process.env[variable] ?? "").trim();
}

/** Everything that can read a key which is sent, for comparing. */
export function addressesOf(destination: Destination): string[] {
  return common.addressesOf(withUrls(destination));
}

/** The first address that a key from the environment must not be sent to. */
export function strayAddress(
  destination: Destination,
  environment: Readonly<Record<string, string | undefined>>,
): Setting | undefined {
  return common.strayAddress(withUrls(destination), environment, [PUBLIC_BASE_URL, PUBLIC_GRAPHQL_URL]);
}

/** The same as for any secret. */
function withUrls({ baseUrl, graphqlUrl, ...way }: Destination): common.Destination {
  return { urls: [baseUrl, graphqlUrl], ...way };
}
