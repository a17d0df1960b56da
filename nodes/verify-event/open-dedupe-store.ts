import { rm } from "node:fs/promises";
import type { Node, NodeAPI } from "node-red";
import type { FileDedupeStore } from "../../src/index.ts";
import { errorText, shortText } from "../lib/runtime/error-texts.ts";
import { isInFlows } from "../lib/runtime/flow-settings.ts";
import { HeldStore } from "../lib/runtime/folder/held-store.ts";
import { loadLibrary } from "../lib/runtime/library.ts";
import { isStateInMemory } from "../lib/runtime/state-in-memory.ts";
import { showStatus } from "../lib/runtime/status.ts";
import { toCodedError } from "../lib/shared/errors.ts";
import { dedupePath, type VerifyEventFields } from "./settings.ts";

type Store = Pick<FileDedupeStore, "accept" | "load" | "close">;

/**
 * The keys that a node with *each event once* has processed; undefined for a node without it. They are read at the
 * deploy, so that errors show then. The returned function waits for that, and tries again after an error. The file is
 * removed with the node.
 */
export function openDedupeStore(
  RED: NodeAPI,
  node: Node,
  fields: VerifyEventFields,
): (() => Promise<Store>) | undefined {
  const path = dedupePath(RED, node.id);
  const onWarning = (message: string): void => {
    node.warn(message);
    showStatus(node, "error", "verify-event.status.memory");
  };
  const make = async (): Promise<Store> => {
    const maxKeys = fields.number("remember");
    if (isStateInMemory()) return inMemory(maxKeys);
    const library = await loadLibrary();
    return new library.FileDedupeStore({ path, maxKeys, onWarning });
  };
  const held = fields.flag("firstTimeOnly") ? new HeldStore(RED, make) : undefined;
  const close = async (isRemoved: boolean): Promise<void> => {
    await held?.close();
    if (isRemoved && !isInFlows(RED, node)) await rm(path, { force: true });
  };
  node.on("close", (isRemoved: boolean, done: () => void) => {
    close(isRemoved)
      .catch((thrown: unknown) => node.warn(errorText(thrown)))
      .then(done);
  });
  if (!held) return undefined;
  const ready = () => held.open();
  ready().catch((thrown: unknown) => {
    const error = toCodedError(thrown);
    // Its events come when this process takes over.
    if (error.code === "FOLDER_IN_USE") return showStatus(node, "stopped", "verify-event.status.standby");
    node.warn(errorText(error));
    showStatus(node, "error", shortText(error));
  });
  return ready;
}

/** As the one in a file, but forgotten with the process. */
function inMemory(maxKeys: number): Store {
  /** Delivery ids by key. The least recently used key comes first. */
  const keys = new Map<string, string>();
  const nothing = async () => {};
  return {
    accept: (key, { id, redelivered } = { id: "", redelivered: false }) => {
      const known = keys.get(key);
      keys.delete(key);
      keys.set(key, known ?? id);
      const [oldest] = keys.keys();
      if (keys.size > maxKeys && oldest !== undefined) keys.delete(oldest);
      return known === undefined || (redelivered && known !== "" && known === id);
    },
    load: nothing,
    close: nothing,
  };
}
