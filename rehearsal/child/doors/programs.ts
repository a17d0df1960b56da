import childProcess from "node:child_process";
import cluster from "node:cluster";
import crypto from "node:crypto";
import module from "node:module";
import os from "node:os";
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
