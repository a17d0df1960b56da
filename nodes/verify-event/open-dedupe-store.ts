import type { Node, NodeAPI } from "node-red";
import type { FileDedupeStore, SeenKeys } from "../../src/index.ts";
import { isInFlows } from "../common/fields/flow-settings.ts";
import { LeasedStore } from "../common/folder/leased-store.ts";
import { stateFiles } from "../common/folder/state-files.ts";
import { isStateInMemory } from "../common/folder/state-folder.ts";
import { loadLibrary } from "../common/library.ts";
import { errorText } from "../common/messages/error-texts.ts";
import { toCodedError } from "../common/shared/errors.ts";
import { errorStatus, showStatus, statusText } from "../common/status/status.ts";
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
    showStatus(node, "error", statusText(RED._, "verify-event.status.memory"));
  };
  const make = async (): Promise<Store> => {
    const maxKeys = fields.number("remember");
    const library = await loadLibrary();
    if (isStateInMemory()) return inMemory(new library.SeenKeys(maxKeys));
    return new library.FileDedupeStore({ path, maxKeys, onWarning, files: stateFiles });
  };
  const held = fields.flag("firstTimeOnly") ? new LeasedStore(RED, make) : undefined;
  const close = async (isRemoved: boolean): Promise<void> => {
    await held?.close();
    if (isRemoved && !isInFlows(RED.nodes, node)) await stateFiles.rm(path, { force: true });
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
    if (error.code === "FOLDER_IN_USE")
      return showStatus(node, "stopped", statusText(RED._, "verify-event.status.standby"));
    node.warn(errorText(error));
    showStatus(node, "error", errorStatus(error));
  });
  return ready;
}

/** As the one in a file, but forgotten with the process. */
function inMemory(keys: SeenKeys): Store {
  const nothing = async () => {};
  return { accept: (key, details = {}) => keys.accept(key, details).result, load: nothing, close: nothing };
}
