import { createHash, randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { NodeAPI } from "node-red";
import type { Copy, LeaseKeeper, SharedState } from "../../../src/index.ts";
import { type Library, loadLibrary } from "../library.ts";
import { processWide } from "../process-wide.ts";
import { StateWatch } from "../status/state-watch.ts";
import { activity } from "../telemetry/activity.ts";
import type { FleetRef, FleetSettings } from "./fleet.ts";

/** What this process shares with other copies, by one engine and namespace. */
export type Fleet = {
  /** This process. */
  copy: Copy;
  leaseMs: number;
  shared: SharedState;
  /** Keeps the leases of all nodes of this process. */
  keeper(): LeaseKeeper;
  /** No other copy can share it, as in a rehearsal. */
  isAlone?: boolean;
  /** How many leases the nodes of this process want. */
  wanted: number;
};

export type Joined = {
  fleet: Fleet;
  /** What the last one leaves is closed; its leases are released first. Never rejects. */
  leave(): Promise<void>;
};

type Opened = Fleet & { close(): Promise<void> };
type Entry = { users: number; opened: Promise<Opened> };
type Registry = {
  /**
   * By shared state, each for the life of the process, so that it gets its leases back after a deploy. Two that lead to
   * one engine, as with leases of two lengths, need two: with the same, each would count for the other.
   */
  copyIds: Map<string, string>;
  entries: Map<string, Entry>;
  /** What is being closed: the next one does not open before. */
  closing: Map<string, Promise<void>>;
  /** What was logged: a deploy does not log it again. */
  logged: Set<string>;
};

const registry = processWide(
  "fleets",
  (): Registry => ({ copyIds: new Map(), entries: new Map(), closing: new Map(), logged: new Set() }),
);
/** An engine that does not answer must not keep Node-RED from closing its nodes. */
const CLOSE_MS = 3_000;

/**
 * Opens shared state, together with all nodes of this process that use the same one. It works without the engine: then
 * each of its calls fails.
 */
export async function joinFleet(RED: NodeAPI, ref: FleetRef): Promise<Joined> {
  const key = fleetKey(ref.settings);
  const entry = registry.entries.get(key) ?? { users: 0, opened: open(RED, ref) };
  registry.entries.set(key, entry);
  entry.users += 1;
  let hasLeft = false;
  const leave = async (): Promise<void> => {
    if (hasLeft) return;
    hasLeft = true;
    entry.users -= 1;
    if (entry.users > 0) return;
    registry.entries.delete(key);
    const closed = withinTime(entry.opened.then((opened) => opened.close()));
    registry.closing.set(key, closed);
    await closed;
    if (registry.closing.get(key) === closed) registry.closing.delete(key);
  };
  try {
    return { fleet: await entry.opened, leave };
  } catch (error) {
    await leave();
    throw error;
  }
}

/** Whether a node of this process uses a shared state, or has used it. */
export function wasJoined(settings: FleetSettings): boolean {
  const key = fleetKey(settings);
  return registry.entries.has(key) || registry.copyIds.has(key);
}

/** Whether the engine of a shared state that nodes use does not say what it evicts. */
export async function isEvictionUnknown(settings: FleetSettings): Promise<boolean> {
  const opened = await registry.entries.get(fleetKey(settings))?.opened;
  return opened?.shared.isEvictionUnknown === true;
}

/** From now on, who asks for this shared state gets the given one, and it stays open. Nothing is opened by its URL. */
export function provideFleet(settings: FleetSettings, open: () => Promise<SharedState>): void {
  const copy = { id: randomUUID(), name: copyName() };
  const provide = async () => {
    const { LeaseKeeper } = await loadLibrary();
    const opened = fleetOfShared(LeaseKeeper, { shared: await open(), copy, leaseMs: settings.leaseMs });
    return { ...opened, isAlone: true };
  };
  registry.entries.set(fleetKey(settings), { users: 1, opened: provide() });
}

function fleetOfShared(
  Keeper: typeof LeaseKeeper,
  { shared, copy, leaseMs }: Pick<Fleet, "shared" | "copy" | "leaseMs">,
): Opened {
  let keeper: LeaseKeeper | undefined;
  return {
    ...{ copy, leaseMs, shared, wanted: 0 },
    keeper: () => {
      keeper ??= new Keeper({ shared, copy, leaseMs });
      return keeper;
    },
    close: async () => {
      await keeper?.stop();
      await shared.close();
    },
  };
}

/** The same for the same shared state. Says nothing about the URL. */
export function fleetKey(settings: FleetSettings): string {
  return createHash("sha256").update(JSON.stringify(settings)).digest("hex");
}

async function open(RED: NodeAPI, { settings, origin }: FleetRef): Promise<Opened> {
  const key = fleetKey(settings);
  await registry.closing.get(key);
  const library = await loadLibrary();
  const shared = await openState(library, settings);
  const id = registry.copyIds.get(key) ?? randomUUID();
  registry.copyIds.set(key, id);
  const copy = { id, name: copyName() };
  const text = origin ? "common.log.fleet" : "common.log.fleet-of-environment";
  const line = RED._(text, { label: shared.label, copy: copy.name });
  if (!registry.logged.has(line)) RED.log.info(line);
  registry.logged.add(line);
  const watch = new StateWatch(shared, origin === undefined);
  const place = origin ?? { node: "", flow: "", type: "crec-fleet", label: shared.label };
  const forget = activity.sharedStates.add(() => ({ ...place, ...watch.report() }));
  const opened = fleetOfShared(library.LeaseKeeper, {
    shared: watch.shared,
    copy,
    leaseMs: settings.leaseMs,
  });
  return { ...opened, close: () => opened.close().finally(forget) };
}

/** Connects with its first call. */
export function openState(
  { openSharedState }: Pick<Library, "openSharedState">,
  { url, namespace, sentinel, tls }: FleetSettings,
): Promise<SharedState> {
  return openSharedState(url, {
    ...(namespace === "" ? {} : { namespace }),
    ...(sentinel ? { sentinel } : {}),
    ...(tls ? { tls } : {}),
  });
}

/** What people call this copy: its host, which is the pod under Kubernetes, and its name under FlowFuse. */
function copyName(): string {
  const { FF_DEVICE_NAME, FF_INSTANCE_NAME } = process.env;
  const instance = (FF_DEVICE_NAME || FF_INSTANCE_NAME || "").trim();
  return instance === "" ? hostname() : `${instance} (${hostname()})`;
}

async function withinTime(work: Promise<void>): Promise<void> {
  const late = new AbortController();
  const tooLate = sleep(CLOSE_MS, undefined, { signal: late.signal });
  await Promise.race([work, tooLate]).catch(() => {});
  late.abort();
}
