import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HOSTILE, runHostile } from "../test/rehearsal/support/hostile-programs.ts";
import { jobOf } from "../test/support/rehearsal.ts";
import type { Measured } from "./measured.ts";

/** What takes most of the parent, of all that the tests try. */
const TRIED = [
  ...["a long line of progress", "progress without end", "errors without end", "a report without end"],
  ...["a report of great depth", "a report of many parts"],
];
const LOOK_MS = 5;

/** How long Node-RED's thread waits while the process of a rehearsal attacks it. */
export async function benchHostile(): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const name of TRIED) {
    const ms = await longestWait(HOSTILE[name] ?? "");
    measured.push({ what: `${name} (aim 250 ms)`, value: `${Math.round(ms)} ms` });
  }
  return measured;
}

async function longestWait(code: string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "bench-hostile-"));
  let longest = 0;
  let last = performance.now();
  const look = setInterval(() => {
    longest = Math.max(longest, performance.now() - last - LOOK_MS);
    last = performance.now();
  }, LOOK_MS);
  try {
    // It ends with an error each time.
    await runHostile(code, folder, jobOf([])).catch(() => undefined);
    return longest;
  } finally {
    clearInterval(look);
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
