import { fork } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { FlowNode, Job, PastEvent } from "../../rehearsal/shared/job.ts";
import { REPORT_LIMITS } from "../../rehearsal/shared/job.ts";
import type { ToChild, ToParent } from "../../rehearsal/shared/messages.ts";
import type { Report } from "../../rehearsal/shared/report.ts";
import type { ChildSetup } from "../../rehearsal/shared/setup.ts";
import { root } from "../../scripts/lib/paths.mjs";

export const SPAN = { from: Date.UTC(2026, 0, 5, 8), to: Date.UTC(2026, 0, 5, 9) };

export function jobOf(flows: readonly FlowNode[], changes: Partial<Job> = {}): Job {
  return {
    flows,
    environment: {},
    span: SPAN,
    seed: 1,
    timeZone: "Europe/Berlin",
    language: "en-US",
    snapshot: { networks: [], wallets: [], channels: [] },
    modules: [],
    replies: {},
    askQueries: false,
    limits: REPORT_LIMITS,
    ...changes,
  };
}

/** Rehearses flows in a real child process. */
export async function rehearse(job: Job, events: readonly PastEvent[] = [], nodeRed = root): Promise<Report> {
  const workFolder = await mkdtemp(join(tmpdir(), "rehearsal-test-"));
  const find = (name: string, from: string) =>
    dirname(createRequire(join(from, "package.json")).resolve(`${name}/package.json`));
  const runtime = find("@node-red/runtime", find("node-red", nodeRed));
  const setup: ChildSetup = {
    nodeRed: {
      version: "",
      runtime,
      util: find("@node-red/util", runtime),
      nodes: find("@node-red/nodes", find("node-red", nodeRed)),
      readable: [],
    },
    packageFolder: root,
    workFolder,
    modules: job.modules,
    timeZone: job.timeZone,
    language: job.language,
  };
  const child = fork(join(root, "dist/rehearsal.js"), [JSON.stringify(setup)], {
    cwd: workFolder,
    env: {},
    execArgv: [],
    serialization: "advanced",
  });
  try {
    return await new Promise<Report>((resolve, reject) => {
      let next = 0;
      const send = (message: ToChild) => child.send(message);
      child.on("message", (message: ToParent) => {
        if (message.kind === "ready") send({ kind: "job", job });
        else if (message.kind === "more") {
          const batch = events.slice(next, next + 1_000);
          next += batch.length;
          send({ kind: "events", events: batch, isLast: next >= events.length });
        } else if (message.kind === "report") resolve(message.report);
        else if (message.kind === "failed") reject(new Error(message.message));
      });
      child.once("exit", (code) => reject(new Error(`The child ended with ${code}.`)));
    });
  } finally {
    child.kill("SIGKILL");
    await rm(workFolder, { recursive: true, force: true });
  }
}
