import childProcess from "node:child_process";
import cluster from "node:cluster";
import crypto from "node:crypto";
import module from "node:module";
import os from "node:os";
import { Writable } from "node:stream";
import v8 from "node:v8";
import workers from "node:worker_threads";
import { close } from "./close.ts";

// Other programs, other threads, and what reaches into this process from below JavaScript. The permission model refuses
// most of it too, where it is on.

/** Modules that some versions of Node.js do not have, or cannot load where they were built without them. */
const OPTIONAL: ReadonlyArray<[module: string, names: readonly string[]]> = [
  ["inspector", ["open", "Session"]],
  ["inspector/promises", ["open", "Session"]],
  ["trace_events", ["createTracing"]],
  ["wasi", ["WASI"]],
  // It opens files without asking the permission model.
  ["node:sqlite", ["DatabaseSync", "DatabaseSyncInstance", "StatementSync", "Session", "backup"]],
  ["node:ffi", ["dlopen", "DynamicLibrary"]],
];

const START = ["exec", "execFile", "execFileSync", "execSync", "fork", "spawn", "spawnSync", "_forkChild"];

/** Closes programs, threads, native code and the debugger. */
export function closePrograms(): void {
  close(processHandle(), "Process", ["spawn"]);
  close(childProcess.ChildProcess.prototype, "ChildProcess", ["spawn"]);
  close(childProcess, "child_process", START);
  close(workers, "worker_threads", ["Worker"]);
  close(cluster, "cluster", ["fork", "setupPrimary", "setupMaster"]);
  close(module, "module", ["register", "enableCompileCache", "flushCompileCache"]);
  close(v8, "v8", ["setFlagsFromString", "writeHeapSnapshot", "setHeapSnapshotNearHeapLimit"]);
  close(v8, "v8", ["takeCoverage", "stopCoverage", "startCpuProfile", "startHeapProfile"]);
  close(crypto, "crypto", ["setEngine"]);
  // Of any process.
  close(os, "os", ["setPriority"]);
  for (const [name, names] of OPTIONAL) close(optional(name), name.replace("node:", ""), names);
}

function processHandle(): object {
  const { _handle } = new childProcess.ChildProcess() as unknown as { _handle: object };
  return Object.getPrototypeOf(_handle) as object;
}

function optional(name: string): object | undefined {
  try {
    return process.getBuiltinModule(name) as object | undefined;
  } catch {
    return undefined;
  }
}

// `process`, which each function node reaches: by the constructor of an object that it was given.

const NATIVE = ["binding", "_linkedBinding", "dlopen"];
const OTHERS = ["kill", "_kill", "_debugProcess", "_debugEnd", "execve", "abort"];
const IDENTITY = ["setuid", "seteuid", "setgid", "setegid", "setgroups", "initgroups"];
/** Not `chdir`: graceful-fs replaces it, and fails where it cannot. */
const SURROUNDINGS = ["umask", "loadEnvFile"];
/** They give sockets that are open: the pipe to the parent. */
const OPEN = ["_getActiveHandles", "_getActiveRequests"];
const IPC = ["send", "disconnect"];

/** Closes what acts on other processes, or loads what is not JavaScript. */
export function closeProcessObject(): void {
  close(process, "process", [...NATIVE, ...OTHERS, ...IDENTITY, ...SURROUNDINGS, ...OPEN, ...IPC]);
  closeOutput();
  // Its settings write files when the process ends.
  Object.defineProperty(process, "report", { value: undefined, writable: false, configurable: false });
}

/** Nobody reads the output. From a stream of Node.js a flow would get its class, which writes to any descriptor. */
function closeOutput(): void {
  for (const name of ["stdout", "stderr"]) {
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
    Object.defineProperty(process, name, { get: () => nowhere, configurable: false });
  }
}
