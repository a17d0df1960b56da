import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Node, NodeAPI } from "node-red";
import type { AlertRule, AlertSettings, AlertStore } from "../../src/index.ts";
import { fileNameOf } from "../common/fields/file-name.ts";
import { isInFlows } from "../common/fields/flow-settings.ts";
import { fleetOf, urlOfEnvironment } from "../common/fleet/fleet.ts";
import { joinFleet } from "../common/fleet/join-fleet.ts";
import { noteSharedRule, sharedRuleOf } from "../common/fleet/shared-rules.ts";
import { LeasedStore } from "../common/folder/leased-store.ts";
import { stateFiles } from "../common/folder/state-files.ts";
import { isStateInMemory, stateFolderFor } from "../common/folder/state-folder.ts";
import { type Library, loadLibrary } from "../common/library.ts";

/** Where a node stores what it has counted. */
export type Memory = {
  /** Whether all copies of the flow share it. */
  isShared: boolean;
  /** The rule, with what is stored. @throws FOLDER_IN_USE, FOLDER_NOT_LOCKED, CONFIG_NODE_DISABLED, CONFIG_NODE_DELETED; what reading the store throws */
  rule(): Promise<AlertRule>;
  /** Writes everything. */
  close(): Promise<void>;
};

type MemoryOptions = {
  settings: AlertSettings;
  library: Library;
  /** The id of the chosen shared state. */
  fleet: string | undefined;
  makeRule: (store: AlertStore) => AlertRule;
  /** Called with a sentence when the file is damaged, or cannot be written. */
  onWarning: (message: string) => void;
};

/** The memory of a node: in a file of its own in the state folder, or in the state that all copies share. */
export function openMemory(RED: NodeAPI, node: Node, options: MemoryOptions): Memory {
  const isShared = Boolean(options.fleet) || urlOfEnvironment() !== "";
  return isShared ? sharedMemory(RED, node, options) : fileMemory(RED, node, options);
}

function fileMemory(RED: NodeAPI, node: Node, { library, makeRule, onWarning }: MemoryOptions): Memory {
  const path = alertsPath(RED, node.id);
  const held = new LeasedStore(RED, async () => {
    const store = isStateInMemory() ? new library.MemoryAlertStore() : undefined;
    const rule = makeRule(store ?? new library.FileAlertStore({ path, onWarning, files: stateFiles }));
    return { rule, load: async () => undefined, close: () => rule.close() };
  });
  return {
    isShared: false,
    rule: async () => (await held.open()).rule,
    close: () => held.close(),
  };
}

function sharedMemory(
  RED: NodeAPI,
  node: Node,
  { fleet: id, makeRule, library, settings }: MemoryOptions,
): Memory {
  const ttlMs = keptMs(settings);
  const open = async () => {
    const ref = fleetOf(RED, id);
    if (!ref) throw new TypeError("There is no shared state");
    const { fleet, leave } = await joinFleet(RED, ref);
    let notedAt: number | undefined;
    /** Where it is deleted, Issues finds what it leaves open. Before its first input, nothing else says that it is there. */
    const note = async () => {
      const isNoted = notedAt !== undefined && performance.now() - notedAt < NOTE_EACH_MS;
      if (isNoted || !settings.recovers) return;
      await noteSharedRule(fleet.shared, sharedRuleOf(RED, node));
      notedAt = performance.now();
    };
    await note().catch(async (error) => {
      await leave();
      throw error;
    });
    const store = new library.SharedAlertStore({ shared: fleet.shared, scope: node.id, ttlMs });
    return { rule: makeRule(store), note, leave };
  };
  let opened: ReturnType<typeof open> | undefined;
  return {
    isShared: true,
    rule: async () => {
      opened ??= open();
      // After an error it is tried again.
      opened.catch(() => {
        opened = undefined;
      });
      const { rule, note } = await opened;
      await note();
      return rule;
    },
    close: async () => {
      const { rule, leave } = (await opened?.catch(() => undefined)) ?? {};
      await rule?.close().finally(leave);
    },
  };
}

const DAY_MS = 86_400_000;
/** Issues of another copy may forget it after ten minutes. */
const NOTE_EACH_MS = 4 * 60_000;

/** Longer than any time that a rule waits for. */
function keptMs({ when, quietMs, slackMs, confirmWithinMs = 0 }: AlertSettings): number {
  const lengths = [
    "withinMs" in when ? when.withinMs : 0,
    when.kind === "rate" ? when.comparedMs : 0,
    when.kind === "absence" ? when.forMs : 0,
    quietMs,
    slackMs,
    confirmWithinMs,
  ];
  return 2 * (lengths.reduce((sum, one) => sum + one, 0) + DAY_MS);
}

/** Deletes the memory of a node that is no longer in the flows, unless it has open alerts: Issues lists these. */
export async function removeMemory(RED: NodeAPI, node: Node): Promise<void> {
  if (isInFlows(RED.nodes, node)) return;
  const path = alertsPath(RED, node.id);
  if (!existsSync(path) || (await hasOpenAlerts(path))) return;
  await stateFiles.rm(path, { force: true });
}

async function hasOpenAlerts(path: string): Promise<boolean> {
  const { FileAlertStore, openAlertsIn } = await loadLibrary();
  const store = new FileAlertStore({ path, files: stateFiles });
  try {
    return (await openAlertsIn(store)).length > 0;
  } finally {
    await store.close();
  }
}

/** Each node has a file of its own. */
export function alertsPath(RED: NodeAPI, id: string): string {
  return join(stateFolderFor(RED, "alerts"), `${fileNameOf(id)}.log`);
}
