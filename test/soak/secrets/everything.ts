import { writtenBy } from "../../faults/written.ts";
import type { Borrowed } from "../../support/borrowed-node-red.ts";
import type { Search } from "./forms.ts";

/** Everything that a Node-RED has written or shows, by the place. */
export async function everything(
  borrowed: Borrowed,
  { token, nodes, secretTypes }: { token: string; nodes: readonly string[]; secretTypes: readonly string[] },
): Promise<Record<string, string>> {
  const { nodeRed } = borrowed;
  const written = await writtenBy(borrowed, token);
  const paths = [
    ...["context/global", "flows/state", "nodes", "settings", "diagnostics"],
    ...nodes.flatMap((id) => [`context/node/${id}`, `context/flow/${id}`, `flow/${id}`]),
    // What the editor gets of the stored credentials of a node.
    ...nodes.flatMap((id) => secretTypes.map((type) => `credentials/${type}/${id}`)),
  ];
  for (const path of paths) written[path] = await (await nodeRed.fetch(path)).text();
  const older = await nodeRed.fetch("flows", { headers: { "Node-RED-API-Version": "v1" } });
  written["flows, as older editors ask for them"] = await older.text();
  return written;
}

/** Where a secret is: `place: secret, form`. */
export function leaksIn(written: Readonly<Record<string, string>>, search: Search): string[] {
  return Object.entries(written).flatMap(([place, text]) =>
    search.hitsIn(text).map((hit) => `${place}: ${hit}`),
  );
}

/** How much was searched. */
export function sizeOf(written: Readonly<Record<string, string>>): string {
  const bytes = Object.values(written).reduce((sum, { length }) => sum + length, 0);
  return `${Object.keys(written).length} places, ${(bytes / 1e6).toFixed(1)} MB`;
}
