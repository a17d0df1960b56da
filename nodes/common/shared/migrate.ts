import type { NodeDescription } from "./fields.ts";

/**
 * Settings as an older version of a node stored them, migrated to the current version. Settings without a version are
 * current. Those of a newer version keep it: that version must not migrate them a second time.
 */
export function migrate<T extends object>({ version, migrations = {} }: NodeDescription, stored: T): T {
  const from = (stored as { version?: unknown }).version;
  if (typeof from !== "number" || from >= version) return stored;
  let settings = { ...stored } as Record<string, unknown>;
  // Numbers are in ascending order among the properties of an object.
  for (const [old, next] of Object.entries(migrations)) {
    if (Number(old) >= from && Number(old) < version) settings = next(settings);
  }
  return { ...settings, version } as unknown as T;
}

/** Whether a newer version of this package stored these settings. */
export function isNewer({ version }: NodeDescription, stored: object): boolean {
  return Number((stored as { version?: unknown }).version ?? version) > version;
}
