// @ts-check
// npm run test:stress: runs the tests beside a busy loop on each processor, to find those that depend on speed.
//
//   npm run test:stress                                  the core, once
//   npm run test:stress -- --wide                        what npm test leaves out, once
//   npm run test:stress -- --times 10 --processes        tests that start processes, ten times in a row
//   npm run test:stress -- --times 5 nodes/events-in     core tests of a file or folder
//   npm run test:stress -- --all nodes/events-in         also its wide tests and variants

import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { root } from "./lib/paths.mjs";

/** Loops for about a second, then ends if its parent has ended. */
const BUSY =
  "for (;;) { const end = Date.now() + 1000; while (Date.now() < end); process.kill(process.ppid, 0); }";

// Two programs on one core share it, and take more processor time for the same work.
const args = ["--no-limit", ...process.argv.slice(2)];
const at = args.indexOf("--times");
const times = at === -1 ? 1 : Number(args.splice(at, 2)[1]);
if (!Number.isInteger(times) || times < 1) {
  process.stderr.write("--times takes a whole number above 0.\n");
  process.exit(1);
}

const loops = Array.from({ length: availableParallelism() }, () => spawn(process.execPath, ["-e", BUSY]));
let red = 0;
try {
  for (let time = 1; time <= times; time += 1) {
    const started = performance.now();
    const tests = spawn(process.execPath, [join(root, "scripts/test.mjs"), ...args], { stdio: "inherit" });
    const [code] = await once(tests, "exit");
    if (code !== 0) red += 1;
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    process.stdout.write(`\n  Run ${time} of ${times}, beside ${loops.length} busy loops: `);
    process.stdout.write(`${code === 0 ? "green" : "red"} after ${seconds} s\n`);
  }
} finally {
  for (const loop of loops) loop.kill("SIGKILL");
}
process.exitCode = red === 0 ? 0 : 1;
