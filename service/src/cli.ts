#!/usr/bin/env node
import { readFileSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { type Command, helpText, readCommand } from "./command-line.ts";
import { messageOf, ServiceProblem } from "./errors.ts";
import type { RunningService } from "./index.ts";
import { createLog, type Log } from "./log.ts";
import { ownFile } from "./own-files.ts";
import { watchNpm, watchParent } from "./parents.mjs";
import { type OrderToService, TEMPORARY_DATA, type ToldByService } from "./start/messages.ts";

let log: Log = createLog();
let service: RunningService | undefined;
let ending = false;
/** The data, where it is to be removed at the end. */
let temporaryFolder: string | undefined;

try {
  const command = readCommand(process.argv.slice(2), process.env);
  if (command === "help") process.stdout.write(`${helpText()}\n`);
  else if (command === "version") process.stdout.write(`${version()}\n`);
  else await run(command);
} catch (error) {
  const isKnown = error instanceof ServiceProblem;
  const why = (text: string) => (isKnown ? text : `The local service could not start: ${text}`);
  log.fatal(why(isKnown ? error.message : describe(error)));
  await tell({ problem: { code: isKnown ? error.code : "CANNOT_START", message: why(messageOf(error)) } });
  process.exit(1);
}

async function run({ logLevel, logFormat, watchParent: isWatched, ...options }: Command): Promise<void> {
  log = createLog({ level: logLevel, format: logFormat });
  // Before anything is started: an early stop must end what has been started so far.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void end(signal));
  if (process.channel !== undefined) {
    // Until now, nothing had to be ended.
    process.removeListener("disconnect", process.exit);
    process.on("disconnect", () => void end("the end of the launcher"));
  }
  process.on("message", (order: OrderToService) => {
    if (order === TEMPORARY_DATA) temporaryFolder = resolve(options.dataDir);
  });
  // A launcher tells the same in its own words, and is noticed by its channel.
  const isForPeople = process.channel === undefined;
  if (isWatched === true) await watchParent(() => void end("the end of the parent"));
  else if (isWatched === undefined && isForPeople) await watchNpm(() => void end("the end of npm"));
  if (isForPeople) log.info(`All data is in ${resolve(options.dataDir)}.`);
  const { startService } = await import("./index.ts");
  service = await startService({ ...options, log });
  if (ending) return await service.close();
  process.stdout.write(`ready ${JSON.stringify(service.ready)}\n`);
  await tell({ ready: service.ready });
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

/** To `start`, in the process that started this one. It may be gone, or another launcher, which does not listen. */
async function tell(message: ToldByService): Promise<void> {
  await new Promise<void>((resolve) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve());
    else resolve();
  });
}

async function end(why: string): Promise<void> {
  if (ending) return;
  ending = true;
  log.debug(`Stopping because of ${why}.`);
  await service?.close().catch((error: unknown) => log.error(`Error while stopping: ${messageOf(error)}`));
  // During the start, the chain may still be saved there. Then `start` does it.
  if (service !== undefined && temporaryFolder !== undefined) {
    rmSync(temporaryFolder, { recursive: true, force: true, maxRetries: 5 });
  }
  process.exit(0);
}

/** With the stack: an error that reaches this point is a bug of the service. */
function describe(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  return [messageOf(error), ...stack.split("\n").filter((line) => /^\s+at /.test(line))].join("\n");
}
