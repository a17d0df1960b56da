import type { NodeAPI } from "node-red";
import { nodeError } from "../errors.ts";

/** A value that is wholly `${NAME}`, as Node-RED takes it from the environment. */
const REFERENCE = /^\$\{\S+\}$/;

export function isReference(text: string): boolean {
  return REFERENCE.test(text);
}

/**
 * Whether the deployed node stands with exactly this text in this field. Only then may a request use what
 * Node-RED made of it: a reference that merely stands in a request could read any variable of this machine.
 */
export function isDeployedWith(RED: NodeAPI, id: string, field: string, text: string): boolean {
  let found = false;
  RED.nodes.eachNode((node) => {
    if (node.id === id) found = (node as unknown as Record<string, unknown>)[field] === text;
  });
  return found;
}

/** @throws DEPLOY_FIRST */
export function deployFirst(reference: string): never {
  throw nodeError(
    "DEPLOY_FIRST",
    `What ${reference} stands for is known once this is deployed: deploy, then try again.`,
  );
}
