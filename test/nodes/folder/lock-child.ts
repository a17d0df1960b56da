/**
 * A process that uses a folder, and works there as long as it may: `<name> <number>` in the file `work`, a line a step.
 * Says by message what its lock says. The message "stop" ends it in order, any other step is its own.
 */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { FolderLease } from "../../../nodes/common/folder/folder-lease.ts";
import { FolderLock, type FolderState, type LockTimes } from "../../../nodes/common/folder/folder-lock.ts";

const [folder = "", name = "", times = ""] = process.argv.slice(2);

async function work(folderLease: FolderLease): Promise<void> {
  // biome-ignore lint/plugin: work that goes on until the folder is lost
  for (let step = 1; !folderLease.over.aborted; step += 1) {
    try {
      await folderLease.confirm();
      appendFileSync(join(folder, "work"), `${name} ${step}\n`);
    } catch {}
    // biome-ignore lint/plugin: as above
    await sleep(5);
  }
  process.send?.({ kind: "worked" });
}

const lock = new FolderLock(
  join(folder, ".in-use"),
  (state: FolderState) => {
    const { kind } = state;
    if (kind === "held") void work(state.lease);
    if (kind === "elsewhere")
      process.send?.({ kind, pid: state.holder?.pid, lost: state.lost, isAlive: state.isAlive });
    else process.send?.(kind === "error" ? { kind, message: state.error.message } : { kind });
  },
  JSON.parse(times) as LockTimes,
);
process.on("message", async () => {
  await lock.stop();
  process.exit(0);
});
// Whoever started it is gone.
process.on("disconnect", () => process.exit(1));
lock.start();
