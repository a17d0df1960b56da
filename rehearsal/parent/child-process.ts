import { type ChildProcess, execFile, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { constants, setPriority } from "node:os";
import { dirname } from "node:path";
import type { Duplex, Readable } from "node:stream";
import { promisify } from "node:util";
import { CrecError } from "../../src/errors.ts";
import { visible } from "../report/words.ts";
import type { ChildSetup } from "../shared/job.ts";
import {
  DESCRIPTORS,
  FROM_CHILD,
  NO_PIPE,
  readMessages,
  type ToChild,
  type ToParent,
  writeMessage,
} from "../shared/messages.ts";
import { permissionFlags } from "./installed-node-red.ts";
import type { ReportFile } from "./report-file.ts";

/** Of one process. `memoryMb` is for what JavaScript holds; the whole process may have `OTHER_MEMORY_MB` more. */
export type Limits = { timeMs: number; memoryMb: number };

export type Child = {
  pid: number | undefined;
  send(message: ToChild): Promise<void>;
  /** Ends it at once. `why` is the error that `ended` rejects with. */
  kill(why?: CrecError): void;
  /** Resolves when the process has ended and nothing more is read. Rejects with the error of what ended it early. */
  ended: Promise<void>;
};

/** Code, buffers and WebAssembly. */
const OTHER_MEMORY_MB = 256;
/** On macOS, a look starts a program. */
const LOOK_MS = process.platform === "linux" ? 250 : 1_000;
/** Of its error output: what is read at most, and what is kept of it. Node.js writes there when it fails, and nothing else. */
const MAX_ERROR_BYTES = 2 ** 20;
const TAIL_LENGTH = 8_192;

/** Options of Node.js that keep more closed, where it has them. */
const CLOSING = ["--no-addons", "--disable-sigusr1"];

/**
 * Starts the process, with an empty environment, and passes its messages on.
 * @param report the file for its report
 * @throws {CrecError} `REHEARSAL_ENDED`, where the system has no pipe for it.
 */
export function startChild(
  program: string,
  setup: ChildSetup,
  report: ReportFile,
  limits: Limits,
  onMessage: (message: ToParent) => void,
): Child {
  const args = [...nodeFlags(program, setup, limits), program, JSON.stringify(setup)];
  const child = spawn(process.execPath, args, {
    cwd: setup.workFolder,
    env: {},
    // On Windows, a pipe of another kind waits with each write until something is read. Elsewhere it is the same.
    stdio: ["ignore", "ignore", "pipe", "overlapped", report.descriptor],
    windowsHide: true,
  });
  const closing = closed(child);
  // `ended` reports it.
  closing.catch(() => {});
  // Node.js gives none where the system opens no more files, against its types.
  const pipe = (child.stdio as typeof child.stdio | undefined)?.[DESCRIPTORS.pipe] as Duplex | undefined;
  if (!pipe) throw notStarted(new Error("the system opens no more files"));
  let why: CrecError | undefined;
  const kill = (error?: CrecError) => {
    why ??= error;
    child.kill("SIGKILL");
  };
  // A write to a process that has just ended fails; what ended it is reported when it closes.
  pipe.on("error", () => {});
  const onWrong = () => kill(wrote());
  const onMessageGuarded = guarded(onMessage, onWrong);
  readMessages<ToParent>(pipe, FROM_CHILD, { onMessage: onMessageGuarded, onWrong, onEnd: () => {} });
  const ended = end(child, closing, report, limits, kill, () => why);
  // It may never be waited for, where the start fails after this.
  ended.catch(() => {});
  return { pid: child.pid, send: (message) => writeMessage(pipe, message), kill, ended };
}

function nodeFlags(program: string, setup: ChildSetup, { memoryMb }: Limits): string[] {
  const { nodeRed, packageFolder, workFolder, modules } = setup;
  const known = process.allowedNodeEnvironmentFlags;
  return [
    ...permissionFlags({ nodeRed, packageFolder, workFolder, modules, program: dirname(program) }),
    ...CLOSING.filter((flag) => known.has(flag)),
    `--max-old-space-size=${memoryMb}`,
    "--no-warnings",
  ];
}

/** Waits for the end, within the limits. */
async function end(
  child: ChildProcess,
  closing: ReturnType<typeof closed>,
  report: ReportFile,
  limits: Limits,
  kill: (error: CrecError) => void,
  why: () => CrecError | undefined,
): Promise<void> {
  const errors = child.stderr ? tailOf(child.stderr, () => kill(wrote())) : () => "";
  const late = setTimeout(() => kill(tooLong(limits)), limits.timeMs);
  const { pid } = child;
  const endGuard = pid === undefined ? () => {} : endWithParent(pid);
  const stopWatching = pid === undefined ? () => {} : watch(pid, report, limits, kill);
  const onExit = () => void child.kill("SIGKILL");
  process.once("exit", onExit);
  try {
    const [code, signal] = await closing;
    const error = why();
    if (error) throw error;
    if (/heap out of memory|Allocation failed/i.test(errors())) throw outOfMemory(limits);
    if (code === NO_PIPE) throw noPipe();
    if (code !== 0) throw endedEarly(signal ?? `exit code ${code}`, errors());
  } finally {
    clearTimeout(late);
    stopWatching();
    endGuard();
    process.off("exit", onExit);
  }
}

function closed(child: ChildProcess): Promise<[code: number | null, signal: NodeJS.Signals | null]> {
  return new Promise((resolve, reject) => {
    child.once("close", (code, signal) => resolve([code, signal]));
    child.once("error", (cause) => reject(notStarted(cause)));
  });
}

/** Looks from time to time what it uses, since Node.js has no limit for it. */
function watch(
  pid: number,
  report: ReportFile,
  limits: Limits,
  kill: (error: CrecError) => void,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const look = async () => {
    if (await report.isTooLarge().catch(() => true)) kill(wrote());
    if ((await memoryOf(pid)) > limits.memoryMb + OTHER_MEMORY_MB) kill(outOfMemory(limits));
    if (!isOver) lookLater();
  };
  const lookLater = () => {
    timer = setTimeout(() => void look(), LOOK_MS);
  };
  lookLater();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/** What a flow writes must not end this process, whatever it is. */
function guarded(onMessage: (message: ToParent) => void, onWrong: () => void): (message: ToParent) => void {
  return (message) => {
    try {
      onMessage(message);
    } catch {
      onWrong();
    }
  };
}

/** Reads a stream up to its limit. @returns what gives its end */
function tailOf(stream: Readable, onTooMuch: () => void): () => string {
  let read = 0;
  let tail = Buffer.alloc(0);
  stream.on("data", (chunk: Buffer) => {
    read += chunk.length;
    if (read > MAX_ERROR_BYTES) {
      stream.destroy();
      onTooMuch();
    } else tail = Buffer.concat([tail, chunk]).subarray(-TAIL_LENGTH);
  });
  return () => tail.toString("utf8");
}

/** Gives the process a lower priority. */
export function yieldToOthers(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended already, or the system does not allow it.
  }
}

function tooLong({ timeMs }: Limits): CrecError {
  return new CrecError(
    "REHEARSAL_TOO_LONG",
    `The rehearsal took longer than ${Math.round(timeMs / 1000)} s and was ended. Choose a shorter span or fewer tabs. If it takes long with few events, look for an endless loop in a function node.`,
  );
}

function outOfMemory({ memoryMb }: Limits): CrecError {
  return new CrecError(
    "REHEARSAL_OUT_OF_MEMORY",
    `The rehearsal needed more than ${memoryMb} MB of memory and was ended. Choose a shorter span or fewer tabs, or look for a node that keeps all messages.`,
  );
}

function endedEarly(how: string, tail: string): CrecError {
  const said = lastWords(tail);
  return new CrecError(
    "REHEARSAL_ENDED",
    `The process of the rehearsal ended before its report (${how})${said === "" ? "" : `: ${said}`}. A node of the flow or of a ticked palette may have ended it. Rehearse fewer tabs to find which one.`,
  );
}

/** The error where something else came than a message or a report. It never quotes what was written. */
export function wrote(): CrecError {
  return new CrecError(
    "REHEARSAL_ENDED",
    "The process of the rehearsal sent something that is not a message or a report, and was ended. A function node or a ticked palette may have written it. Rehearse fewer tabs to find which one.",
  );
}

/** On a version of Node.js that asks for one permission more. */
function noPipe(): CrecError {
  return new CrecError(
    "REHEARSAL_ENDED",
    `Node.js ${process.version} keeps the process of the rehearsal from its parent. Run Node-RED with Node.js 22 or 24 to rehearse.`,
  );
}

function notStarted(cause: unknown): CrecError {
  return new CrecError(
    "REHEARSAL_ENDED",
    `The process of the rehearsal could not be started (${(cause as Error).message}). Check the free memory of the machine and its limit of open files, then try again.`,
    { cause },
  );
}

/** The line that names the error, of a stack trace of Node.js. A flow can write one like it: it is no more than text. */
function lastWords(tail: string): string {
  const lines = tail.split("\n").map((line) => line.trim());
  const line = lines.findLast((text) => /^(?:\w*Error|FATAL ERROR)\b/.test(text)) ?? "";
  return visible(line.slice(0, 300)).replace(/\.$/, "");
}

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

/**
 * The memory of a process that is in RAM, in MB. 0 where the system does not say it: Windows has no way without a
 * program that takes longer than this may.
 */
export async function memoryOf(pid: number, platform: NodeJS.Platform = process.platform): Promise<number> {
  if (platform === "linux") {
    const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
  }
  if (platform !== "darwin") return 0;
  const { stdout } = await promisify(execFile)("/bin/ps", ["-o", "rss=", "-p", String(pid)]).catch(() => ({
    stdout: "",
  }));
  return Number(stdout.trim()) / 1024 || 0;
}
