import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { relative, sep } from "node:path";
import { PROCESSOR_TIME } from "../../scripts/test/processor-time.mjs";

/** How long this process and all that it started have used a processor when a test file ended, in seconds. */
let before = 0;

/** Notes what a test file has used, in the file that `npm test -- --cpu` reads; without that it does nothing. */
export function noteProcessorTime(testFile: string | undefined): void {
  const notes = process.env[PROCESSOR_TIME];
  if (notes === undefined || testFile === undefined) return;
  const now = processorSeconds();
  const file = relative(process.cwd(), testFile).split(sep).join("/");
  // What was orphaned is no longer counted.
  appendFileSync(notes, `${JSON.stringify({ file, seconds: Math.max(0, now - before) })}\n`);
  before = now;
}

/** Of a process: its parent, and what it and its ended children have used, in ticks of 10 ms. */
type Usage = { pid: number; parent: number; ticks: number };

/** Ticks are 10 ms on all architectures that Node.js runs on. */
const TICKS_PER_SECOND = 100;

function processorSeconds(): number {
  const usages = readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry) => usageOf(Number(entry)));
  const own = new Set([process.pid]);
  // A child may have a smaller number than its parent.
  for (let size = 0; size !== own.size; ) {
    size = own.size;
    for (const { pid, parent } of usages) if (own.has(parent)) own.add(pid);
  }
  return usages.reduce((sum, { pid, ticks }) => (own.has(pid) ? sum + ticks : sum), 0) / TICKS_PER_SECOND;
}

function usageOf(pid: number): Usage[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name before it may have spaces and parentheses. Fields 14 to 17: user and system time, own and of children.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return [{ pid, parent: Number(fields[1]), ticks }];
  } catch {
    return []; // It has ended.
  }
}
