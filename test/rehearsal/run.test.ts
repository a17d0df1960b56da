import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { constants, getPriority, tmpdir } from "node:os";
import { join } from "node:path";
import should from "should";
import { nodeRedOf } from "../../rehearsal/parent/installed-node-red.ts";
import { type Rehearsal, type RehearsalOptions, startRehearsal } from "../../rehearsal/parent/run.ts";
import type { FlowNode, Job, PastEvent } from "../../rehearsal/shared/job.ts";
import type { Report } from "../../rehearsal/shared/report.ts";
import { root } from "../../scripts/lib/paths.mjs";
import { deferred } from "../../src/deferred.ts";
import { eventually } from "../support/eventually.ts";
import { jobOf } from "../support/rehearsal.ts";
import { bundled, otherNode } from "./support/hostile.ts";

const PROCESS = "const process = Buffer.constructor('return process')();";
/** It does not end, and sees what comes through the pipe. */
const ENDLESS_TURNS = `const { setImmediate } = Buffer.constructor('return globalThis')();
  const again = () => { node.send({}); setImmediate(again); }; again();`;
/** What the process is called from then on. */
const BEGUN = "rehearsal-begun";

describe("rehearsal: its process", function () {
  // Some have five rehearsals, beside the other tests.
  this.timeout(180_000);
  let workRoot: string;
  let started: Rehearsal | undefined;
  let orphan: ChildProcess | undefined;

  beforeEach(async () => {
    workRoot = await mkdtemp(join(tmpdir(), "crec-run-"));
  });

  // A test that fails may leave its own behind: the next one can start.
  afterEach(async () => {
    started?.cancel();
    await started?.report.catch(() => {});
    orphan?.kill("SIGKILL");
    await rm(workRoot, { recursive: true, force: true, maxRetries: 3 });
  });

  const start = (code: string, more: Partial<RehearsalOptions> = {}): Rehearsal => {
    started = startRehearsal(optionsFor(code, more));
    return started;
  };
  const optionsFor = (code: string, more: Partial<RehearsalOptions>): RehearsalOptions => ({
    nodeRed: nodeRedOf(root),
    packageFolder: root,
    job: jobWith(code),
    events: batches([]),
    workRoot,
    ...more,
  });

  it("reports, and leaves nothing behind", async () => {
    const report = await start("return msg;").report;
    should(of(report).sent).eql([1]);
    should(await readdir(workRoot)).eql([]);
  });

  it("is one at a time, until it has ended", async () => {
    const first = start("return msg;");
    should(() => start("return msg;")).throw({ code: "REHEARSAL_RUNNING" });
    await first.report;
    await start("return msg;").report;
  });

  it("ends an endless loop when its time is over, and has read one batch ahead, and no more", async () => {
    let read = 0;
    const counted = (async function* (): AsyncGenerator<readonly PastEvent[]> {
      for (; read < 50; read += 1) yield [eventAt(read)];
    })();
    const rehearsal = start("while (true) {}", { events: counted, limits: { timeMs: 4_000 } });
    await should(rehearsal.report).rejectedWith({ code: "REHEARSAL_TOO_LONG" });
    should(read).below(4);
    should(await readdir(workRoot)).eql([]);
  });

  it("ends where a flow takes too much memory", async () => {
    const limits = { memoryMb: 128 };
    const code = { code: "REHEARSAL_OUT_OF_MEMORY" };
    await should(
      start("const all = []; while (true) all.push(new Array(10_000).fill({}));", { limits }).report,
    ).rejectedWith(code);
    if (process.platform !== "linux") return;
    const buffers = "const all = []; while (true) if (all.length < 120) all.push(Buffer.alloc(1 << 22, 1));";
    await should(start(buffers, { limits }).report).rejectedWith(code);
  });

  it("comes after other processes only where it is in the background", async () => {
    const { PRIORITY_BELOW_NORMAL } = constants.priority;
    for (const isInBackground of [false, true]) {
      const controller = new AbortController();
      const { signal } = controller;
      const { report } = start("while (true) {}", { isInBackground, signal });
      const priority = getPriority(await childOf(workRoot));
      should(priority).equal(isInBackground ? PRIORITY_BELOW_NORMAL : getPriority());
      controller.abort();
      await should(report).rejectedWith({ code: "REHEARSAL_CANCELLED" });
    }
  });

  it("says so when a flow ends the process", async () => {
    const error = { code: "REHEARSAL_ENDED" };
    await should(start(`${PROCESS} process.exit(0);`).report).rejectedWith(error);
    await should(start(`${PROCESS} process.exit(7);`).report).rejectedWith({
      ...error,
      message: /exit code 7/,
    });
    await should(start(`${PROCESS} process.reallyExit(3);`).report).rejectedWith({
      ...error,
      message: /exit code 3/,
    });
  });

  it("is cancelled: with a report of what has happened, or without one", async () => {
    const reading = deferred();
    const endless = (async function* (): AsyncGenerator<readonly PastEvent[]> {
      reading.resolve();
      yield* never();
    })();
    const waiting = start("return msg;", { events: endless });
    // It has its job then.
    await reading.promise;
    waiting.cancel();
    const report = await waiting.report;
    should(report.notes.map(({ kind }) => kind)).containEql("stopped");

    const early = start("return msg;");
    early.cancel();
    await should(early.report).rejectedWith({ code: "REHEARSAL_CANCELLED" });

    const controller = new AbortController();
    const aborted = start("while (true) {}", { signal: controller.signal });
    setTimeout(() => controller.abort(), 1_500);
    await should(aborted.report).rejectedWith({ code: "REHEARSAL_CANCELLED" });
  });

  it("reports the error of reading events", async () => {
    const failing = (async function* (): AsyncGenerator<readonly PastEvent[]> {
      yield [];
      throw new Error("the service is away");
    })();
    await should(start("return msg;", { events: failing }).report).rejectedWith("the service is away");
    should(await readdir(workRoot)).eql([]);
  });

  it("removes what a parent left that is gone, and ends its process", async () => {
    const left = join(workRoot, "rehearsal-left");
    await mkdir(join(left, "work"), { recursive: true });
    orphan = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)", left], { stdio: "ignore" });
    const gone = spawn(process.execPath, ["-e", ""]);
    await once(gone, "exit");
    const owner = { parent: gone.pid, child: orphan.pid, endsBefore: Date.now() + 60_000 };
    await writeFile(join(left, "owner.json"), JSON.stringify(owner));
    const used = join(workRoot, "rehearsal-used");
    await mkdir(used);
    await writeFile(join(used, "owner.json"), JSON.stringify({ ...owner, parent: process.ppid }));
    const [made, old] = [join(workRoot, "rehearsal-made"), join(workRoot, "rehearsal-old")];
    await Promise.all([mkdir(made), mkdir(old)]);
    const before = new Date(Date.now() - 120_000);
    await utimes(old, before, before);
    const ended = once(orphan, "exit");
    await start("return msg;").report;
    should((await readdir(workRoot)).sort()).eql(["rehearsal-made", "rehearsal-used"]);
    if (process.platform !== "linux") orphan.kill("SIGKILL");
    await ended;
  });

  describe("with a parent of its own", () => {
    let program: string;
    let folder: string;

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), "crec-parent-"));
      program = await bundled(folder, "parent-program");
    });

    after(() => rm(folder, { recursive: true, force: true }));

    const launch = (node: string, code: string): ChildProcess =>
      spawn(node, [program, JSON.stringify(jobWith(code)), root, workRoot], {
        stdio: ["ignore", "pipe", "inherit"],
        env: { ...process.env, SECRET: "of the parent" },
      });

    it("ends when its parent is killed, also in an endless loop", async () => {
      for (const code of [ENDLESS_TURNS, "while (true) {}"]) {
        const parent = launch(process.execPath, `${PROCESS} process.title = "${BEGUN}"; ${code}`);
        const child = await childOf(workRoot);
        await until(() => commandOf(child).includes(BEGUN));
        should(isRunning(child)).be.true();
        parent.kill("SIGKILL");
        await once(parent, "exit");
        await until(() => !isRunning(child));
        await rm(workRoot, { recursive: true });
        await mkdir(workRoot);
      }
    });

    it("is not started where no more files can be opened, and its parent lives", async function () {
      if (process.platform === "win32") return this.skip();
      const limited = await bundled(folder, "without-files");
      const shell = spawn(
        "/bin/sh",
        ["-c", 'ulimit -n 64; exec "$@"', "sh", process.execPath, limited, root],
        {
          stdio: ["ignore", "pipe", "inherit"],
        },
      );
      let said = "";
      shell.stdout.on("data", (chunk: Buffer) => {
        said += chunk;
      });
      should((await once(shell, "close"))[0]).equal(0);
      should(said).match(/could not be started .*limit of open files/);
    });

    it("runs on another version of Node.js", async function () {
      const node = otherNode();
      if (node === undefined) return this.skip();
      const code = `${PROCESS} msg.payload = process.version + JSON.stringify(process.env); node.warn(msg.payload); return msg;`;
      const parent = launch(node, code);
      let text = "";
      parent.stdout?.on("data", (chunk: Buffer) => {
        text += chunk;
      });
      await once(parent, "close");
      const { report, error } = JSON.parse(text) as { report?: Report; error?: string };
      should(error).be.undefined();
      should(of(report as Report).sent).eql([1]);
      should(text).not.containEql("of the parent");
    });
  });
});

/** An inject node and a function node with this code. */
function jobWith(code: string): Job {
  const z = "tab";
  const flows: FlowNode[] = [
    { id: z, type: "tab", label: "Test" },
    {
      id: "in",
      type: "inject",
      z,
      once: true,
      onceDelay: 1,
      payload: "x",
      payloadType: "str",
      wires: [["f"]],
    },
    { id: "f", type: "function", z, func: code, outputs: 1, wires: [["d"]] },
    { id: "d", type: "mqtt out", z, topic: "x", wires: [] },
  ];
  return jobOf(flows);
}

function of(report: Report) {
  const node = report.nodes.find(({ id }) => id === "f");
  if (node === undefined) throw new Error("The function node is not in the report.");
  return node;
}

async function* batches(all: ReadonlyArray<readonly PastEvent[]>): AsyncGenerator<readonly PastEvent[]> {
  yield* all;
}

/** Events that never come. */
async function* never(): AsyncGenerator<readonly PastEvent[]> {
  await new Promise(() => {});
}

function eventAt(offset: number): PastEvent {
  const at = Date.UTC(2026, 0, 5, 8, 30) + offset * 1_000;
  return { channelId: "c", at, event: { offset } as unknown as PastEvent["event"] };
}

function commandOf(pid: number): string {
  return execFileSync("ps", ["-o", "command=", "-p", String(pid)], { encoding: "utf8" });
}

/** The id of the process of the rehearsal, once there is one. */
async function childOf(workRoot: string): Promise<number> {
  let child: number | undefined;
  await until(async () => {
    const [name] = await readdir(workRoot);
    if (name === undefined) return false;
    const text = await readFile(join(workRoot, name, "owner.json"), "utf8").catch(() => "{}");
    child = (JSON.parse(text || "{}") as { child?: number }).child;
    return child !== undefined;
  });
  return child as unknown as number;
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  await eventually(String(isTrue), isTrue);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
