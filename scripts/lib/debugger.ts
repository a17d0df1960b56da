// `--inspect` in NODE_OPTIONS reaches every process, and the first one takes the port. The launchers run without it
// (see package.json) and give it to the one process that a person wants to debug.
import { createInterface } from "node:readline";
import { nextFreePort } from "./ports.mjs";
import { say } from "./say.mjs";

const DEFAULT_PORT = 9229;
const DEFAULT_HOST = "127.0.0.1";
const OPTION = /(?<=^|\s)(--inspect(?:-brk|-wait)?)(?:=(\S+))?(?=\s|$)/g;
/** The line in which Node.js prints the address. */
const LISTENING = /^Debugger listening on (ws:\S+)$/;

/** @returns the same without a debugger */
export function withoutDebugger({ NODE_OPTIONS = "", ...env }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const options = NODE_OPTIONS.replace(OPTION, "").trim();
  return { ...env, ...(options === "" ? {} : { NODE_OPTIONS: options }) };
}

/**
 * The debugger that NODE_OPTIONS asks for, on its port or the next free one: npm may already use that port.
 *
 * @returns the option to start a process with, such as `--inspect=127.0.0.1:9229`
 */
export async function debuggerOption(): Promise<string | undefined> {
  const [, option, address = ""] = [...(process.env.NODE_OPTIONS ?? "").matchAll(OPTION)].at(-1) ?? [];
  if (option === undefined) return undefined;
  // A port, a host, or both with a colon between.
  const [end = "", port = DEFAULT_PORT] = /(?:^|:)(\d+)$/.exec(address) ?? [];
  const host = address.slice(0, address.length - end.length) || DEFAULT_HOST;
  return `${option}=${host}:${await nextFreePort(Number(port), host)}`;
}

/** Prints the output of the process, and the address of its debugger. @param name what people call the process */
export function sayWhereDebuggerIs(name: string, stderr: import("node:stream").Readable) {
  createInterface({ input: stderr }).on("line", (line) => {
    const [, url] = LISTENING.exec(line) ?? [];
    say(url === undefined ? line : `${name}'s debugger listens at ${url}`);
  });
}
