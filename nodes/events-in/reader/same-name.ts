import { join } from "node:path";
import { stateFiles } from "../../common/folder/state-files.ts";
import { processWide } from "../../common/process-wide.ts";

/** Of each cursor: the nodes that use it, by their ids. More than one only if they have the same consumer name. */
const users = processWide("cursor-users", () => new Map<string, Map<string, { taken: Promise<void> }>>());

/** Says which of the nodes used the cursor last, by their ids. */
type LastUser = (nodes: ReadonlyMap<string, unknown>) => Promise<string | undefined>;

/** The turn of a node to lock its cursor. */
export type Turn = {
  /**
   * Resolves at once for a node that is alone, and for the one that ran before, or where none did, asked first; for the
   * others, once that has locked.
   */
  come(): Promise<void>;
  /** To be called once the node has locked. */
  take(): void;
  leave(): void;
};

/**
 * Node-RED starts nodes in any order: among those with one consumer name, the one that ran before is the first to lock,
 * and so goes on reading. All of them must have asked for a turn before the first one waits for it.
 */
export function askForTurn(location: string, nodeId: string, lastUser: LastUser): Turn {
  let take = () => {};
  const taken = new Promise<void>((resolve) => {
    take = resolve;
  });
  const others = users.get(location) ?? new Map<string, { taken: Promise<void> }>();
  const own = { taken };
  users.set(location, others.set(nodeId, own));
  return {
    async come() {
      if (others.size === 1) return;
      const [asked] = others.keys();
      const first = (await lastUser(others)) ?? asked;
      if (first !== undefined && first !== nodeId) await others.get(first)?.taken;
    },
    take,
    leave() {
      take();
      if (others.get(nodeId) === own) others.delete(nodeId);
      if (others.size === 0) users.delete(location);
    },
  };
}

/** Which of the nodes used the cursor of this consumer last, in whatever channel, as the folder `started` remembers it. */
export async function ranLast(
  folder: string,
  consumer: string,
  nodes: ReadonlyMap<string, unknown>,
): Promise<string | undefined> {
  let last: { node: string; at: number } | undefined;
  for (const name of await stateFiles.readdir(folder).catch(() => [])) {
    try {
      const path = join(folder, name);
      const mark: { consumer?: unknown; node: string } = JSON.parse(await stateFiles.readFile(path, "utf8"));
      if (mark.consumer !== consumer || !nodes.has(mark.node)) continue;
      const at = (await stateFiles.stat(path)).mtimeMs;
      if (!last || at > last.at) last = { node: mark.node, at };
    } catch {
      // A file that cannot be read says nothing.
    }
  }
  return last?.node;
}
