// Saves the chain's state, and ends anvil when the service is gone. The service holds the other end of our channel:
// however it ends, `kill -9` included, the system closes it. So there is one way to end, for a stop and for a kill.
import { setTimeout as sleep } from "node:timers/promises";
import { type SaveReport, SnapshotSaver } from "./anvil/snapshot-saver.ts";
import { isAlive } from "./process.ts";

/** What the service tells: which anvil to end; then, once it answers, where; and to end it now. */
export type WatchdogOrder = { pid: number } | { rpcUrl: string } | "end";

/** Where the state is saved. */
const [, , folder = ""] = process.argv;
const GRACE_MS = 1500;
const LOOK_MS = 50;

let pid: number | undefined;
let saver: SnapshotSaver | undefined;
let ending = false;

process.on("message", (order: WatchdogOrder) => {
  if (order === "end") void end();
  else if ("pid" in order) pid = order.pid;
  else saver = new SnapshotSaver({ ...order, folder, tell });
});
process.on("disconnect", () => void end());
// The service may be gone before we listened. What it sent until then comes first.
setImmediate(() => {
  if (!process.connected) void end();
});
// Meant for the service, when they come to all processes at once: it ends us.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});

function tell(report: SaveReport): void {
  // The service may be gone.
  if (process.connected) process.send?.(report, undefined, undefined, () => undefined);
}

async function end(): Promise<void> {
  if (ending) return;
  ending = true;
  await saver?.finish();
  // Anvil writes nothing by itself: there is nothing to damage.
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    for (let waited = 0; pid !== undefined && isAlive(pid) && waited < GRACE_MS; waited += LOOK_MS) {
      if (waited === 0) process.kill(pid, signal);
      await sleep(LOOK_MS);
    }
  }
  process.exit();
}
