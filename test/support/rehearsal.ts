import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeRedOf } from "../../rehearsal/parent/installed-node-red.ts";
import { startRehearsal } from "../../rehearsal/parent/run.ts";
import { type FlowNode, type Job, type PastEvent, REPORT_LIMITS } from "../../rehearsal/shared/job.ts";
import type { Report } from "../../rehearsal/shared/report.ts";
import { root } from "../../scripts/lib/paths.mjs";

/** An hour of a Monday in winter. */
export const SPAN = { from: Date.UTC(2026, 0, 5, 8), to: Date.UTC(2026, 0, 5, 9) };

const BATCH = 1_000;

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

/** Rehearses flows in a real process. `nodeRed`: a folder from which Node-RED is found. */
export async function rehearse(job: Job, events: readonly PastEvent[] = [], nodeRed = root): Promise<Report> {
  const workRoot = await mkdtemp(join(tmpdir(), "rehearsal-test-"));
  try {
    const options = { nodeRed: nodeRedOf(nodeRed), packageFolder: root, job, workRoot };
    return await startRehearsal({ ...options, events: batchesOf(events) }).report;
  } finally {
    await rm(workRoot, { recursive: true, force: true });
  }
}

async function* batchesOf(events: readonly PastEvent[]): AsyncGenerator<readonly PastEvent[]> {
  for (let at = 0; at < events.length; at += BATCH) yield events.slice(at, at + BATCH);
}
