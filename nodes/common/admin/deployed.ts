import type { NodeAPI } from "node-red";
import { type FlowNodes, storedValue } from "../fields/flow-settings.ts";
import { nodeError } from "../shared/errors.ts";
import { isReference, variableMissing } from "../shared/variables.ts";

/** What `${NAME}` in a field stands for. */
export type Variable =
  | { state: "set"; value: string }
  | { state: "unset" }
  /** The deployed node does not name this variable in this field, so it must not be read. */
  | { state: "undeployed" };

/** Of Node-RED: its nodes, and how it replaces variables in them. */
type Running = Pick<NodeAPI, "nodes" | "util">;

/**
 * Whether the deployed node has exactly this text in this field. Only then may a request use what Node-RED made of it:
 * a reference that is only in a request could read any variable of this machine.
 */
export function isDeployedWith(nodes: FlowNodes, id: string, field: string, text: string): boolean {
  return storedValue(nodes, id, field) === text;
}

/** What a variable stands for in a field of a deployed node, in the environment of that node's flow. */
export function deployedVariable(running: Running, id: string, field: string, reference: string): Variable {
  return isDeployedWith(running.nodes, id, field, reference)
    ? variableOf(running, id, reference)
    : { state: "undeployed" };
}

/** The same for a credential, which is never part of a flow. */
export function deployedCredential(running: Running, id: string, field: string, reference: string): Variable {
  return storedCredential(running.nodes, id, field) === reference
    ? variableOf(running, id, reference)
    : { state: "undeployed" };
}

/** A credential as it is stored, before Node-RED replaces variables; undefined if the node has no such credential. */
export function storedCredential(
  nodes: Pick<NodeAPI["nodes"], "getCredentials">,
  id: string,
  field: string,
): string | undefined {
  const stored: unknown = nodes.getCredentials(id);
  const value =
    typeof stored === "object" && stored !== null && Object.hasOwn(stored, field)
      ? (stored as Record<string, unknown>)[field]
      : undefined;
  return typeof value === "string" ? value.trim() : undefined;
}

function variableOf({ nodes, util }: Running, id: string, reference: string): Variable {
  const node = nodes.getNode(id);
  if (!node || !isReference(reference)) return { state: "undeployed" };
  // As Node-RED replaces it in a node: the text between the braces is one name, even `A}${B`.
  const value: unknown = util.getSetting(node, reference.slice(2, -1));
  const text = typeof value === "object" ? JSON.stringify(value) : String(value ?? "");
  return text.trim() === "" ? { state: "unset" } : { state: "set", value: text.trim() };
}

/** @throws DEPLOY_FIRST, VARIABLE_MISSING */
export function requireVariable(variable: Variable, reference: string): string {
  if (variable.state === "undeployed") return deployFirst(reference);
  if (variable.state === "unset") throw variableMissing(reference.slice(2, -1));
  return variable.value;
}

/** @throws DEPLOY_FIRST */
export function deployFirst(reference: string): never {
  throw nodeError(
    "DEPLOY_FIRST",
    `What ${reference} stands for is known once this is deployed: deploy, then try again.`,
  );
}

/**
 * Puts `${NAME}` in place of an address that it stands for: a sentence must not show what is in the environment.
 * @param addresses as the form has them, and what they stand for
 */
export function concealing(
  addresses: ReadonlyArray<{ written: string; value: string }>,
): (sentence: string) => string {
  const hidden = addresses.flatMap(({ written, value }) => {
    if (!isReference(written) || value === "") return [];
    const { href, host, hostname } = URL.canParse(value)
      ? new URL(value)
      : { href: value, host: value, hostname: value };
    return [value, href, host, hostname].map((part) => [part, written] as const);
  });
  return (sentence) =>
    hidden.reduce((text, [part, written]) => (part === "" ? text : text.replaceAll(part, written)), sentence);
}
