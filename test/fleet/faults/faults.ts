import { setTimeout as sleep } from "node:timers/promises";
import { LEASE_MS } from "./flow.ts";
import { steadyMs } from "./records.ts";
import type { Stage } from "./stage.ts";

/** What happened to the fleet, and how soon it went on. */
export type Incident = {
  kind: FaultKind;
  /** The copy that was reading. */
  copy: string;
  atMs: number;
  /** The first message of another lease left so many milliseconds later. */
  nextAfterMs: number;
  /** Whether the reader could not say that it stops, could say so, or another copy was not to take over. */
  handOver: "fail-over" | "orderly" | "none";
};

/** Long enough for a lease to end while it lasts. */
const LASTING_MS = 2 * LEASE_MS;
/** A part of each cursor. */
const SAVED = '"handedOut"';
/** More than a copy has reserved when it stops reading. */
const FAR_AHEAD = 30;

const FAULTS = {
  /** The process ends at once, and is started again. */
  kill: async (stage) => {
    const reader = await stage.reader();
    await reader.nodeRed.kill();
    const incident = await failOver(stage, reader.name);
    await reader.start();
    return incident;
  },
  /** The process stands still for two leases. */
  pause: async (stage) => {
    const reader = await stage.reader();
    reader.suspend();
    const incident = await failOver(stage, reader.name);
    await sleep(Math.max(0, incident.atMs + LASTING_MS - steadyMs()));
    reader.goOn();
    return incident;
  },
  /** The database loses its power for a moment. */
  "engine restart": async (stage) => {
    const reader = await stage.reader();
    await stage.engine.kill();
    const atMs = steadyMs();
    await stage.engine.restart();
    return goesOn(stage, reader.name, atMs);
  },
  /** The reader's connection to the database is cut. */
  "engine cut": async (stage) => {
    const reader = await stage.reader();
    reader.toEngine.cut();
    const incident = await failOver(stage, reader.name);
    await sleep(Math.max(0, incident.atMs + LASTING_MS - steadyMs()));
    reader.toEngine.restore();
    return incident;
  },
  /** A cursor that the reader saves arrives late: when the next reader has read on and was killed. */
  "engine late": async (stage) => {
    const reader = await stage.reader();
    await reader.toEngine.hangAt(SAVED);
    const incident = await failOver(stage, reader.name);
    await stage.progress(FAR_AHEAD);
    const nextReader = await stage.reader();
    await nextReader.nodeRed.kill();
    reader.toEngine.resume();
    await nextReader.start();
    await goesOn(stage, nextReader.name, steadyMs());
    return incident;
  },
  /** The reader's connection to the service is cut. It keeps the lease. */
  "service cut": async (stage) => {
    const reader = await stage.reader();
    const atMs = steadyMs();
    reader.toService.cut();
    await sleep(LASTING_MS);
    reader.toService.restore();
    return goesOn(stage, reader.name, atMs);
  },
  redeploy: async (stage) => {
    const reader = await stage.reader();
    const atMs = steadyMs();
    const deployed = stage.deploy(reader);
    const incident = await nextLease(stage, reader.name, atMs);
    await deployed;
    return incident;
  },
  /** The process ends in order, and is started again. */
  stop: async (stage) => {
    const reader = await stage.reader();
    const atMs = steadyMs();
    const stopped = reader.nodeRed.stop();
    const incident = await nextLease(stage, reader.name, atMs);
    await stopped;
    await reader.start();
    return incident;
  },
} as const satisfies Record<string, (stage: Stage) => Promise<Omit<Incident, "kind">>>;

export type FaultKind = keyof typeof FAULTS;
export const FAULT_KINDS = Object.keys(FAULTS) as FaultKind[];

/** Does it to the copy that reads, and waits until the fleet goes on. */
export async function inflict(stage: Stage, kind: FaultKind): Promise<Incident> {
  return { kind, ...(await FAULTS[kind](stage)) };
}

/** Waits until another copy sends something, after the reader was stopped right now. */
async function failOver(stage: Stage, reader: string): Promise<Omit<Incident, "kind">> {
  const atMs = steadyMs();
  const sent = await stage.records.sentAfter(atMs, ({ copy }) => copy !== reader);
  return { copy: reader, atMs, nextAfterMs: sent.atMs - atMs, handOver: "fail-over" };
}

/** Waits until something is sent under a later lease. */
async function nextLease(stage: Stage, reader: string, atMs: number): Promise<Omit<Incident, "kind">> {
  const before = stage.epochAt(atMs);
  const sent = await stage.records.sentAfter(atMs, ({ epoch = 0 }) => epoch > before);
  return { copy: reader, atMs, nextAfterMs: sent.atMs - atMs, handOver: "orderly" };
}

/** Waits until something is sent from now on, under whatever lease. */
async function goesOn(stage: Stage, reader: string, atMs: number): Promise<Omit<Incident, "kind">> {
  const sent = await stage.records.sentAfter(steadyMs(), () => true);
  return { copy: reader, atMs, nextAfterMs: sent.atMs - atMs, handOver: "none" };
}
