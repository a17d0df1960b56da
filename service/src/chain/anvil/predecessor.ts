import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../../log.ts";
import { isAlive } from "../process.ts";

/** The files with the ids of the two processes of a running chain. */
export const PID_FILES = { anvil: "anvil.pid", watchdog: "watchdog.pid" };

const LOG_AFTER_MS = 2000;
const LOOK_MS = 20;

/** Waits until the watchdog of a killed service has saved its chain and ended it; a chain without one is ended. */
export async function awaitPredecessor(folder: string, log: Log): Promise<void> {
  const start = Date.now();
  let logged = false;
  const watchdog = runningPid(folder, PID_FILES.watchdog);
  while (watchdog !== undefined && isAlive(watchdog)) {
    if (!logged && Date.now() - start > LOG_AFTER_MS) {
      logged = true;
      log.info("Waiting until the chain's state is saved: an earlier service ended before that.");
    }
    await sleep(LOOK_MS);
  }
  const anvil = runningPid(folder, PID_FILES.anvil);
  // It writes nothing itself: there is nothing to damage.
  if (anvil !== undefined) kill(anvil);
  while (anvil !== undefined && isAlive(anvil)) await sleep(LOOK_MS);
  for (const name of Object.values(PID_FILES)) rmSync(join(folder, name), { force: true });
}

/** It may end by itself at this moment. */
function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Process ids are reused: check that it is one of the two processes. Both were started with the folder's name. */
function runningPid(folder: string, pidFile: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(folder, pidFile), "utf8"));
    if (!Number.isSafeInteger(pid) || pid <= 0 || !isAlive(pid)) return undefined;
    const [program, args] = commandLineOf(pid);
    return execFileSync(program, args, { encoding: "utf8", windowsHide: true }).includes(folder)
      ? pid
      : undefined;
  } catch {
    return undefined;
  }
}

/** @internal What prints the command line of a process, as a program and its arguments. */
export function commandLineOf(
  pid: number,
  platform: NodeJS.Platform = process.platform,
): [program: string, args: string[]] {
  if (platform !== "win32") return ["ps", ["-ww", "-o", "command=", "-p", String(pid)]];
  // PowerShell prints in the code page of the console, in which letters of a path may be missing.
  const utf8 = "[Console]::OutputEncoding = [Text.Encoding]::UTF8";
  const query = `(Get-CimInstance Win32_Process -Filter 'ProcessId = ${pid}').CommandLine`;
  return ["powershell.exe", ["-NoProfile", "-NonInteractive", "-Command", `${utf8}; ${query}`]];
}
