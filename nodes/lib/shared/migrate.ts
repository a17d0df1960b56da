import type { NodeDescription } from "./fields.ts";

/** Settings as an older version of a node stored them, brought up to date. Without a version they are current. */
export function migrate<T extends object>({ version, migrations }: NodeDescription, stored: T): T {
  const from = (stored as { version?: unknown }).version;
  if (typeof from !== "number") return stored;
  let settings = { ...stored } as Record<string, unknown>;
  for (let old = from; old < version; old += 1) settings = migrations?.[old]?.(settings) ?? settings;
  return { ...settings, version } as unknown as T;
}

/** Whether a newer version of this package stored these settings. */
export function isNewer({ version }: NodeDescription, stored: object): boolean {
  return Number((stored as { version?: unknown }).version ?? version) > version;
}
