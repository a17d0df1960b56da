import { storedCredential } from "../common/admin/deployed.ts";
import type { NodeRedContext } from "../common/context.ts";
import type { SignerNode } from "../common/fields/config-nodes.ts";
import { bindingsPath, bindKey, originalId, subflowProperty } from "../common/keys/binding.ts";
import {
  type Destination,
  isInEnvironment,
  notFromEnvironment,
  type Setting,
  strayAddress,
} from "../common/keys/destination.ts";
import { type CodedError, nodeError, toCodedError } from "../common/shared/errors.ts";
import { labelKey } from "../common/shared/field-rules.ts";
import { isReference } from "../common/shared/variables.ts";
import { NODE, type SecretName } from "./fields.ts";
import type { KeyService } from "./key-services.ts";
import { ownAddresses, receiversOf } from "./transport-options.ts";
import { type SignerValues, shownSecrets } from "./values.ts";

/**
 * Why the secrets of a signer must not be sent to its key service. What was typed only goes to the address it was typed
 * for. What the environment or the machine supplies only goes to an address from the environment, or of the provider. No
 * change of the flow can redirect them.
 */
export function secretsProblem(
  context: NodeRedContext,
  node: SignerNode,
  { service, values, destination }: { service: KeyService; values: SignerValues; destination: Destination },
): CodedError | undefined {
  const stray = strayAddress(destination, process.env, ownAddresses(service, values));
  const ambient = service.ambientSecret?.(values);
  if (ambient !== undefined && stray !== undefined) return straySecret(ambient, stray);
  const addresses = receiversOf(service, values, destination);
  const { urls, proxy } = destination;
  const inSubflow = subflowProperty(node, "crec-signer", [...urls, proxy]);
  for (const name of shownSecrets(values)) {
    const problem = problemOf(context, node, { name, stray, addresses, inSubflow });
    if (problem) return problem;
  }
  return undefined;
}

type Asked = {
  name: SecretName;
  stray: Setting | undefined;
  addresses: readonly string[];
  inSubflow: string | undefined;
};

function problemOf(
  context: NodeRedContext,
  node: SignerNode,
  { name, stray, addresses, inSubflow }: Asked,
): CodedError | undefined {
  const stored = String(node.credentials?.[name] ?? "");
  if (stored === "") return undefined;
  const id = originalId(node);
  const key = `"${context.t(labelKey(NODE, name))}" of this signer`;
  const written = storedCredential(context.RED.nodes, id, name) ?? stored;
  if (isReference(written) && isInEnvironment(stored.trim()))
    return stray === undefined ? undefined : straySecret(key, stray);
  try {
    const words = { key, enter: "enter it again in the signer" };
    bindKey(bindingsPath(context.RED), { id: `${id} ${name}`, stored, addresses, words, inSubflow });
    return undefined;
  } catch (thrown) {
    return toCodedError(thrown);
  }
}

function straySecret(secret: string, stray: Setting): CodedError {
  return nodeError(
    "KEY_NEEDS_CONFIRMATION",
    `${secret} does not come from the form, and ${notFromEnvironment(stray)}. Nothing was sent. Set the address in the environment of this machine too, or enter what the signer needs to log in.`,
  );
}
