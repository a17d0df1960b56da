import { spawn } from "node:child_process";
import type { Socket } from "node:net";

/** Waits for the end of its input, which comes when its parent is gone in any way, and then ends another process. */
const PROGRAM = 'trap "" HUP INT TERM; read -r _; kill -KILL "$1"';

/**
 * Ends a process when this one is gone, also where this one was killed and the other is in an endless loop, which sees
 * nothing. On Windows, the system does that for all child processes of Node.js. Where there is no shell, the next start
 * does it.
 *
 * @returns what ends the guard. To be called when the process has ended: its id may be given to another then.
 */
export function endWithParent(pid: number): () => void {
  if (process.platform === "win32") return () => {};
  // Apart from the terminal: what ends this process by it must not end the guard.
  const guard = spawn("/bin/sh", ["-c", PROGRAM, "sh", String(pid)], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    cwd: "/",
    env: {},
  });
  guard.on("error", () => {});
  // Where the system opens no more files, it has none, against its types.
  const input = guard.stdin as Socket | undefined;
  input?.on("error", () => {});
  input?.unref();
  guard.unref();
  return () => void guard.kill("SIGKILL");
}
