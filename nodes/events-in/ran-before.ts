import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Node, NodeAPI } from "node-red";
import type { CursorIdentity } from "../../src/index.ts";
import { fileNameOf } from "../lib/runtime/file-name.ts";
import { folderOfKind, stateFolder } from "../lib/runtime/state-folder.ts";
import { storeOf } from "./store-note.ts";

/** A place that may survive where the cursor does not. */
type Place = { read(): Promise<unknown>; write(mark: CursorIdentity): Promise<void> };

const CONTEXT_KEY = "crecStarted";

/**
 * Remembers, apart from the cursor, that a consumer has had one: in the state folder, in the user directory, and in the
 * node's context where a context store outlives the process. Hosts lose some of these places at a restart, hardly all.
 */
export class RanBefore {
  readonly #identity: CursorIdentity;
  readonly #places: readonly Place[];

  constructor(RED: NodeAPI, node: Node, identity: CursorIdentity) {
    this.#identity = identity;
    const { path, former } = stateFolder(RED);
    // Half a character cannot name a file; a cursor elsewhere can have such a name. The mark has it whole.
    const file = `${fileNameOf(identity.consumer.toWellFormed())}.json`;
    this.#places = [
      ...[path, ...former].map((folder) => filePlace(join(folderOfKind(folder, "started"), file))),
      ...lastingStores(RED).map((store) => contextPlace(node, store)),
    ];
  }

  /** Whether this consumer has had a cursor in this channel. */
  async isKnown(): Promise<boolean> {
    const found = await Promise.all(this.#places.map((place) => place.read().catch(() => undefined)));
    return found.some((mark) => isSameMark(mark, this.#identity));
  }

  /** Never rejects: a place that cannot be written, such as a user directory that is read-only, does not count. */
  async note(): Promise<void> {
    const write = async (place: Place) => {
      const mark = await place.read().catch(() => undefined);
      if (!isSameMark(mark, this.#identity)) await place.write(this.#identity).catch(() => {});
    };
    await Promise.all(this.#places.map(write));
  }
}

function isSameMark(mark: unknown, { consumer, channelId, service }: CursorIdentity): boolean {
  if (typeof mark !== "object" || mark === null) return false;
  const known = mark as Partial<Record<keyof CursorIdentity, unknown>>;
  return known.consumer === consumer && known.channelId === channelId && known.service === service;
}

function filePlace(path: string): Place {
  return {
    read: async () => JSON.parse(await readFile(path, "utf8")),
    write: async (mark) => {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, `${JSON.stringify(mark)}\n`, { mode: 0o600 });
    },
  };
}

function contextPlace(node: Node, store: string): Place {
  return {
    read: () =>
      new Promise((resolve, reject) => {
        node.context().get(CONTEXT_KEY, store, (error: Error | null, value: unknown) => {
          if (error) reject(error);
          else resolve(value);
        });
      }),
    write: (mark) =>
      new Promise((resolve, reject) => {
        node.context().set(CONTEXT_KEY, mark, store, (error: Error | null) => {
          if (error) reject(error);
          else resolve();
        });
      }),
  };
}

/** The context stores that are not only in memory. `default` may be another name of one of them. */
function lastingStores(RED: NodeAPI): string[] {
  const { contextStorage } = RED.settings as { contextStorage?: Record<string, unknown> };
  return Object.entries(contextStorage ?? {})
    .filter(([name, store]) => typeof store === "object" && storeOf(RED, name).module !== "memory")
    .map(([name]) => name);
}
