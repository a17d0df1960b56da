import { type ChildProcess, spawn } from "node:child_process";
import { constants, setPriority } from "node:os";
import { dirname } from "node:path";
import type { Duplex } from "node:stream";
import { CrecError } from "../../src/errors.ts";
import type { ToChild, ToParent } from "../shared/messages.ts";
import type { ChildSetup } from "../shared/setup.ts";
import { readMessages, writeMessage } from "../shared/wire.ts";
import { endWithParent } from "./guard.ts";
import { permissionFlags } from "./permissions.ts";
import { diskUseOf, memoryOf } from "./usage.ts";

/**
 * Of one process. `memoryMb` is for what JavaScript holds; the whole process may have `OTHER_MEMORY_MB` more. `diskMb`
 * is for the work folder.
 */
export type Limits = { timeMs: number; memoryMb: number; diskMb: number };

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
/** Files and folders. */
const MAX_FILES = 10_000;
/** On macOS, a look starts a program. */
const LOOK_MS = process.platform === "linux" ? 250 : 1_000;
/** Of all that it writes to its parent: a report, and many small messages. */
const MAX_WRITTEN_BYTES = 128 * 2 ** 20;
/** Of what it writes to its error output. */
const TAIL_LENGTH = 8_192;

/** Options of Node.js that keep more closed, where it has them. */
const CLOSING = ["--no-addons", "--disable-sigusr1"];

/**
 * Starts the process, with an empty environment, and passes its messages on.
 * @throws {CrecError} `REHEARSAL_ENDED`, where the system has no pipe for it.
 */
export function startChild(
  program: string,
  setup: ChildSetup,
  limits: Limits,
  onMessage: (message: ToParent) => void,
): Child {
  const args = [...nodeFlags(program, setup, limits), program, JSON.stringify(setup)];
  const child = spawn(process.execPath, args, {
    cwd: setup.workFolder,
    env: {},
    // On Windows, a pipe of another kind waits with each write until something is read. Elsewhere it is the same.
    stdio: ["ignore", "ignore", "pipe", "overlapped"],
    windowsHide: true,
  });
  const closing = closed(child);
  // `ended` reports it.
  closing.catch(() => {});
  // Node.js gives none where the system opens no more files, against its types.
  const pipe = (child.stdio as typeof child.stdio | undefined)?.[3] as Duplex | undefined;
  if (!pipe) throw notStarted(new Error("the system opens no more files"));
  let why: CrecError | undefined;
  const kill = (error?: CrecError) => {
    why ??= error;
    child.kill("SIGKILL");
  };
  // A write to a process that has just ended fails; what ended it is reported when it closes.
  pipe.on("error", () => {});
  const onWrong = () => kill(wrote());
  readMessages<ToParent>(pipe, { onMessage: guarded(onMessage, onWrong), onWrong, onEnd: () => {} });
  limitWritten(pipe, onWrong);
  return {
    pid: child.pid,
    send: (message) => writeMessage(pipe, message),
    kill,
    ended: end(child, closing, setup.workFolder, limits, kill, () => why),
  };
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
  workFolder: string,
  limits: Limits,
  kill: (error: CrecError) => void,
  why: () => CrecError | undefined,
): Promise<void> {
  let tail = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    tail = (tail + text).slice(-TAIL_LENGTH);
  });
  const late = setTimeout(() => kill(tooLong(limits)), limits.timeMs);
  const { pid } = child;
  const endGuard = pid === undefined ? () => {} : endWithParent(pid);
  const stopWatching = pid === undefined ? () => {} : watch(pid, workFolder, limits, kill);
  const onExit = () => void child.kill("SIGKILL");
  process.once("exit", onExit);
  try {
    const [code, signal] = await closing;
    const error = why();
    if (error) throw error;
    if (/heap out of memory|Allocation failed/i.test(tail)) throw outOfMemory(limits);
    if (code !== 0) throw endedEarly(signal ?? `exit code ${code}`, tail);
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
  workFolder: string,
  limits: Limits,
  kill: (error: CrecError) => void,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const look = async () => {
    const disk = await diskUseOf(workFolder, pid, MAX_FILES);
    if (disk.bytes > limits.diskMb * 2 ** 20 || disk.files > MAX_FILES) kill(outOfDisk(limits));
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

function limitWritten(pipe: Duplex, onTooMuch: () => void): void {
  let written = 0;
  pipe.on("data", (chunk: Buffer) => {
    written += chunk.length;
    if (written > MAX_WRITTEN_BYTES) onTooMuch();
  });
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

function outOfDisk({ diskMb }: Limits): CrecError {
  return new CrecError(
    "REHEARSAL_OUT_OF_DISK",
    `The rehearsal wrote more than ${diskMb} MB or ${MAX_FILES} files into its folder and was ended. Look for a function node or a ticked palette that writes files, and rehearse without it.`,
  );
}

function endedEarly(how: string, tail: string): CrecError {
  const said = lastWords(tail);
  return new CrecError(
    "REHEARSAL_ENDED",
    `The process of the rehearsal ended before its report (${how})${said === "" ? "" : `: ${said}`}. A node of the flow or of a ticked palette may have ended it. Rehearse fewer tabs to find which one.`,
  );
}

/** The error of a message that none of ours is. */
export function wrote(): CrecError {
  return new CrecError(
    "REHEARSAL_ENDED",
    "The process of the rehearsal sent something that is not a message, and was ended. A function node or a ticked palette may have written into its pipe. Rehearse fewer tabs to find which one.",
  );
}

function notStarted(cause: unknown): CrecError {
  return new CrecError(
    "REHEARSAL_ENDED",
    `The process of the rehearsal could not be started (${(cause as Error).message}). Check the free memory of the machine and its limit of open files, then try again.`,
    { cause },
  );
}

/** The line that names the error, of a stack trace of Node.js. */
function lastWords(tail: string): string {
  const lines = tail.split("\n").map((line) => line.trim());
  const line = lines.findLast((text) => /^(?:\w*Error|FATAL ERROR)\b/.test(text)) ?? "";
  return line.slice(0, 300).replace(/\.$/, "");
}
