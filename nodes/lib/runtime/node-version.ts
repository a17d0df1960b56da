import type { Node, NodeAPI, NodeDef } from "node-red";
import { nodeError } from "../shared/errors.ts";
import { toldError, useLanguageOf } from "./error-texts.ts";

/** Put in by the build: the lowest version that `engines` in package.json allows. */
declare const MINIMUM_NODE: string;

// Built into a file of its own, which runs before any other code of a node, on whatever Node.js there is: nothing
// here may be newer than what Node.js 18 has.

/** What a node's file exports: Node-RED calls it with its API. */
type Register = (RED: NodeAPI) => void;

let isLogged = false;

/**
 * What a node's file exports where Node.js is too old for the node: a type that does nothing but say so, in the log,
 * in its status and to whatever sends it a message. Undefined where Node.js is new enough.
 */
export function tooOldFor(type: string, version = process.versions.node): Register | undefined {
  if (!isOlder(version, MINIMUM_NODE)) return undefined;
  const english = `These nodes need Node.js ${MINIMUM_NODE} or newer; this is ${version}. Update Node.js.`;
  return (RED) => {
    useLanguageOf(RED);
    const error = toldError(nodeError("NODEJS_TOO_OLD", english));
    const sentence = error.message;
    // All nodes' files load this one: one line in the log is enough.
    if (!isLogged) RED.log.error(`CRE Connect: ${sentence}`);
    isLogged = true;
    function ConstructIdle(this: Node, def: NodeDef): void {
      RED.nodes.createNode(this, def);
      this.status({ fill: "red", shape: "ring", text: sentence });
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
