import type { Node, NodeAPI } from "node-red";
import type { CrecClientOptions } from "../../../src/index.ts";
import { fieldsOf, textIn } from "../../common/admin/answer.ts";
import {
  deployedCredential,
  deployedVariable,
  requireVariable,
  storedCredential,
} from "../../common/admin/deployed.ts";
import type { NodeRedContext } from "../../common/context.ts";
import type { ConnectionNode } from "../../common/fields/config-nodes.ts";
import { storedValue } from "../../common/fields/flow-settings.ts";
import {
  type ProxyNode,
  proxyOf,
  proxyProblem,
  type TlsNode,
  tlsOptions,
} from "../../common/fields/proxy-and-tls.ts";
import { storedSetting } from "../../common/keys/destination.ts";
import { nodeError } from "../../common/shared/errors.ts";
import {
  isChosen,
  isReference,
  requireSet,
  STORED_PASSWORD,
  withoutMark,
} from "../../common/shared/variables.ts";
import { VERIFICATION_FIELDS } from "../fields.ts";
import {
  addressesOf,
  type Destination,
  environmentKeyOf,
  environmentKeyProblem,
  nameOf,
  typedFor,
} from "../key.ts";

/** What the form sends. `apiKey` is empty or Node-RED's placeholder while the stored key is meant. */
type TestRequest = Partial<
  Record<"id" | "name" | "baseUrl" | "graphqlUrl" | "apiKey" | "tls" | "proxy" | "timeout", unknown>
>;

type Deployed = (Node & Partial<ConnectionNode>) | null;

/** A setting of the form. A variable has no `value` unless the deployed connection has it in the same field. */
export type FormSetting = {
  /** As the form says it: a value or `${NAME}`. This may be shown. */
  written: string;
  /** What it stands for. It must never be shown where it differs from `written`. */
  value: string | undefined;
};

/** The settings of a form that proofs are checked against. */
export type FormVerification = Record<(typeof VERIFICATION_FIELDS)[number], FormSetting>;

/** A person waits for the test, so a longer timeout of the connection does not count here. */
const LONGEST_SECONDS = 10;

/**
 * The settings of a form, deployed or not, as a client takes them.
 * @throws DEPLOY_FIRST, VARIABLE_MISSING, KEY_MISSING
 */
export function testedSettings(context: NodeRedContext, body: TestRequest): CrecClientOptions {
  const id = textIn(body.id);
  const deployed = context.RED.nodes.getNode(id) as Deployed;
  const baseUrl = addressOf(context, id, "baseUrl", textIn(body.baseUrl));
  const graphqlUrl = addressOf(context, id, "graphqlUrl", textIn(body.graphqlUrl));
  const tls = tlsOptions(configNode<TlsNode>(context.RED.nodes, body.tls, "TLS configuration"));
  const proxyNode = configNode<ProxyNode>(context.RED.nodes, body.proxy, "proxy");
  const problem = proxyNode && proxyProblem(context.RED.nodes, proxyNode.id);
  if (problem) throw problem;
  const seconds = Number(textIn(body.timeout) || LONGEST_SECONDS);
  return {
    baseUrl,
    apiKey: keyFor(context, deployed, body, {
      baseUrl,
      graphqlUrl,
      tls,
      ...proxySetting(context, proxyNode),
    }),
    timeoutMs: Math.min(seconds > 0 ? seconds : LONGEST_SECONDS, LONGEST_SECONDS) * 1000,
    maxAttempts: 1,
    ...(graphqlUrl === "" ? {} : { graphqlUrl }),
    ...(tls ? { tls } : {}),
    proxy: proxyOf(proxyNode),
  };
}

type Addresses = { baseUrl: string; graphqlUrl: string };

type KeyTarget = Addresses & Omit<Destination, keyof Addresses>;

/**
 * An address of the form; of a variable its value, if the deployed connection has the same variable in the same field.
 * @throws DEPLOY_FIRST, VARIABLE_MISSING
 */
function addressOf(context: NodeRedContext, id: string, field: keyof Addresses, typed: string): string {
  return isReference(typed) ? requireVariable(deployedVariable(context.RED, id, field, typed), typed) : typed;
}

/**
 * The key to test with. A typed key goes to any address. The deployed key, which the author of the request may not
 * know, goes to the addresses of the deployed connection only. That of the environment, for a connection without a key,
 * goes where the environment says, once it is deployed.
 */
function keyFor(context: NodeRedContext, deployed: Deployed, body: TestRequest, target: KeyTarget): string {
  const typed = textIn(body.apiKey);
  const isMeantAsStored = typed === "" || typed === STORED_PASSWORD;
  if (isReference(typed))
    requireVariable(deployedCredential(context.RED, textIn(body.id), "apiKey", typed), typed);
  else if (!isMeantAsStored) return typed;
  const stored = deployed?.connection && deployed.credentials?.apiKey;
  if (!stored) return environmentKeyFor(context.RED.nodes, body, target);
  const { problem } = deployed.connection ?? {};
  if (problem?.code === "KEY_NEEDS_CONFIRMATION") throw problem;
  if (isStoredFor(context, deployed, body, target) && isSameWay(context.RED.nodes, deployed, body))
    return withoutMark(requireSet(stored));
  if (isReference(typed)) {
    const message =
      "A key from the environment is only sent to the addresses that it is deployed with. Deploy the changed addresses first, or enter the key.";
    throw nodeError("DEPLOY_FIRST", message);
  }
  throw nodeError(
    "KEY_MISSING",
    "The address was changed. Enter the API key again: a stored key is only sent to the address it was entered for.",
  );
}

/** @throws KEY_MISSING, CONNECTION_INCOMPLETE, KEY_NEEDS_CONFIRMATION */
function environmentKeyFor(nodes: NodeAPI["nodes"], body: TestRequest, target: KeyTarget): string {
  const [id, name] = [textIn(body.id), textIn(body.name)];
  const isNode = storedValue(nodes, id, "type") === "crec-connection";
  const isDeployed = isNode && nameOf(nodes, id) === name && hasSameWay(nodes, id, body);
  const given = isDeployed ? environmentKeyOf(nodes, id) : undefined;
  if (!given) {
    throw nodeError(
      "KEY_MISSING",
      "Enter the API key first. One from the environment is only tested with the deployed name, TLS and proxy.",
    );
  }
  const problem = environmentKeyProblem(nodes, given, { id, name }, destinationOf(body, target));
  if (problem) throw problem;
  return given.value;
}

function destinationOf(body: TestRequest, { baseUrl, graphqlUrl, ...way }: KeyTarget): Destination {
  return {
    baseUrl: { written: textIn(body.baseUrl), resolved: baseUrl },
    graphqlUrl: { written: textIn(body.graphqlUrl), resolved: graphqlUrl },
    ...way,
  };
}

function proxySetting(context: NodeRedContext, node: ProxyNode | null): Pick<Destination, "proxy"> {
  return node ? { proxy: storedSetting(context.RED, node.id, "url", node.url ?? "") } : {};
}

/** Whether the key would only go to addresses of the deployed connection. The account URL may be empty. */
function isStoredFor(
  context: NodeRedContext,
  { id, connection }: NonNullable<Deployed>,
  body: TestRequest,
  target: KeyTarget,
): boolean {
  const { baseUrl, graphqlUrl = "" } = connection ?? {};
  if (target.baseUrl !== baseUrl || !["", graphqlUrl].includes(target.graphqlUrl)) return false;
  const bound = typedFor(context, id);
  const addresses = addressesOf(destinationOf(body, target));
  return bound === undefined || addresses.every((address) => bound.includes(address));
}

/**
 * Whether requests go the way that the deployed connection uses. Only asked for a key from the environment: for any
 * other, the addresses that it is bound to also name TLS and proxy where these matter. With any problem of the connection
 * it is not known whether such a key may be sent to its addresses.
 */
function isSameWay(
  nodes: NodeAPI["nodes"],
  { id, connection }: NonNullable<Deployed>,
  body: TestRequest,
): boolean {
  if (!isReference(storedCredential(nodes, id, "apiKey") ?? "")) return true;
  return !connection?.problem && hasSameWay(nodes, id, body);
}

function hasSameWay(nodes: NodeAPI["nodes"], id: string, body: TestRequest): boolean {
  const chosen = (value: unknown) => (isChosen(textIn(value)) ? textIn(value) : "");
  return (["tls", "proxy"] as const).every(
    (field) => chosen(body[field]) === chosen(storedValue(nodes, id, field)),
  );
}

/** A config node of Node-RED itself, which exists at run time only after a deploy. */
function configNode<T extends Node>(nodes: NodeAPI["nodes"], id: unknown, noun: string): T | null {
  const chosen = textIn(id);
  if (!isChosen(chosen)) return null;
  const node = nodes.getNode(chosen) as T | null;
  if (node) return node;
  throw nodeError("DEPLOY_FIRST", `The ${noun} is not deployed yet. Deploy it, then test again.`);
}

export function formVerification(context: NodeRedContext, body: unknown): FormVerification {
  const fields = fieldsOf(body);
  const settings = VERIFICATION_FIELDS.map((field) => [
    field,
    settingOf(context, textIn(fields.id), field, textIn(fields[field])),
  ]);
  return Object.fromEntries(settings) as FormVerification;
}

function settingOf(context: NodeRedContext, id: string, field: string, written: string): FormSetting {
  if (!isReference(written)) return { written, value: written };
  const variable = deployedVariable(context.RED, id, field, written);
  return { written, value: variable.state === "set" ? variable.value : undefined };
}
