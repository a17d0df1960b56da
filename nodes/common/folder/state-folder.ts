import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { NodeAPI } from "node-red";
import { processWide } from "../process-wide.ts";
import { addPlace, groupOf, placeOf, shareAll } from "./group.ts";

/** Where files that must survive a restart are, and why there. */
export type StateFolder = {
  path: string;
  chosenBy: "environment" | "settings" | "flowfuse" | "default";
  /** Where they may be from before this folder was chosen. What is preferred comes first. */
  former: string[];
};

/** Of each kind of state: a folder in the state folder. */
const NAMES = {
  cursors: "crec-cursors",
  seen: "crec-seen",
  waits: "crec-waits",
  signing: "crec-signing",
  started: "crec-started",
  alerts: "crec-alerts",
  monitor: "crec-monitor",
  rehearsal: "crec-rehearsal",
} as const;
export type StateKind = keyof typeof NAMES;
export const STATE_KINDS = Object.keys(NAMES) as StateKind[];
/** A rehearsal has a copy of the flows, which nobody else needs. */
const SHARED = STATE_KINDS.filter((kind) => kind !== "rehearsal");

/** FlowFuse mounts the persistent storage of an instance here, in the user directory. */
const FLOWFUSE_STORAGE = "storage";

/** Decided once for a process: a folder that appears later must not split the state. */
const decided = processWide("state-folders", () => new Map<string, StateFolder>());

/**
 * The folder for cursors, seen keys and kept waits: `CREC_STATE_DIR`, else `crec.stateDir` of settings.js, else the
 * persistent storage of FlowFuse, else the user directory. A relative path starts at the user directory.
 * @example
 * stateFolder(RED).path; // → "/data"
 */
export function stateFolder(RED: NodeAPI): StateFolder {
  const { userDir, crec, flowforge } = RED.settings as NodeAPI["settings"] & {
    crec?: { stateDir?: unknown };
    flowforge?: unknown;
  };
  const home = resolve(userDir ?? process.cwd());
  const inputs = [home, textOf(process.env.CREC_STATE_DIR), textOf(crec?.stateDir)] as const;
  const key = JSON.stringify(inputs);
  const known = decided.get(key);
  if (known) return known;
  const [, variable, setting] = inputs;
  const storage = join(home, FLOWFUSE_STORAGE);
  // The agent on a device has the same key, but no such folder: there the user directory survives.
  const hasStorage = typeof flowforge === "object" && flowforge !== null && isFolder(storage);
  const places = [
    ...(variable === undefined ? [] : [{ chosenBy: "environment", path: resolve(home, variable) } as const]),
    ...(setting === undefined ? [] : [{ chosenBy: "settings", path: resolve(home, setting) } as const]),
    ...(hasStorage ? [{ chosenBy: "flowfuse", path: storage } as const] : []),
    { chosenBy: "default", path: home } as const,
  ];
  const [{ path, chosenBy }, ...others] = places as [(typeof places)[0], ...typeof places];
  const former = [...new Set(others.map((other) => other.path))].filter((other) => other !== path);
  const found = { path, chosenBy, former };
  decided.set(key, found);
  addPlace(path, chosenBy === "environment" ? groupOf(path, home) : undefined);
  shareState(path);
  return found;
}

/** Gives the files that are in a state folder to the group that shares it: those of this user, which others cannot correct. */
export function shareState(path: string): void {
  const group = placeOf(path)?.group;
  if (group) for (const kind of SHARED) shareAll(folderOfKind(path, kind), group);
}

/** The folder for one kind of state. */
export function stateFolderFor(RED: NodeAPI, kind: StateKind): string {
  return folderOfKind(stateFolder(RED).path, kind);
}

export function folderOfKind(stateFolder: string, kind: StateKind): string {
  return join(stateFolder, NAMES[kind]);
}

/** Undefined for what is empty: a host may set a variable to nothing. */
function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

const kept = processWide("state-in-memory", () => ({ isOn: false }));

/** From now on, nodes of this process keep in memory what they count: for a process that ends with its work. */
export function keepStateInMemory(isOn = true): void {
  kept.isOn = isOn;
}

export function isStateInMemory(): boolean {
  return kept.isOn;
}
