import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeRedOf } from "../rehearsal/parent/installed-node-red.ts";
import { startRehearsal } from "../rehearsal/parent/run.ts";
import type { PastEvent } from "../rehearsal/shared/job.ts";
import { root } from "../scripts/lib/paths.mjs";
import type { ChannelEvent } from "../src/index.ts";
import { createVerifier } from "../src/index.ts";
import { exampleJob } from "../test/support/rehearsed-example.ts";
import { SCENARIO_VARIABLES, scenarioOf } from "../test/support/scenario-files.ts";
import { type Measured, perSecond } from "./measured.ts";
import { skippedOffLinux } from "./memory.ts";
import { sized } from "./sized.ts";

const EVENTS = sized(20_000, 300);
const SCENARIO = sized("burst", "drain");
const BATCH = 1_000;
const EXAMPLE = "02-large-transfer-alert";
const LOOK_MS = 50;
const MIB = 2 ** 20;

/** Past events through the example of large transfers, and the same events through a bare loop that checks them. */
export async function benchRehearsal(): Promise<Measured[]> {
  const file = await scenarioOf(SCENARIO, 1);
  const events = repeated(file.events, EVENTS);
  const past = events.map((event) => ({
    channelId: file.channel.id,
    event,
    at: (event.created_at ?? 0) * 1_000,
  }));
  const job = await exampleJob(EXAMPLE, { ...file, events });
  const empty = await rehearsed({ ...job, span: { from: job.span.from, to: job.span.from } }, []);
  const whole = await rehearsed(job, past);
  const limit = await bareLoop(file.channel.id, events);
  const what = `${EVENTS.toLocaleString("en-US")} events`;
  return [
    { what: `${what} through ${EXAMPLE}`, value: perSecond(EVENTS, whole.ms, "events") },
    { what: `${what}, checked and decoded in a loop`, value: perSecond(EVENTS, limit, "events") },
    { what: "time of a rehearsal of nothing, from its start", value: `${Math.round(empty.ms)} ms` },
    { what: "memory of its process, with nothing", value: memoryText(empty.bytes) },
    { what: `memory of its process, with ${what}`, value: memoryText(whole.bytes) },
    { what: "events that reached the flow", value: whole.delivered.toLocaleString("en-US") },
  ];
}

function memoryText(bytes: number): string {
  return skippedOffLinux ?? `${Math.round(bytes / MIB)} MiB`;
}

/** The same events again and again, each time later: with ids, offsets and times of their own, which nothing signs. */
function repeated(events: readonly ChannelEvent[], count: number): ChannelEvent[] {
  const times = events.map(({ created_at: at }) => at ?? 0);
  const length = Math.max(...times) - Math.min(...times) + 1;
  return Array.from({ length: count }, (_, index) => {
    const event = events[index % events.length] as ChannelEvent;
    const round = Math.floor(index / events.length);
    return {
      ...event,
      event_id: `00000000-0000-4000-8000-${String(index + 1).padStart(12, "0")}`,
      created_at: (event.created_at ?? 0) + round * length,
      headers: { ...event.headers, offset: index + 1 },
    } as ChannelEvent;
  });
}

async function rehearsed(job: Parameters<typeof startRehearsal>[0]["job"], past: readonly PastEvent[]) {
  const workRoot = await mkdtemp(join(tmpdir(), "bench-rehearsal-"));
  const batches = async function* () {
    for (let at = 0; at < past.length; at += BATCH) yield past.slice(at, at + BATCH);
  };
  let bytes = 0;
  const look = setInterval(() => {
    void memoryOfChild().then((found) => {
      bytes = Math.max(bytes, found);
    });
  }, LOOK_MS);
  try {
    const begin = performance.now();
    const options = { nodeRed: nodeRedOf(root), packageFolder: root, job, workRoot, events: batches() };
    const { events } = await startRehearsal(options).report;
    return { ms: performance.now() - begin, bytes, delivered: events.delivered };
  } finally {
    clearInterval(look);
    await rm(workRoot, { recursive: true, force: true });
  }
}

/** The most memory that the process ever had; 0 when it is not there, or the system does not tell. */
async function memoryOfChild(): Promise<number> {
  try {
    const children = await readFile(`/proc/${process.pid}/task/${process.pid}/children`, "utf8");
    const [pid = ""] = children.trim().split(" ");
    const [, kib = "0"] = /VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(kib) * 1024;
  } catch {
    return 0;
  }
}

/** The least that has to be done. Milliseconds. */
async function bareLoop(channelId: string, events: readonly ChannelEvent[]): Promise<number> {
  const variable = (name: string) => SCENARIO_VARIABLES[name] ?? "";
  const verifier = createVerifier({
    orgId: variable("CREC_ORG_ID"),
    creTenantId: variable("CREC_TENANT_ID"),
    validSigners: variable("CREC_VALID_SIGNERS").split(","),
    minRequiredSignatures: Number(variable("CREC_MIN_SIGNATURES")),
  });
  const begin = performance.now();
  for (const event of events) await verifier.verify(event, { channelId });
  return performance.now() - begin;
}
