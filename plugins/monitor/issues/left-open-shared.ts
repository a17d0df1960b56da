import { setTimeout as sleep } from "node:timers/promises";
import type { NodeAPI } from "node-red";
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
import { loadLibrary } from "../../../nodes/common/library.ts";
import { AWAY_MS } from "../../../src/alerts/rule/rule-uses.ts";
import type { RaisedAlert } from "../../../src/index.ts";

/** What a node that is gone has left in its file, or in a shared state: there by the name of the file that it would have. */
export type LeftOpen = { file: string; label: string; alerts: readonly RaisedAlert[] };

/** What is left is read again, and renewed, after this time. */
const AGAIN_MS = 10 * 60_000;
/** An engine that is away must not hold up what is in files. */
const LONGEST_MS = 3_000;
/** Longer than until it is renewed. */
const KEPT_MS = 7 * 86_400_000;

/** By shared state and node. */
const known = new Map<string, { readAt: number; alerts: readonly RaisedAlert[] }>();

/**
 * The open alerts that deleted alert nodes have left in shared state. A node that is not in the flows of this copy may be
 * in those of another one, during a rolling update: one that a copy has had within minutes is not deleted.
 */
export async function sharedLeftOpen(RED: NodeAPI, flows: Flows): Promise<LeftOpen[]> {
  const found = await inEach(RED, flows, async (shared, name) => {
    const left: LeftOpen[] = [];
    for (const rule of await deletedIn(RED, shared, flows)) {
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
export async function forgetSharedLeftOpen(RED: NodeAPI, flows: Flows, file: string): Promise<void> {
  await inEach(RED, flows, async (shared, name) => {
    for (const rule of await deletedIn(RED, shared, flows)) {
      const { id } = rule;
      if (fileNameOf(id) !== file) continue;
      await removeSharedMemory(shared, id);
      await forgetSharedRule(shared, rule);
      known.delete(`${name} ${id}`);
    }
  });
}

async function deletedIn(RED: NodeAPI, shared: Fleet["shared"], flows: Flows): Promise<NotedRule[]> {
  const { isRuleInUse } = await loadLibrary();
  const others = await otherRulesOf(RED, shared, new Set(flows.deployedIds("crec-alert")));
  const deleted: NotedRule[] = [];
  for (const rule of others) {
    // Before its first input, a node has nothing but its note.
    if (Date.now() - rule.notedAt < AWAY_MS) continue;
    if (!(await isRuleInUse(await storeOf(shared, rule.id)))) deleted.push(rule);
  }
  return deleted;
}

async function alertsOf(shared: Fleet["shared"], id: string, name: string): Promise<readonly RaisedAlert[]> {
  const before = known.get(name);
  if (before !== undefined && Date.now() - before.readAt < AGAIN_MS) return before.alerts;
  const { openAlertsIn } = await loadLibrary();
  const alerts = await openAlertsIn(await storeOf(shared, id), { renews: true });
  known.set(name, { readAt: Date.now(), alerts });
  return alerts;
}

async function storeOf(shared: Fleet["shared"], scope: string) {
  const { SharedAlertStore } = await loadLibrary();
  return new SharedAlertStore({ shared, scope, ttlMs: KEPT_MS });
}

/** In each shared state that nodes of this process use, or have used. One that is away has no answer. */
async function inEach<T>(
  RED: NodeAPI,
  flows: Flows,
  ask: (shared: Fleet["shared"], name: string) => Promise<T>,
): Promise<T[]> {
  const refs = new Map<string, FleetRef>();
  const chosen = flows
    .deployedIds("crec-fleet")
    .map((id) => (RED.nodes.getNode(id) as Partial<FleetNode> | null)?.fleet);
  for (const ref of [...chosen, fleetOfEnvironment()]) {
    if (ref && !ref.problem && wasJoined(ref.settings)) refs.set(fleetKey(ref.settings), ref);
  }
  const answers = [...refs].map(async ([name, ref]) => {
    const { fleet, leave } = await joinFleet(RED, ref);
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
