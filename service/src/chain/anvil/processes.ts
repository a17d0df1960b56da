import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ServiceProblem } from "../../errors.ts";
import type { Log } from "../../log.ts";

/** The two processes of a running chain. */
type ChainProcess = "anvil" | "watchdog";

/**
 * Whether a process is the one that was recorded; `unknown` where the system does not show what the process is, such as
 * without `/proc` and `ps`.
 */
type Identity = "same" | "other" | "unknown";

const NAMES: readonly ChainProcess[] = ["anvil", "watchdog"];

const LOG_AFTER_MS = 2000;
const LOOK_MS = 20;
/** How long a process that may be the watchdog is awaited: a watchdog ends in seconds, another process may run for ever. */
const UNKNOWN_MS = 15_000;

/** Where a process's state and start are in its `stat` file, after its name. */
const STATE = 0;
const START = 19;

/**
 * Waits until the watchdog of a killed service has saved its chain and ended it; a chain without one is ended. A process
 * that is not one of the two is left alone.
 *
 * @throws ServiceProblem when a process may be the watchdog and does not end, and the system does not show what it is.
 */
export async function awaitPredecessor(
  folder: string,
  log: Log,
  { identityOf = identify, unknownMs = UNKNOWN_MS } = {},
): Promise<void> {
  const start = Date.now();
  const watchdog = recordedPid(folder, "watchdog");
  const isWatchdog = watchdog === undefined ? "other" : identityOf(folder, "watchdog", watchdog);
  let logged = false;
  while (watchdog !== undefined && isWatchdog !== "other" && isAlive(watchdog)) {
    if (isWatchdog === "unknown" && Date.now() - start > unknownMs) throw mayStillSave(folder, watchdog);
    if (!logged && Date.now() - start > LOG_AFTER_MS) {
      logged = true;
      log.info("Waiting until the chain's state is saved: an earlier service ended before that.");
    }
    await sleep(LOOK_MS);
  }
  const anvil = recordedPid(folder, "anvil");
  const isAnvil = anvil === undefined ? "other" : identityOf(folder, "anvil", anvil);
  if (anvil !== undefined && (isAnvil === "unknown" || (isAnvil === "same" && !(await end(anvil))))) {
    log.warn(
      `Process ${anvil} may be the anvil of an earlier service. It writes nothing, and is left alone: this system does not show what it is, or it is of another user. If it is an anvil, end it.`,
    );
  }
  forget(folder);
}

/** Ends an anvil, which writes nothing itself: there is nothing to damage. False where it is of another user. */
async function end(pid: number): Promise<boolean> {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    // It may have ended by itself at this moment.
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
  while (isAlive(pid)) await sleep(LOOK_MS);
  return true;
}

/** Writes down which process it is: its id, and beside it when it started, where that is known. */
export function record(folder: string, name: ChainProcess, pid: number): void {
  // First: a start that is of another id says that the id is not the recorded one.
  const start = startOf(pid);
  if (start === undefined) rmSync(startFile(folder, name), { force: true });
  else writeFileSync(startFile(folder, name), `${pid} ${start}`);
  writeFileSync(pidFile(folder, name), String(pid));
}

export function forget(folder: string): void {
  for (const name of NAMES) {
    for (const file of [pidFile(folder, name), startFile(folder, name)]) rmSync(file, { force: true });
  }
}

/** The id that was written down, where a process of this id runs now. */
export function recordedPid(folder: string, name: ChainProcess): number | undefined {
  const pid = Number(textOf(pidFile(folder, name)));
  return Number.isSafeInteger(pid) && pid > 0 && isAlive(pid) ? pid : undefined;
}

/** Ids are used again: whether the process of a recorded id is still the one that was written down. */
function identify(folder: string, name: ChainProcess, pid: number): Identity {
  const start = startOf(pid);
  const recorded = textOf(startFile(folder, name));
  if (start !== undefined && recorded !== undefined && recorded !== `${pid} ${start}`) return "other";
  const commandLine = readCommandLine(pid);
  if (commandLine === undefined) return isAlive(pid) ? "unknown" : "other";
  // Both are started with the folder's name.
  return commandLine.includes(folder) ? "same" : "other";
}

/** The file with the id of a process. */
export function pidFile(folder: string, name: ChainProcess): string {
  return join(folder, `${name}.pid`);
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

/** Linux shows it as a file, also where there is no `ps`. */
function readCommandLine(pid: number): string | undefined {
  const shown = textOf(`/proc/${pid}/cmdline`);
  if (shown !== undefined) return shown.replaceAll("\0", " ");
  try {
    const [program, args] = commandLineOf(pid);
    const stdio = ["ignore", "pipe", "ignore"] as ["ignore", "pipe", "ignore"];
    return execFileSync(program, args, { encoding: "utf8", windowsHide: true, stdio });
  } catch {
    return undefined;
  }
}

function startFile(folder: string, name: ChainProcess): string {
  return join(folder, `${name}.start`);
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** Whether a process of this id runs. A zombie counts as gone. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // It is of another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  // Only Linux shows it.
  return statOf(pid)?.[STATE] !== "Z";
}

/** When a process started, in ticks since the system did: with its id, that is one process. Only Linux shows it. */
export function startOf(pid: number): string | undefined {
  return statOf(pid)?.[START];
}

/** `pid (name) state …`; the name may contain anything. */
function statOf(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}

function mayStillSave(folder: string, pid: number): ServiceProblem {
  return new ServiceProblem(
    `Process ${pid} may still save the local chain in ${folder} for an earlier service, and two must not write there. This system does not show what it is: there is no /proc, and ${process.platform === "win32" ? "PowerShell" : "ps"} does not answer. Start again when it has ended. If it is another program, remove ${pidFile(folder, "watchdog")} first.`,
  );
}
