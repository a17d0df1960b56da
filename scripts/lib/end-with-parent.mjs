// @ts-check
// Preloaded (`--import`) into every process we start: it ends in order when its IPC channel closes, because the
// launcher asked for that, or because the launcher is no more, however it died.
import { isMainThread } from "node:worker_threads";

/** How long the process may take to end in order, in milliseconds. */
const GRACE_MS = Number(new URL(import.meta.url).searchParams.get("graceMs") ?? 2_000);

function end() {
  // The process's own handler ends it in order, on every platform; without one there is nothing to put in order.
  if (!process.emit("SIGTERM", "SIGTERM")) process.exit();
  setTimeout(() => process.kill(process.pid, "SIGKILL"), GRACE_MS).unref();
}

// Worker threads run preloads too, but the channel is the main thread's.
if (isMainThread && process.channel) {
  process.once("disconnect", end);
  // Listening keeps a process alive, and one that has nothing more to do may end.
  process.channel.unref();
}
