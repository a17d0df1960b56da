import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isAlive, startOf } from "../process.ts";

/** The two processes of a running chain. */
type ChainProcess = "anvil" | "watchdog";

/**
 * Whether a process is the one that was recorded; `unknown` where the system does not show what the process is, such as
 * without `/proc` and `ps`.
 */
type Identity = "same" | "other" | "unknown";

const NAMES: readonly ChainProcess[] = ["anvil", "watchdog"];

/** The file with the id of a process. */
export function pidFile(folder: string, name: ChainProcess): string {
  return join(folder, `${name}.pid`);
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
export function identify(folder: string, name: ChainProcess, pid: number): Identity {
  const start = startOf(pid);
  const recorded = textOf(startFile(folder, name));
  if (start !== undefined && recorded !== undefined && recorded !== `${pid} ${start}`) return "other";
  const commandLine = readCommandLine(pid);
  if (commandLine === undefined) return isAlive(pid) ? "unknown" : "other";
  // Both are started with the folder's name.
  return commandLine.includes(folder) ? "same" : "other";
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
