import type { NodeAPI } from "node-red";
import { storedValue } from "../fields/flow-settings.ts";
import { isReference } from "../shared/variables.ts";

/** A setting of a node: as it is stored in the flow, and with its variable resolved. */
export type Setting = { written: string; resolved: string };

/** A setting of a deployed node, which the form may leave to a default. */
export function storedSetting(RED: NodeAPI, id: string, field: string, resolved: string): Setting {
  const stored = storedValue(RED.nodes, id, field);
  return { written: (typeof stored === "string" ? stored : resolved).trim(), resolved };
}

/** Whether a setting is a variable of the environment. A flow can set variables too: those do not count. */
export function isFrom(
  environment: Readonly<Record<string, string | undefined>>,
  { written, resolved }: Setting,
): boolean {
  return isReference(written) && environment[written.slice(2, -1)]?.trim() === resolved;
}

/** Under any name: a flow can rename a variable of the environment. */
export function isInEnvironment(key: string): boolean {
  return Object.values(process.env).some((value) => value?.trim() === key);
}
