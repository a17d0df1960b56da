import type { NodeAPI } from "node-red";
import { textIn } from "../../common/admin/answer.ts";
import {
  concealing,
  deployedCredential,
  deployedVariable,
  requireVariable,
} from "../../common/admin/deployed.ts";
import type { NodeRedContext, Translate } from "../../common/context.ts";
import { proxyProblem } from "../../common/fields/proxy-and-tls.ts";
import { strayAddress } from "../../common/keys/destination.ts";
import { nodeError } from "../../common/shared/errors.ts";
import { credentialsOf, labelKey } from "../../common/shared/field-rules.ts";
import {
  isChosen,
  isReference,
  requireSet,
  STORED_PASSWORD,
  withoutMark,
} from "../../common/shared/variables.ts";
import { NODE, type SecretName } from "../fields.ts";
import { keyServiceOf } from "../key-services.ts";
import type { DeployedSigner } from "../open-signer.ts";
import {
  destinationOf,
  ownAddresses,
  receiversOf,
  type TransportOptions,
  transportOptions,
} from "../transport-options.ts";
import { type SignerValues, shownSecrets, valuesOf, valuesProblem } from "../values.ts";

type Fields = Readonly<Record<string, unknown>>;

type TestedSigner = {
  values: SignerValues;
  way: TransportOptions;
  /** Takes out of a sentence what a variable stands for. */
  conceal(sentence: string): string;
};

/**
 * The settings of a form, deployed or not. What is stored, which the author of the request may not know, is only used
 * where the deployed signer sends it.
 * @throws DEPLOY_FIRST, SIGNER_INCOMPLETE, KEY_MISSING, VARIABLE_MISSING, CONFIG_NODE_DISABLED, CONFIG_NODE_DELETED, PROXY_INCOMPLETE
 */
export function testedSigner(context: NodeRedContext, fields: Fields): TestedSigner {
  const id = textIn(fields.id);
  const node = context.RED.nodes.getNode(id) as Partial<DeployedSigner> | null;
  const deployed = node?.signer ? node : null;
  const secrets = credentialsOf(NODE);
  const read = (name: string): string => {
    const typed = textIn(fields[name]);
    if (name in secrets) return secretText(context, deployed, name, typed);
    return isReference(typed)
      ? requireVariable(deployedVariable(context.RED, id, name, typed), typed)
      : typed;
  };
  const values = valuesOf(read);
  for (const name of shownSecrets(values)) {
    // Its box shows dots, and there is nothing behind them.
    if (textIn(fields[name]) === STORED_PASSWORD && values.secret(name) === "")
      throw notStored(context.t, name);
  }
  const problem = valuesProblem(values, (key) => context.t(key), { isOpen: true });
  if (problem) throw problem;
  const way = testedWay(context.RED.nodes, fields);
  const stored = shownSecrets(values).filter((name) => !isTyped(textIn(fields[name])));
  requireSameReceivers(deployed, {
    values,
    way,
    usesStored: stored.some((name) => values.secret(name) !== ""),
  });
  const { addressField = "" } = keyServiceOf(values.kind) ?? {};
  const written = textIn(fields[addressField]);
  const value = addressField === "" ? "" : values.text(addressField);
  return { values, way, conceal: concealing([{ written, value }]) };
}

function isTyped(text: string): boolean {
  return text !== STORED_PASSWORD && !isReference(text);
}

/** @throws DEPLOY_FIRST, KEY_MISSING, VARIABLE_MISSING */
function secretText(
  context: NodeRedContext,
  deployed: Partial<DeployedSigner> | null,
  name: string,
  typed: string,
): string {
  if (isTyped(typed)) return withoutMark(typed);
  if (isReference(typed))
    requireVariable(deployedCredential(context.RED, deployed?.id ?? "", name, typed), typed);
  return requireSet(withoutMark(String(deployed?.credentials?.[name] ?? "").trim()));
}

function testedWay(nodes: NodeAPI["nodes"], fields: Fields): TransportOptions {
  const chosen = (value: unknown) => (isChosen(textIn(value)) ? textIn(value) : "");
  const [tls, proxy] = [chosen(fields.tls), chosen(fields.proxy)];
  if (tls !== "" && !nodes.getNode(tls)) throw deployFirst("TLS configuration");
  if (proxy !== "" && !nodes.getNode(proxy)) throw deployFirst("proxy");
  const problem = proxyProblem(nodes, proxy, "signer");
  if (problem) throw problem;
  return transportOptions(nodes, { tls, proxy });
}

/** @throws KEY_MISSING, KEY_NEEDS_CONFIRMATION */
function requireSameReceivers(
  deployed: Partial<DeployedSigner> | null,
  { values, way, usesStored }: { values: SignerValues; way: TransportOptions; usesStored: boolean },
): void {
  const service = keyServiceOf(values.kind);
  if (service === undefined) return;
  // A variable counts as the text of the request: only a deployed signer is known to have its address from one.
  const destination = destinationOf(service, values, way, (resolved) => resolved);
  const ambient = service.ambientSecret?.(values);
  const isStray = strayAddress(destination, {}, ownAddresses(service, values)) !== undefined;
  if (!usesStored && (ambient === undefined || !isStray)) return;
  const { problem } = deployed?.signer ?? {};
  if (problem?.code === "KEY_NEEDS_CONFIRMATION") throw problem;
  const known = deployed?.receivers ?? [];
  if (receiversOf(service, values, destination).every((one) => known.includes(one))) {
    if (!isStray || ambient === undefined || ambient === deployed?.ambient) return;
  }
  throw nodeError(
    "KEY_MISSING",
    "The address of the key service is not the one that is deployed. Enter the secrets of the signer again, or deploy first: what is stored, or comes from the environment, is only sent to the address it was set up for.",
  );
}

function notStored(t: Translate, name: SecretName): Error {
  const label = t(labelKey(NODE, name));
  return nodeError("SIGNER_INCOMPLETE", `Enter "${label}" again: the deployed signer does not have it.`);
}

function deployFirst(noun: string): Error {
  return nodeError("DEPLOY_FIRST", `The ${noun} is not deployed yet. Deploy it, then try again.`);
}
