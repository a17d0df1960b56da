import { Writable } from "node:stream";
import { close } from "./close.ts";

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
