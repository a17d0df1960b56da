// @ts-check
// Preloaded (`--import`) into each process of a launcher: the process ends in order when its IPC channel closes, by the
// launcher or because the launcher itself has ended in any way.
import { isMainThread } from "node:worker_threads";

/** How long the process may take to end in order, in milliseconds. */
const GRACE_MS = Number(new URL(import.meta.url).searchParams.get("graceMs") ?? 2_000);

function end() {
  // The process's own handler ends it in order, on every platform. Without a handler, it can exit immediately.
  if (!process.emit("SIGTERM", "SIGTERM")) process.exit();
  setTimeout(() => process.kill(process.pid, "SIGKILL"), GRACE_MS).unref();
}

// Worker threads run preloads too, but the channel is the main thread's.
if (isMainThread && process.channel) {
  process.once("disconnect", end);
  // The channel must not keep a process alive that has nothing left to do.
  process.channel.unref();
}
