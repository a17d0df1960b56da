import type { Node, NodeAPI } from "node-red";
import { shortText, toCodedError } from "../lib/errors.ts";
import { showStatus } from "../lib/status.ts";
import { SeenMemory } from "./seen.ts";
import { rememberOf, seenPath, type VerifyEventDef } from "./settings.ts";

/**
 * The memory of a node that lets each event through once. It is read at the deploy, so that a person learns then
 * what is wrong with it; the function given back waits for that, and tries again where it failed.
 */
export function openMemory(RED: NodeAPI, node: Node, def: VerifyEventDef): () => Promise<SeenMemory> {
  let memory: SeenMemory | undefined;
  const onTrouble = (message: string): void => {
    node.warn(message);
    showStatus(node, "trouble", "verify-event.status.memory");
  };
  const ready = async (): Promise<SeenMemory> => {
    memory ??= new SeenMemory({ path: seenPath(RED, node.id), most: rememberOf(def), onTrouble });
    await memory.load();
    return memory;
  };
  ready().catch((thrown: unknown) => {
    const error = toCodedError(thrown);
    node.warn(error.message);
    showStatus(node, "trouble", shortText(error));
  });
  node.on("close", (done: () => void) => {
    (memory?.close() ?? Promise.resolve()).then(done, done);
  });
  return ready;
}
