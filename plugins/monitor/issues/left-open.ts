import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { NodeRedContext } from "../../../nodes/common/context.ts";
import { fileNameOf } from "../../../nodes/common/fields/file-name.ts";
import { type FleetNode, type FleetRef, fleetOfEnvironment } from "../../../nodes/common/fleet/fleet.ts";
import { type Fleet, fleetKey, joinFleet, wasJoined } from "../../../nodes/common/fleet/join-fleet.ts";
import {
  forgetSharedRule,
  type NotedRule,
  otherRulesOf,
  removeSharedMemory,
} from "../../../nodes/common/fleet/shared-rules.ts";
import type { Flows } from "../../../nodes/common/flows/flows.ts";
import { LeasedStore } from "../../../nodes/common/folder/leased-store.ts";
import { stateFiles } from "../../../nodes/common/folder/state-files.ts";
import { stateFolderFor } from "../../../nodes/common/folder/state-folder.ts";
import { loadLibrary } from "../../../nodes/common/library.ts";
import { AWAY_MS } from "../../../src/alerts/rule/rule-uses.ts";
import type { RaisedAlert } from "../../../src/index.ts";

/** What a node that is gone has left in its file, or in a shared state: there by the name of the file that it would have. */
type LeftOpen = { file: string; label: string; alerts: readonly RaisedAlert[] };

/** What is deployed, and where nodes keep what they must remember. */
type Deployed = NodeRedContext & { readonly flows: Flows };

const ENDING = ".log";
/** A file is read again only when it has changed. */
const knownFiles = new Map<string, { state: string; alerts: readonly RaisedAlert[] }>();

/** The open alerts of alert nodes that are not in the flows any more: nothing will tell their end. */
export async function leftOpen(deployed: Deployed): Promise<LeftOpen[]> {
  const places = [openInFiles(deployed), sharedLeftOpen(deployed)];
  const left = await Promise.allSettled(places);
  // One that cannot be read hides no other.
  return left.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
}

async function openInFiles(deployed: Deployed): Promise<LeftOpen[]> {
  const files = await filesWithoutNode(deployed);
  for (const file of knownFiles.keys()) if (!files.includes(file)) knownFiles.delete(file);
  if (files.length === 0) return [];
  const left = await whileHeld(deployed, () =>
    Promise.allSettled(files.map((file) => readOpen(file, pathOf(deployed, file)))),
  );
  return left.flatMap((one) =>
    one.status === "fulfilled" && one.value.alerts.length > 0 ? [one.value] : [],
  );
}

/** A person has closed them where they were sent to. */
export async function forgetLeftOpen(deployed: Deployed, file: string): Promise<void> {
  await forgetSharedLeftOpen(deployed, file);
  if (!(await filesWithoutNode(deployed)).includes(file)) return;
  await whileHeld(deployed, () => rm(pathOf(deployed, file), { force: true }));
}

async function filesWithoutNode(deployed: Deployed): Promise<string[]> {
  const names = await readdir(stateFolderFor(deployed.RED, "alerts")).catch(() => []);
  const used = new Set(deployed.flows.deployedIds("crec-alert").map((id) => fileNameOf(id)));
  return names
    .filter((name) => name.endsWith(ENDING))
    .map((name) => name.slice(0, -ENDING.length))
    .filter((name) => !used.has(name));
}

async function readOpen(file: string, path: string): Promise<LeftOpen> {
  const { mtimeMs, size } = await stat(path);
  const state = `${mtimeMs} ${size}`;
  const before = knownFiles.get(file);
  if (before?.state === state) return { file, label: file, alerts: before.alerts };
  const { FileAlertStore, openAlertsIn } = await loadLibrary();
  const store = new FileAlertStore({ path, files: stateFiles });
  try {
    const alerts = await openAlertsIn(store);
    knownFiles.set(file, { state, alerts });
    return { file, label: file, alerts };
  } finally {
    await store.close();
  }
}

/** Nothing in the folder is touched that another process uses. @throws FOLDER_IN_USE, FOLDER_NOT_LOCKED */
async function whileHeld<T>(nodeRed: NodeRedContext, work: () => Promise<T>): Promise<T> {
  const held = new LeasedStore(nodeRed.RED, async () => ({ load: async () => {}, close: async () => {} }));
  try {
    await held.open();
    return await work();
  } finally {
    await held.close();
  }
}

function pathOf(deployed: NodeRedContext, file: string): string {
  return join(stateFolderFor(deployed.RED, "alerts"), `${file}${ENDING}`);
}

/** What is left is read again, and renewed, after this time. */
const AGAIN_MS = 10 * 60_000;
/** An engine that is away must not hold up what is in files. */
const LONGEST_MS = 3_000;
/** Longer than until it is renewed. */
const KEPT_MS = 7 * 86_400_000;

/** By shared state and node. */
const knownShared = new Map<string, { readAt: number; alerts: readonly RaisedAlert[] }>();

/**
 * The open alerts that deleted alert nodes have left in shared state. A node that is not in the flows of this copy may be
 * in those of another one, during a rolling update: one that a copy has had within minutes is not deleted.
 */
async function sharedLeftOpen(deployed: Deployed): Promise<LeftOpen[]> {
  const found = await inEach(deployed, async (shared, name) => {
    const left: LeftOpen[] = [];
    for (const rule of await deletedIn(deployed, shared)) {
      const { id, label } = rule;
      const alerts = await alertsOf(shared, id, `${name} ${id}`);
      if (alerts.length > 0) left.push({ file: fileNameOf(id), label, alerts });
      else await forgetSharedRule(shared, rule);
    }
    return left;
  });
  return found.flat();
}

/** A person has closed them where they were sent to. */
async function forgetSharedLeftOpen(deployed: Deployed, file: string): Promise<void> {
  await inEach(deployed, async (shared, name) => {
    for (const rule of await deletedIn(deployed, shared)) {
      const { id } = rule;
      if (fileNameOf(id) !== file) continue;
      await removeSharedMemory(shared, id);
      await forgetSharedRule(shared, rule);
      knownShared.delete(`${name} ${id}`);
    }
  });
}

async function deletedIn(deployed: Deployed, shared: Fleet["shared"]): Promise<NotedRule[]> {
  const { isRuleInUse } = await loadLibrary();
  const others = await otherRulesOf(deployed.RED, shared, new Set(deployed.flows.deployedIds("crec-alert")));
  const deleted: NotedRule[] = [];
  for (const rule of others) {
    // Before its first input, a node has nothing but its note.
    if (Date.now() - rule.notedAt < AWAY_MS) continue;
    if (!(await isRuleInUse(await storeOf(shared, rule.id)))) deleted.push(rule);
  }
  return deleted;
}

async function alertsOf(shared: Fleet["shared"], id: string, name: string): Promise<readonly RaisedAlert[]> {
  const before = knownShared.get(name);
  if (before !== undefined && Date.now() - before.readAt < AGAIN_MS) return before.alerts;
  const { openAlertsIn } = await loadLibrary();
  const alerts = await openAlertsIn(await storeOf(shared, id), { renews: true });
  knownShared.set(name, { readAt: Date.now(), alerts });
  return alerts;
}

async function storeOf(shared: Fleet["shared"], scope: string) {
  const { SharedAlertStore } = await loadLibrary();
  return new SharedAlertStore({ shared, scope, ttlMs: KEPT_MS });
}

/** In each shared state that nodes of this process use, or have used. One that is away has no answer. */
async function inEach<T>(
  deployed: Deployed,
  ask: (shared: Fleet["shared"], name: string) => Promise<T>,
): Promise<T[]> {
  const refs = new Map<string, FleetRef>();
  const chosen = deployed.flows
    .deployedIds("crec-fleet")
    .map((id) => (deployed.RED.nodes.getNode(id) as Partial<FleetNode> | null)?.fleet);
  for (const ref of [...chosen, fleetOfEnvironment()]) {
    if (ref && !ref.problem && wasJoined(ref.settings)) refs.set(fleetKey(ref.settings), ref);
  }
  const answers = [...refs].map(async ([name, ref]) => {
    const { fleet, leave } = await joinFleet(deployed.RED, ref);
    try {
      return await ask(fleet.shared, name);
    } finally {
      await leave();
    }
  });
  const settled = await Promise.allSettled(answers.map(inTime));
  return settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
}

async function inTime<T>(answer: Promise<T>): Promise<T> {
  const end = new AbortController();
  const late = sleep(LONGEST_MS, undefined, { signal: end.signal, ref: false }).then(() => {
    throw new Error("It took too long.");
  });
  return Promise.race([answer, late]).finally(() => end.abort());
}
