// Saves the chain's state, and ends anvil when the service is gone. The service has the other end of the IPC
// channel, which the system closes however the service ends, even by `kill -9`. So a stop and a kill end the same way.
import { EventEmitter, once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { isAlive } from "./anvil/processes.ts";
import { type SaveReport, SnapshotSaver } from "./anvil/snapshot-saver.ts";

/** Orders of the service: which anvil to end, its URL once it answers, to read its state, and to end it now. */
export type WatchdogOrder = { pid: number } | { rpcUrl: string } | "read" | "end";
/** What the service hears: that the state is to be read, which needs its order; that it is read; and what was saved. */
export type WatchdogReport = "reads" | "has read" | SaveReport;

/** Where the state is saved. */
const [, , folder = ""] = process.argv;
const GRACE_MS = 1500;
const LOOK_MS = 50;

let pid: number | undefined;
let saver: SnapshotSaver | undefined;
let ending = false;
const service = new EventEmitter();

process.on("message", (order: WatchdogOrder) => {
  if (order === "end") void end();
  else if (order === "read") service.emit("read");
  else if ("pid" in order) pid = order.pid;
  else saver = new SnapshotSaver({ ...order, folder, report, alone });
});
process.on("disconnect", () => {
  // It changes nothing any more.
  service.emit("read");
  void end();
});
// The service may be gone already. Its earlier messages are handled first.
setImmediate(() => {
  if (!process.connected) void end();
});
// Signals to the whole process group are meant for the service, which ends this process.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});

/** While the service changes nothing. */
async function alone<T>(read: () => Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    if (process.connected) {
      const order = once(service, "read", { signal });
      report("reads");
      await order;
    }
    return await read();
  } finally {
    report("has read");
  }
}

function report(result: WatchdogReport): void {
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
