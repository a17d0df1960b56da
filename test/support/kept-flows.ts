import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { credentialsOf } from "../../nodes/common/shared/field-rules.ts";
import { FIELD_TABLES } from "../../plugins/monitor/diagnostics/field-tables.ts";
import type { FlowNode } from "./node-red.ts";

/** The flows that each version exported, in a folder by its number. */
export const keptFolder = fileURLToPath(new URL("../flows", import.meta.url));

/** The nodes of a palette that one example needs, and that tests of the editor do not load. */
const OF_OTHER_PALETTES = /^(?:ui-|e-mail)/;

export type KeptFlows = {
  version: string;
  /** By file name. */
  files: ReadonlyMap<string, FlowNode[]>;
  /** The ids of the nodes with a red triangle in the editor of that version. */
  marked: ReadonlySet<string>;
};

/** What each version has left, the oldest first. */
export function keptFlows(): KeptFlows[] {
  return readdirSync(keptFolder)
    .sort((a, b) => a.localeCompare(b, "en", { numeric: true }))
    .map((version) => {
      const read = (file: string): unknown =>
        JSON.parse(readFileSync(join(keptFolder, version, file), "utf8"));
      const files = readdirSync(join(keptFolder, version)).filter((file) => file !== "marked.json");
      return {
        version,
        files: new Map(files.sort().map((file) => [file, read(file) as FlowNode[]])),
        marked: new Set(Object.values(read("marked.json") as Record<string, string[]>).flat()),
      };
    });
}

/**
 * With a value for each secret, as after an import once somebody has entered them: exports have none. Node-RED marks a
 * node without any as changed when its form is closed.
 */
export function withSecrets(flows: readonly FlowNode[]): FlowNode[] {
  return flows.map((node) => {
    const table = FIELD_TABLES.get(node.type);
    const names = table === undefined ? [] : Object.keys(credentialsOf(table));
    if (names.length === 0) return node;
    return { ...node, credentials: Object.fromEntries(names.map((name) => [name, "${KEPT_SECRET}"])) };
  });
}

/** All flows of a version as one: each node once, since the examples share their config nodes. */
export function together({ files }: KeptFlows): FlowNode[] {
  const all = [...files.values()].flat().filter(({ type }) => !OF_OTHER_PALETTES.test(type));
  return [...new Map(all.map((node) => [node.id, node])).values()];
}
