import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { nodeRedOf } from "../../../rehearsal/parent/installed-node-red.ts";
import { startRehearsal } from "../../../rehearsal/parent/run.ts";
import type { Job } from "../../../rehearsal/shared/job.ts";
import type { Report } from "../../../rehearsal/shared/report.ts";
import { root } from "../../../scripts/lib/paths.mjs";

// Instead of a rehearsal, a program has the pipe, the error output and the file of the report: what a flow would have that
// had broken out of all that is closed.

const HELPERS = `const fs = require("fs");
const SECRET = "what-nobody-may-quote";
const say = (text) => fs.writeSync(3, text);
const flood = (fd, text) => { const all = text.repeat(Math.ceil(65536 / text.length)); for (;;) fs.writeSync(fd, all); };
const report = (text) => { fs.writeSync(4, text); say('{"kind":"reported"}\\n'); for (;;); };
`;

/** What a process can do to its parent. */
export const HOSTILE: Readonly<Record<string, string>> = {
  "a text that is no JSON": "say(SECRET + '\\n'); for (;;);",
  "a message of Node.js": `say('{"cmd":"NODE_HANDLE_ACK"}\\n'); for (;;);`,
  "a long line of progress": `say('{"kind":"progress","at":[' + '{},'.repeat(2e7) + '{}]}\\n'); for (;;);`,
  "progress without end": `flood(3, '{"kind":"progress","at":0}\\n');`,
  "calls of today without end": `flood(3, '{"kind":"ask","id":1,"call":{}}\\n');`,
  "calls of nothing without end": `flood(3, '{"kind":"ask","id":1}\\n');`,
  "wishes for events without end": `flood(3, '{"kind":"more"}\\n');`,
  "a line without end": "flood(3, 'x');",
  "errors without end": "flood(2, SECRET + '\\n');",
  "a report without end": "flood(4, SECRET);",
  "a report that says nothing": "report('');",
  "a report that is no JSON": "report(SECRET);",
  "a report of great depth": "report('['.repeat(1e6) + ']'.repeat(1e6));",
  "a report of many parts": `report('{"nodes":[' + '{},'.repeat(1e7) + '{}]}');`,
  "a failure that is no text": `say('{"kind":"failed","code":{"toString":1},"message":{"toString":1}}\\n');`,
};

/** Runs a program in place of a rehearsal. */
export async function runHostile(code: string, folder: string, job: Job): Promise<Report> {
  const program = join(folder, "program.cjs");
  await writeFile(program, HELPERS + code);
  const events = (async function* () {})();
  const ask = () => Promise.resolve({ result: "0x" });
  const options = { nodeRed: nodeRedOf(root), packageFolder: root, job, events, ask };
  return await startRehearsal({ ...options, workRoot: folder, program }).report;
}
