import type { Node, NodeAPI } from "node-red";
import type { SharedState } from "../../../src/index.ts";

/** An alert node that remembers in a shared state whether alerts are open. */
type SharedRule = {
  /** Of the node. */
  id: string;
  label: string;
  /** The tabs of its flows: others may share the state, too. */
  tabs: string[];
};

/** One as it was read: `notedAt` by the clock of the copy that noted it. */
export type NotedRule = SharedRule & { notedAt: number; revision: number };

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
export async function noteSharedRule(
  shared: Records,
  { id, ...rule }: SharedRule,
  notedAt: number = Date.now(),
): Promise<void> {
  const revision = (await shared.readRecord(SCOPE, id))?.revision ?? 0;
  const value = { ...rule, notedAt };
  // Another copy may write the same.
  await shared.writeRecord({ ...{ scope: SCOPE, key: id, revision, value }, ttlMs: KEPT_MS });
}

/** The nodes of these flows, by those of their tabs that are still there, which are not deployed here. */
export async function otherRulesOf(
  RED: NodeAPI,
  shared: Records,
  deployed: ReadonlySet<string>,
): Promise<NotedRule[]> {
  const tabs = new Set(tabsOf(RED));
  const ids = (await shared.recordKeys(SCOPE, MOST_RULES)).filter((id) => !deployed.has(id));
  const rules = await Promise.all(
    ids.map(async (id): Promise<NotedRule | undefined> => {
      const { value, revision = 0 } = (await shared.readRecord(SCOPE, id)) ?? {};
      const { label = id, tabs = [], notedAt = 0 } = (value ?? {}) as Partial<NotedRule>;
      return value === undefined ? undefined : { id, label, tabs, notedAt, revision };
    }),
  );
  return rules.filter((rule) => rule !== undefined).filter((rule) => rule.tabs.some((id) => tabs.has(id)));
}

/** Forgets that there was such a node, unless a copy has noted it since. */
export async function forgetSharedRule(
  shared: Records,
  { id, revision }: Pick<NotedRule, "id" | "revision">,
): Promise<void> {
  await shared.writeRecord({ ...{ scope: SCOPE, key: id, revision }, value: undefined, ttlMs: 1 });
}

/** Removes what a node remembers. */
export async function removeSharedMemory(shared: Records, id: string): Promise<void> {
  for (const key of await shared.recordKeys(id, MOST_KEYS)) {
    const record = await shared.readRecord(id, key);
    if (record === undefined) continue;
    await shared.writeRecord({ scope: id, key, revision: record.revision, value: undefined, ttlMs: 1 });
  }
}

function tabsOf(RED: NodeAPI): string[] {
  const tabs: string[] = [];
  RED.nodes.eachNode(({ id, type }) => {
    if (type === "tab") tabs.push(id);
  });
  return tabs;
}
