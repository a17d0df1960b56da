import { appendFileSync } from "node:fs";
import { fromRoot } from "../../scripts/lib/paths.mjs";
import { usages } from "../../scripts/test/processes.mjs";
import { PROCESSOR_TIME } from "../../scripts/test/processor-time.mjs";

/** How long this process and all that it started have used a processor when a test file ended, in seconds. */
let before = 0;

/** Notes what a test file has used, in the file that `npm test -- --cpu` reads; without that it does nothing. */
export function noteProcessorTime(testFile: string | undefined): void {
  const notes = process.env[PROCESSOR_TIME];
  if (notes === undefined || testFile === undefined) return;
  const now = processorSeconds();
  const file = fromRoot(testFile);
  // What was orphaned is no longer counted here, but once for the whole run.
  appendFileSync(notes, `${JSON.stringify({ file, seconds: Math.max(0, now - before) })}\n`);
  before = now;
}

function processorSeconds(): number {
  const all = usages();
  const own = new Set([process.pid]);
  // A child may have a smaller number than its parent.
  for (let size = 0; size !== own.size; ) {
    size = own.size;
    for (const { pid, parent } of all) if (own.has(parent)) own.add(pid);
  }
  return all.reduce((sum, used) => (own.has(used.pid) ? sum + used.own + used.ofChildren : sum), 0);
}
