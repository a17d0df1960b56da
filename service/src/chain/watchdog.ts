// Saves the chain's state, and ends anvil when the service is gone. The service has the other end of the IPC
// channel, which the system closes however the service ends, even by `kill -9`. So a stop and a kill end the same way.
import { setTimeout as sleep } from "node:timers/promises";
import { type SaveReport, SnapshotSaver } from "./anvil/snapshot-saver.ts";
import { isAlive } from "./process.ts";

/** Orders of the service: which anvil to end, then its URL once it answers, and to end it now. */
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
  else saver = new SnapshotSaver({ ...order, folder, report });
});
process.on("disconnect", () => void end());
// The service may be gone already. Its earlier messages are handled first.
setImmediate(() => {
  if (!process.connected) void end();
});
// Signals to the whole process group are meant for the service, which ends this process.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});

function report(result: SaveReport): void {
  // The service may be gone.
  if (process.connected) process.send?.(result, undefined, undefined, () => undefined);
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
