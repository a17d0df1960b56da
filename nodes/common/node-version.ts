import type { Node, NodeAPI, NodeDef } from "node-red";
import { toldError, useLanguageOf } from "./messages/error-texts.ts";
import { nodeError, packageDamaged } from "./shared/errors.ts";

/** Put in by the build: the lowest version that `engines` in package.json allows. */
declare const MINIMUM_NODE: string;

// Built into a file of its own, which runs before any other code of a node, on whatever Node.js there is: nothing
// here may be newer than what Node.js 18 has.

/** What a node's file exports: Node-RED calls it with its API. */
type Register = (RED: NodeAPI) => void;

let isLogged = false;

/**
 * What a node's file exports: what `load` gives. Where Node.js is too old for it, or it cannot be loaded, a type that
 * does nothing but say so: the other nodes of a flow run only if all its types exist.
 */
export function registerOf(
  type: string,
  load: () => Register,
  version: string = process.versions.node,
): Register {
  const error = tooOld(version);
  if (error) return idle(type, error);
  try {
    return load();
  } catch (thrown) {
    return idle(type, packageDamaged("the code of the nodes", thrown));
  }
}

/** The same for a plugin, which is left out: the nodes say why. */
export function pluginOf(load: () => unknown, version: string = process.versions.node): unknown {
  if (tooOld(version)) return {};
  try {
    return load();
  } catch {
    return {};
  }
}

function tooOld(version: string): Error | undefined {
  if (!isOlder(version, MINIMUM_NODE)) return undefined;
  const sentence = `These nodes need Node.js ${MINIMUM_NODE} or newer; this is ${version}. Update Node.js.`;
  return nodeError("NODEJS_TOO_OLD", sentence);
}

/** Says it in the log, in the status, and to whatever sends the node a message. */
function idle(type: string, problem: Error): Register {
  return (RED) => {
    useLanguageOf(RED._);
    const error = toldError(problem);
    const sentence = error.message;
    // All nodes' files load this one: one line in the log is enough.
    if (!isLogged) RED.log.error(`CRE Connect: ${sentence}`);
    isLogged = true;
    function ConstructIdle(this: Node, def: NodeDef): void {
      RED.nodes.createNode(this, def);
      const status = { fill: "red", shape: "ring", text: sentence, code: error.code } as const;
      this.status(status);
      this.error(sentence);
      this.on("input", (_msg, _send, done) => done(error));
    }
    RED.nodes.registerType(type, ConstructIdle);
  };
}

function isOlder(version: string, minimum: string): boolean {
  const [have, need] = [version, minimum].map((text) => text.split(".").map(Number));
  for (let part = 0; part < 3; part += 1) {
    const difference = (have?.[part] || 0) - (need?.[part] || 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
