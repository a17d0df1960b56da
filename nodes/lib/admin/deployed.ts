import type { NodeAPI } from "node-red";
import { storedValue } from "../runtime/flow-settings.ts";
import { nodeError } from "../shared/errors.ts";
import { variableMissing } from "../shared/variables.ts";

/** Variables that are there for us, by their name. */
const OURS = /^\$\{(CREC_\w+)\}$/;
/** What a variable is asked for, and the names that hold something else which must not be used as that. */
const NOT_MEANT = {
  key: /SIGNER|PRIVATE|SECRET|PASSWORD|CREDENTIAL/i,
  setting: /KEY|SIGNER|PRIVATE|SECRET|PASSWORD|CREDENTIAL/i,
} as const;

export function isOwnReference(text: string): boolean {
  return OURS.test(text);
}

/**
 * What `${CREC_…}` stands for, before anything is deployed. The operator of Node-RED has set variables of this prefix
 * for our nodes; a request for any other could read what is nobody's business here. Not even one of these is used
 * for what its name does not say: a signer's key never goes out as an API key or as an address.
 * @throws DEPLOY_FIRST, VARIABLE_MISSING
 */
export function ownVariable(reference: string, use: keyof typeof NOT_MEANT): string {
  const name = OURS.exec(reference)?.[1];
  if (name === undefined || NOT_MEANT[use].test(name)) return deployFirst(reference);
  const value = process.env[name]?.trim();
  if (value) return value;
  throw variableMissing(name);
}

/**
 * Whether the deployed node stands with exactly this text in this field. Only then may a request use what
 * Node-RED made of it: a reference that merely stands in a request could read any variable of this machine.
 */
export function isDeployedWith(RED: NodeAPI, id: string, field: string, text: string): boolean {
  return storedValue(RED, id, field) === text;
}

/** @throws DEPLOY_FIRST */
export function deployFirst(reference: string): never {
  throw nodeError(
    "DEPLOY_FIRST",
    `What ${reference} stands for is known once this is deployed: deploy, then try again.`,
  );
}
