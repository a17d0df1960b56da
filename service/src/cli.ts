#!/usr/bin/env node
import { parseArgs } from "node:util";
import type { RunningService, ServiceOptions } from "./index.ts";
import { createLog } from "./log.ts";
import { messageOf, ServiceProblem } from "./problem.ts";

const USAGE = `Usage: node service/src/cli.ts [--port 8787] [--data-dir data/service] [--rpc-url URL] [--host 127.0.0.1]
                               [--block-time MS] [--watch-parent]
Environment: CREC_SERVICE_PORT, CREC_DATA_DIR, CREC_RPC_URL, CREC_API_KEY, CREC_ORG_ID`;

/** However stuck something is, the process is gone by then. */
const CLOSE_TIMEOUT_MS = 1900;
const PARENT_CHECK_MS = 500;

let service: RunningService | undefined;
let ending = false;

try {
  const options = readOptions();
  if (options !== undefined) {
    // Before anything is started: a stop that comes early must end what is under way too.
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void end(0));
    if (process.channel !== undefined) process.on("disconnect", () => void end(0));
    if (options.watchParent) watchParent();
    const { startService } = await import("./index.ts");
    service = await startService({ ...options, log: createLog() });
    if (ending) await service.close();
    else process.stdout.write(`ready ${JSON.stringify(service.ready)}\n`);
  }
} catch (error) {
  say(
    error instanceof ServiceProblem ? error.message : `The local service could not start: ${describe(error)}`,
  );
  process.exit(1);
}

/** Options of this call, or undefined when only help was asked for. */
function readOptions(): (ServiceOptions & { watchParent: boolean }) | undefined {
  const { values } = parse();
  if (values.help === true) {
    process.stdout.write(`${USAGE}\n`);
    return undefined;
  }
  const env = process.env;
  return {
    port: wholeNumber("port", values.port ?? env.CREC_SERVICE_PORT ?? "8787", 65_535),
    host: values.host ?? "127.0.0.1",
    dataDir: values["data-dir"] ?? (env.CREC_DATA_DIR || "data/service"),
    rpcUrl: values["rpc-url"] ?? (env.CREC_RPC_URL || undefined),
    apiKey: env.CREC_API_KEY || undefined,
    orgId: env.CREC_ORG_ID || undefined,
    blockTimeMs: wholeNumber("block-time", values["block-time"] ?? "1000", 3_600_000),
    watchParent: values["watch-parent"] === true,
  };
}

function parse() {
  try {
    return parseArgs({
      options: {
        port: { type: "string" },
        host: { type: "string" },
        "data-dir": { type: "string" },
        "rpc-url": { type: "string" },
        "block-time": { type: "string" },
        "watch-parent": { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    throw new ServiceProblem(`${messageOf(error)}\n${USAGE}`);
  }
}

function wholeNumber(name: string, text: string, max: number): number {
  const number = Number(text);
  if (text.trim() !== "" && Number.isInteger(number) && number >= 0 && number <= max) return number;
  throw new ServiceProblem(`--${name} must be a whole number from 0 to ${max}, not ${JSON.stringify(text)}.`);
}

/** Ends with the process that started us, also where it could not say so. */
function watchParent(): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) void end(0);
  }, PARENT_CHECK_MS).unref();
}

async function end(code: number): Promise<void> {
  if (ending) return;
  ending = true;
  setTimeout(() => process.exit(code), CLOSE_TIMEOUT_MS).unref();
  await service?.close().catch((error: unknown) => say(`Trouble while stopping: ${messageOf(error)}`));
  process.exit(code);
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** With the way to it: what ends here is a mistake of ours. */
function describe(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  return [messageOf(error), ...stack.split("\n").filter((line) => /^\s+at /.test(line))].join("\n");
}
