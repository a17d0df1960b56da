import type { NodeAPI } from "node-red";
import { processWide } from "../process-wide.ts";
import { cutAtWord } from "../shared/cut-text.ts";
import { migrateState } from "./migrate-state.ts";
import { prepareFolder } from "./shared-folder.ts";
import { permitted } from "./state-files.ts";
import { stateFolder, stateFolderFor } from "./state-folder.ts";

const LONGEST_NAMES = 500;

/** Folders of which the log has said why they are used. */
const said = processWide("said-folders", () => new Set<string>());

/**
 * The folder whose lock decides which process uses the state folder. What lies in former places is moved there when
 * this process gets the lock, and the log says so.
 */
export function lockedStateFolder(RED: NodeAPI): string {
  const folder = stateFolder(RED);
  const { path, chosenBy } = folder;
  const locked = stateFolderFor(RED, "cursors");
  if (chosenBy !== "default" && !said.has(path)) {
    said.add(path);
    log(RED, "info", "common.log.state-folder", { path, why: RED._(`common.state-folder.${chosenBy}`) });
  }
  if (folder.former.length > 0) {
    prepareFolder(locked, async (signal, onWait) => {
      const taken = await permitted(path, () => migrateState(folder, { signal, onWait }));
      for (const { from, moved, left } of taken) {
        if (moved > 0) log(RED, "info", "common.log.state-moved", { count: moved, from, to: path });
        const names = cutAtWord(left.join(", "), LONGEST_NAMES);
        if (left.length > 0) log(RED, "warn", "common.warning.state-left", { count: left.length, names });
      }
    });
  }
  return locked;
}

function log(
  RED: NodeAPI,
  level: "info" | "warn",
  key: string,
  values: Record<string, string | number>,
): void {
  RED.log[level](`[crec] ${RED._(key, values)}`);
}
