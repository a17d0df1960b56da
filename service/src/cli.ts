#!/usr/bin/env node
import { type Command, helpText, readCommand } from "./command-line.ts";
import type { RunningService } from "./index.ts";
import { createLog, type Log } from "./log.ts";
import { messageOf, ServiceProblem } from "./problem.ts";

const PARENT_CHECK_MS = 500;

let log: Log = createLog();
let service: RunningService | undefined;
let ending = false;

try {
  const command = readCommand(process.argv.slice(2), process.env);
  if (command === undefined) process.stdout.write(`${helpText()}\n`);
  else await run(command);
} catch (error) {
  if (error instanceof ServiceProblem) log.fatal(error.message);
  else log.fatal(`The local service could not start: ${describe(error)}`);
  process.exit(1);
}

async function run({ logLevel, logFormat, watchParent, ...options }: Command): Promise<void> {
  log = createLog({ level: logLevel, format: logFormat });
  // Before anything is started: an early stop must end what has been started so far.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void end(signal));
  if (process.channel !== undefined) process.on("disconnect", () => void end("the end of the launcher"));
  if (watchParent) watchForParent();
  const { startService } = await import("./index.ts");
  service = await startService({ ...options, log });
  if (ending) await service.close();
  else process.stdout.write(`ready ${JSON.stringify(service.ready)}\n`);
}

/** Ends when the process that started this one has ended, even without a signal from it. */
function watchForParent(): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent || hasEnded(parent)) void end("the end of the parent");
  }, PARENT_CHECK_MS).unref();
}

/** On Windows a process keeps the id of a parent that has ended. */
function hasEnded(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

async function end(why: string): Promise<void> {
  if (ending) return;
  ending = true;
  log.debug(`Stopping because of ${why}.`);
  await service?.close().catch((error: unknown) => log.error(`Error while stopping: ${messageOf(error)}`));
  process.exit(0);
}

/** With the stack: an error that reaches this point is a bug of the service. */
function describe(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  return [messageOf(error), ...stack.split("\n").filter((line) => /^\s+at /.test(line))].join("\n");
}
