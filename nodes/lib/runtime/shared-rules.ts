import type { Node, NodeAPI } from "node-red";
import type { SharedState } from "../../../src/index.ts";

/** An alert node that remembers in a shared state whether alerts are open. */
export type SharedRule = {
  /** Of the node. */
  id: string;
  label: string;
  /** The tabs of its flows: others may share the state, too. */
  tabs: string[];
};

type Records = Pick<SharedState, "readRecord" | "writeRecord" | "recordKeys">;

const SCOPE = "alert rules";
/** Longer than a node runs without a deploy or a restart. */
const KEPT_MS = 400 * 86_400_000;
const MOST_TABS = 200;
const MOST_RULES = 10_000;
/** Above what a rule leaves to its store. */
const MOST_KEYS = 1_200_000;

export function sharedRuleOf(RED: NodeAPI, { id, name }: Pick<Node, "id" | "name">): SharedRule {
  return { id, label: name || id, tabs: tabsOf(RED).slice(0, MOST_TABS) };
}

/** Notes that there is such a node, so that it is known when it is deleted. */
export async function noteSharedRule(shared: Records, { id, ...value }: SharedRule): Promise<void> {
  const revision = (await shared.readRecord(SCOPE, id))?.revision ?? 0;
  // Another copy may write the same.
  await shared.writeRecord({ ...{ scope: SCOPE, key: id, revision, value }, ttlMs: KEPT_MS });
}

/** The nodes of these flows, by those of their tabs that are still there, which are not deployed here. */
export async function otherRulesOf(
  RED: NodeAPI,
  shared: Records,
  deployed: ReadonlySet<string>,
): Promise<SharedRule[]> {
  const tabs = new Set(tabsOf(RED));
  const ids = (await shared.recordKeys(SCOPE, MOST_RULES)).filter((id) => !deployed.has(id));
  const rules = await Promise.all(
    ids.map(async (id): Promise<SharedRule | undefined> => {
      const value = (await shared.readRecord(SCOPE, id))?.value as Partial<SharedRule> | undefined;
      const { label = id, tabs = [] } = value ?? {};
      return value === undefined ? undefined : { id, label, tabs };
    }),
  );
  return rules.filter((rule) => rule !== undefined).filter((rule) => rule.tabs.some((id) => tabs.has(id)));
}

/** Forgets that there was such a node. */
export async function forgetSharedRule(shared: Records, id: string): Promise<void> {
  await remove(shared, SCOPE, id);
}

/** Removes what a node remembers. */
export async function removeSharedMemory(shared: Records, id: string): Promise<void> {
  for (const key of await shared.recordKeys(id, MOST_KEYS)) await remove(shared, id, key);
}

async function remove(shared: Records, scope: string, key: string): Promise<void> {
  const record = await shared.readRecord(scope, key);
  if (record === undefined) return;
  await shared.writeRecord({ ...{ scope, key, revision: record.revision }, value: undefined, ttlMs: 1 });
}

function tabsOf(RED: NodeAPI): string[] {
  const tabs: string[] = [];
  RED.nodes.eachNode(({ id, type }) => {
    if (type === "tab") tabs.push(id);
  });
  return tabs;
}
