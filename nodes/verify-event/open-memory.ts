import type { Node, NodeAPI } from "node-red";
import { showStatus } from "../lib/runtime/status.ts";
import { shortText, toCodedError } from "../lib/shared/errors.ts";
import { SeenMemory } from "./seen.ts";
import { removeEntries } from "./seen-file.ts";
import { rememberOf, seenPath, type VerifyEventDef } from "./settings.ts";

/**
 * The memory of a node that lets each event through once; undefined for one that does not. It is read at the
 * deploy, so that a person learns then what is wrong with it; the function given back waits for that, and tries
 * again where it failed. Its file goes when the node is removed.
 */
export function openMemory(
  RED: NodeAPI,
  node: Node,
  def: VerifyEventDef,
): (() => Promise<SeenMemory>) | undefined {
  let memory: SeenMemory | undefined;
  const onProblem = (message: string): void => {
    node.warn(message);
    showStatus(node, "error", "verify-event.status.memory");
  };
  const ready = async (): Promise<SeenMemory> => {
    memory ??= new SeenMemory({ path: seenPath(RED, node.id), most: rememberOf(def), onProblem });
    await memory.load();
    return memory;
  };
  const close = async (isRemoved: boolean): Promise<void> => {
    await memory?.close();
    if (isRemoved && !isInFlows(RED, node.id)) await removeEntries(seenPath(RED, node.id));
  };
  node.on("close", (isRemoved: boolean, done: () => void) => {
    close(isRemoved)
      .catch((thrown: unknown) => node.warn(toCodedError(thrown).message))
      .then(done);
  });
  if (!def.firstTimeOnly) return undefined;
  ready().catch((thrown: unknown) => {
    const error = toCodedError(thrown);
    node.warn(error.message);
    showStatus(node, "error", shortText(error));
  });
  return ready;
}

/** A node that is disabled is closed like one that is removed, and goes on where it was once it is enabled again. */
function isInFlows(RED: NodeAPI, wanted: string): boolean {
  let found = false;
  RED.nodes.eachNode(({ id }) => {
    found ||= id === wanted;
  });
  return found;
}
