import type { Node, NodeAPI } from "node-red";
import { type FolderState, LOCK_TIMES } from "../common/folder/folder-lock.ts";
import { errorStatus, showStatus, statusText } from "../common/status/status.ts";

/** Shows that a node waits for its folder. Tells whether it does. */
export function showFolder(RED: NodeAPI, node: Node, state: FolderState): boolean {
  if (state.kind === "error") showStatus(node, "error", errorStatus(state.error));
  else if (state.kind === "elsewhere") {
    const { isAlive } = state;
    const key = `events-in.status.${isAlive ? "folder-in-use" : "folder-silent"}`;
    showStatus(node, isAlive ? "stopped" : "waiting", statusText(RED._, key, heldBy(state)));
  } else return false;
  return true;
}

/** Returns the function that logs every unusual state of the folder. */
export function folderNotices(RED: NodeAPI, folder: string): (state: FolderState) => void {
  let waits = false;
  return (state) => {
    if (state.kind === "elsewhere") {
      waits = true;
      const say = (text: string) => `[events in] ${RED._(text, { folder, ...heldBy(state) })}`;
      if (state.lost) RED.log.warn(say("events-in.warning.folder-lost"));
      else if (state.isAlive) RED.log.warn(say("events-in.warning.folder-in-use"));
      // As after a crash. No action is needed.
      else RED.log.info(say("events-in.log.folder-silent"));
    } else if (state.kind === "held") {
      if (waits) RED.log.info(`[events in] ${RED._("events-in.log.folder-free", { folder })}`);
      waits = false;
    }
  };
}

function heldBy({ holder }: FolderState & { kind: "elsewhere" }) {
  const { host = "?", pid = 0, since = "?" } = holder ?? {};
  return { host, pid, since: since.replace(/\.\d+Z$/, "Z"), seconds: LOCK_TIMES.staleMs / 1000 };
}
