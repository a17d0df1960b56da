import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import should from "should";
import { checkedReport, expectedOf } from "../../rehearsal/parent/checked-report.ts";
import { readReport } from "../../rehearsal/parent/report-file.ts";
import type { FlowNode } from "../../rehearsal/shared/job.ts";
import { jobOf, SPAN } from "../support/rehearsal.ts";
import { itWide } from "../support/wide.ts";
import { HOSTILE, runHostile } from "./support/hostile-programs.ts";

const FLOWS: readonly FlowNode[] = [
  { id: "tab", type: "tab", label: "Hostile" },
  { id: "in", type: "inject", z: "tab", wires: [["out"]] },
  { id: "out", type: "mqtt out", z: "tab", wires: [] },
];

const NODE = { id: "in", type: "inject", name: "", tab: "tab", handling: "runs", received: 0, sent: [1] };
const WHOLE = {
  ...{ format: "crec-rehearsal", version: 1, span: SPAN, seed: 1, timeZone: "Europe/Berlin" },
  tabs: [{ id: "tab", label: "Hostile" }],
  channels: [],
  events: { read: 0, delivered: 0 },
  nodes: [{ ...NODE, outcomes: { alert: 1 }, reasons: {} }],
  wires: [{ from: "in", port: 0, to: "out", count: 1 }],
  outcomes: [{ kind: "alert", at: SPAN.from, node: "in", text: "x", message: { payload: 1 }, path: 0 }],
  paths: [[{ from: "in", port: 0, to: "out" }]],
  notes: [{ kind: "cut", text: "x" }],
};
const [NODE_OF_WHOLE] = WHOLE.nodes;
const [OUTCOME] = WHOLE.outcomes;
const [WIRE] = WHOLE.wires;

/** Reports that do not agree with the job, or with themselves. */
const WRONG: Readonly<Record<string, object>> = {
  "no node": { nodes: [null] },
  "a node of no flow": { nodes: [{ ...NODE_OF_WHOLE, id: "other" }] },
  "a node twice": { nodes: [NODE_OF_WHOLE, NODE_OF_WHOLE] },
  "a node of another type": { nodes: [{ ...NODE_OF_WHOLE, type: "debug" }] },
  "a node on another tab": { nodes: [{ ...NODE_OF_WHOLE, tab: "other" }] },
  "an unknown way to take part": { nodes: [{ ...NODE_OF_WHOLE, handling: "<b>" }] },
  "a count of text": { nodes: [{ ...NODE_OF_WHOLE, reasons: { x: "<script>" } }] },
  "an unknown kind": { nodes: [{ ...NODE_OF_WHOLE, outcomes: { constructor: 1 } }] },
  "fewer than none": { nodes: [{ ...NODE_OF_WHOLE, received: -1 }] },
  "half a message": { nodes: [{ ...NODE_OF_WHOLE, sent: [0.5] }] },
  "an outcome of another kind": { outcomes: [{ ...OUTCOME, kind: "constructor" }] },
  "an outcome of no node": { outcomes: [{ ...OUTCOME, node: "other" }] },
  "an outcome at no time": { outcomes: [{ ...OUTCOME, at: 1e300 }] },
  "an outcome before the span": { outcomes: [{ ...OUTCOME, at: SPAN.from - 1 }] },
  "an outcome of a path that is not there": { outcomes: [{ ...OUTCOME, path: 1 }] },
  "an outcome of another channel": { outcomes: [{ ...OUTCOME, event: { channelId: "c", offset: 1 } }] },
  "a message that is too long": { outcomes: [{ ...OUTCOME, message: "x".repeat(10_000) }] },
  "a long sentence": { outcomes: [{ ...OUTCOME, text: "x".repeat(2_000) }] },
  "a wire to nowhere": { wires: [{ ...WIRE, to: "other" }] },
  "a wire twice": { wires: [WIRE, WIRE] },
  "a port of text": { paths: [[{ from: "in", port: "0", to: "out" }]] },
  "a path to nowhere": { paths: [[{ from: "in", port: 0, to: "__proto__" }]] },
  "a tab of no flow": { tabs: [{ id: "in", label: "x" }] },
  "a channel of no flow": { channels: [{ id: "c", name: "x", events: 1 }] },
  "a note of a number": { notes: [{ kind: "cut", text: 1 }] },
  "a note of another kind": { notes: [{ kind: "x", text: "x" }] },
  "another time zone": { timeZone: "Mars/Base" },
  "another span": { span: { ...SPAN, to: SPAN.to + 1 } },
  "no span": { span: null },
  "another seed": { seed: 2 },
  "another version": { version: 2 },
};

/** In the core of the tests. */
const MAIN = [
  "a long line of progress",
  "errors without end",
  "a report without end",
  "a report that is no JSON",
];

describe("rehearsal: a hostile process", function () {
  this.timeout(120_000);
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "crec-hostile-process-"));
  });

  after(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));

  it("is not blamed where the check of its report does not work", async () => {
    const report = readReport(new Uint8Array(9), expectedOf(jobOf(FLOWS)), join(folder, "missing.js"));
    await should(report).be.rejectedWith({ code: "REHEARSAL_FAILED" });
  });

  /** Runs a program in place of a rehearsal. */
  const run = (code: string) => runHostile(code, folder, jobOf(FLOWS, { askQueries: true }));

  for (const [name, code] of Object.entries(HOSTILE)) {
    (MAIN.includes(name) ? it : itWide)(`is ended, and leaves its parent as it was: ${name}`, async () => {
      const before = process.memoryUsage.rss();
      const error = await run(code).catch((thrown: unknown) => thrown);
      should(error).match({ code: /^REHEARSAL_(?:ENDED|FAILED)$/ });
      should(String(error)).not.containEql("nobody-may-quote");
      should((process.memoryUsage.rss() - before) / 2 ** 20).below(400);
    });
  }

  it("is quoted only with the reason that it gives, in part, and as text", async () => {
    const ends = "process.exit(9);";
    const written = `fs.writeSync(2, SECRET + "\\nRangeError: \\u001b[31m\\u202e" + "x".repeat(1000) + "\\n");`;
    await should(run(written + ends)).be.rejectedWith({
      ...{ code: "REHEARSAL_ENDED" },
      message: /\(exit code 9\): RangeError: \\u\{1b\}\[31m\\u\{202e\}x{282}\. A node/,
    });
    const said = `say(JSON.stringify({ kind: "failed", message: "\\u001b[31m" + "x".repeat(9000) }) + "\\n");`;
    await should(run(`${said} for (;;);`)).be.rejectedWith({
      ...{ code: "REHEARSAL_FAILED" },
      message: /failed: \\u\{1b\}\[31mx{1995}\. Rehearse/,
    });
  });

  it("is believed only where its report agrees with the job and with itself", async () => {
    const more = { ...WHOLE, extra: "x", nodes: [{ ...NODE_OF_WHOLE, extra: "x" }] };
    should(await run(`report(${JSON.stringify(JSON.stringify(more))});`)).eql(WHOLE);
    const expected = expectedOf(jobOf(FLOWS));
    const believed = Object.entries(WRONG).filter(([, part]) =>
      checkedReport(JSON.stringify({ ...WHOLE, ...part }), expected),
    );
    should(believed.map(([name]) => name)).eql([]);
  });
});
