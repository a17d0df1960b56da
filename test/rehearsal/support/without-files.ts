import { closeSync, openSync } from "node:fs";
import { endWithParent, startChild } from "../../../rehearsal/parent/child-process.ts";
import { nodeRedOf } from "../../../rehearsal/parent/installed-node-red.ts";
import type { ReportFile } from "../../../rehearsal/parent/report-file.ts";

// Starts a rehearsal's process and its guard where no more files can be opened. Writes the error. Run it with a low
// limit of open files.

const [root] = process.argv.slice(2) as [string];
const setup = {
  ...{ nodeRed: nodeRedOf(root), packageFolder: root, workFolder: root, modules: [] },
  ...{ timeZone: "UTC", language: "en-US" },
};
/** The process gets no further than its pipe. */
const report = { descriptor: 1 };
const limits = { timeMs: 1_000, memoryMb: 128 };
const files = openAll();
let said = "";
try {
  startChild(process.execPath, setup, report as unknown as ReportFile, limits, () => {});
} catch (error) {
  said = String(error);
}
endWithParent(process.pid);
for (const file of files) closeSync(file);
// Errors that nobody listens to come first.
setImmediate(() => process.stdout.write(said));

function openAll(): number[] {
  const opened: number[] = [];
  try {
    for (;;) opened.push(openSync("/dev/null", "r"));
  } catch {
    return opened;
  }
}
