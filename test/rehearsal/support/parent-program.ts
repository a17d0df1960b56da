import { nodeRedOf } from "../../../rehearsal/parent/installed-node-red.ts";
import { startRehearsal } from "../../../rehearsal/parent/run.ts";
import type { Job } from "../../../rehearsal/shared/job.ts";

// A parent of its own, for tests that end it or run it on another Node.js. Writes the report, or the error.

const [text, root, workRoot] = process.argv.slice(2) as [string, string, string];
const job = JSON.parse(text) as Job;

async function* noEvents() {}

const rehearsal = startRehearsal({
  nodeRed: nodeRedOf(root),
  packageFolder: root,
  job,
  events: noEvents(),
  workRoot,
});
rehearsal.report.then(
  (report) => process.stdout.write(JSON.stringify({ report })),
  (error: unknown) => process.stdout.write(JSON.stringify({ error: String(error) })),
);
