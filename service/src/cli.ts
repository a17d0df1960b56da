#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type Command, helpText, readCommand } from "./command-line.ts";
import type { RunningService } from "./index.ts";
import { createLog, type Log } from "./log.ts";
import { ownFile } from "./own-files.ts";
import { messageOf, ServiceProblem } from "./problem.ts";

const PARENT_CHECK_MS = 500;

let log: Log = createLog();
let service: RunningService | undefined;
let ending = false;

try {
  const command = readCommand(process.argv.slice(2), process.env);
  if (command === "help") process.stdout.write(`${helpText()}\n`);
  else if (command === "version") process.stdout.write(`${version()}\n`);
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
  // A launcher tells the same in its own words.
  const isForPeople = process.channel === undefined;
  if (isForPeople) log.info(`All data is in ${resolve(options.dataDir)}.`);
  const { startService } = await import("./index.ts");
  service = await startService({ ...options, log });
  if (ending) return await service.close();
  process.stdout.write(`ready ${JSON.stringify(service.ready)}\n`);
  if (isForPeople) tellWhatNext(service.ready.base_url, options.local === true);
}

function tellWhatNext(baseUrl: string, local: boolean): void {
  if (local) {
    log.info(
      `Node-RED: copy the text at ${baseUrl}/local/node-red.json, paste it under Import in the menu of the editor, and deploy. Then import the example 01-quickstart.`,
    );
  }
  log.info(`The service runs at ${baseUrl}: open it in a browser. Ctrl-C stops it and its chain.`);
}

function version(): string {
  return (JSON.parse(readFileSync(ownFile("package.json"), "utf8")) as { version: string }).version;
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
