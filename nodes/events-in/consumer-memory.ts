import { join } from "node:path";
import type { Node, NodeAPI } from "node-red";
import type { CursorIdentity, CursorState } from "../../src/index.ts";
import { writeDurably } from "../../src/storage/durable-files.ts";
import { isNewerRefused, refuseNewer } from "../../src/storage/newer.ts";
import { fileNameOf } from "../common/fields/file-name.ts";
import { stateFiles } from "../common/folder/state-files.ts";
import { folderOfKind, stateFolder } from "../common/folder/state-folder.ts";
import { loadLibrary } from "../common/library.ts";
import { storeOf } from "./status/notes.ts";

/** A cursor as copies share it: with the epoch of its lease, and how often it was saved with that epoch. */
export type Position = CursorState & { epoch: number; saved: number };

/** What is known of a consumer apart from its cursor. `epoch`: the highest that was seen, where copies share the cursor. */
export type Remembered = { epoch?: number; position?: Position };

/** What is written, with the node that used the cursor last. */
type Mark = Partial<Record<keyof CursorIdentity | "node", unknown>>;

/** A place that may survive where the cursor does not. Those of older versions are only read. */
type Place = { read(): Promise<unknown>; write?(text: string): Promise<void>; holdsPosition: boolean };

const CONTEXT_KEY = "crecStarted";
const WRITE_MS = 1_000;

/**
 * Remembers, apart from the cursor, that a consumer has had one: in the state folder, in the user directory, and in the
 * node's context where a context store outlives the process. Hosts lose some of these places at a restart, hardly all.
 * The state folder also has the last position of a cursor that copies share, since their engine may lose it.
 */
export class ConsumerMemory {
  readonly #identity: CursorIdentity;
  /** Of two nodes with one consumer name, the one that is noted here goes on reading. */
  readonly #nodeId: string;
  readonly #places: readonly Place[];
  #noted: Remembered | undefined;
  #writtenAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(RED: NodeAPI, node: Node, identity: CursorIdentity) {
    this.#identity = identity;
    this.#nodeId = node.id;
    const { path, former } = stateFolder(RED);
    const { consumer, channelId, service } = identity;
    // Half a character cannot name a file; a cursor elsewhere can have such a name. The file has it whole.
    const file = fileNameOf(JSON.stringify([consumer.toWellFormed(), channelId, service]));
    // Of versions that remembered one channel of each consumer.
    const older = fileNameOf(consumer.toWellFormed());
    const inFolder = (folder: string, name: string) => join(folderOfKind(folder, "started"), `${name}.json`);
    this.#places = [
      ...[path, ...former].flatMap((folder, index) => [
        filePlace(inFolder(folder, file), index === 0),
        { read: filePlace(inFolder(folder, older)).read, holdsPosition: false },
      ]),
      ...lastingStores(RED).map((store) => contextPlace(node, store)),
    ];
  }

  /** Undefined if this consumer has had no cursor in this channel. @throws STATE_FILE_NEWER */
  async recall(): Promise<Remembered | undefined> {
    const found = await Promise.all(this.#places.map((place) => this.#read(place)));
    const marks = found.filter((one) => one !== undefined);
    const known = await Promise.all(marks.map(rememberedIn));
    if (this.#noted) known.push(this.#noted);
    return known.length === 0 ? undefined : known.reduce(merged);
  }

  /**
   * Resolves at once, except the first time; then once it is written. Later it is written at most once a second. Never
   * rejects: a place that cannot be written, such as a user directory that is read-only, does not count.
   */
  async note(more: Remembered = {}): Promise<void> {
    const isFirst = this.#noted === undefined;
    this.#noted = merged(this.#noted ?? {}, more);
    if (isFirst) return this.#write();
    const waitMs = Math.max(0, this.#writtenAt + WRITE_MS - performance.now());
    this.#timer ??= setTimeout(() => void this.#write(), waitMs).unref();
  }

  /** Writes what is unwritten. Never rejects. */
  async flush(): Promise<void> {
    if (this.#timer !== undefined) void this.#write();
    await this.#writing;
  }

  #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writtenAt = performance.now();
    const all = () => Promise.all(this.#places.map((place) => this.#writeInto(place).catch(() => {})));
    this.#writing = this.#writing.then(all).then(() => {});
    return this.#writing;
  }

  async #writeInto(place: Place): Promise<void> {
    if (place.write === undefined) return;
    const mark = await this.#read(place);
    const found = await rememberedIn(mark);
    const { position, ...rest } = merged(found, this.#noted ?? {});
    const isNews = mark === undefined || mark.node !== this.#nodeId || found.epoch !== rest.epoch;
    if (!isNews && !(place.holdsPosition && position)) return;
    const held = place.holdsPosition && position ? { position } : {};
    await place.write(JSON.stringify({ ...this.#identity, node: this.#nodeId, ...rest, ...held }));
  }

  async #read(place: Place): Promise<Mark | undefined> {
    const found = await place.read().catch((error: unknown) => {
      if (isNewerRefused(error)) throw error;
    });
    return isOf(found, this.#identity) ? found : undefined;
  }
}

/** What a place, or another copy, has remembered; without what is of no use. */
export async function rememberedIn(value: unknown): Promise<Remembered> {
  const { isCursorState } = await loadLibrary();
  const { epoch, position } = (value ?? {}) as { epoch?: unknown; position?: unknown };
  const isPosition = (found: unknown): found is Position =>
    isCursorState(found) &&
    "epoch" in found &&
    "saved" in found &&
    [found.epoch, found.saved].every(Number.isSafeInteger);
  return {
    ...(typeof epoch === "number" && Number.isSafeInteger(epoch) ? { epoch } : {}),
    ...(isPosition(position) ? { position } : {}),
  };
}

/** Whether a position was saved later. Not whether it is further on: a person may have moved the cursor back. */
export function isLater(one: Position, than: Position): boolean {
  return one.epoch > than.epoch || (one.epoch === than.epoch && one.saved > than.saved);
}

function merged(one: Remembered, other: Remembered): Remembered {
  const epoch = Math.max(one.epoch ?? 0, other.epoch ?? 0, other.position?.epoch ?? 0);
  const [a, b] = [one.position, other.position];
  const position = a && b && isLater(a, b) ? a : (b ?? a);
  return { ...(epoch > 0 ? { epoch } : {}), ...(position ? { position } : {}) };
}

function isOf(mark: unknown, { consumer, channelId, service }: CursorIdentity): mark is Mark {
  if (typeof mark !== "object" || mark === null) return false;
  const known = mark as Mark;
  return known.consumer === consumer && known.channelId === channelId && known.service === service;
}

function filePlace(path: string, holdsPosition = false): Place {
  return {
    holdsPosition,
    read: async () => {
      const mark: unknown = JSON.parse(await stateFiles.readFile(path, "utf8"));
      const { CrecError } = await loadLibrary();
      const lost = "it is not known that the consumer has run";
      refuseNewer(mark, { what: `The file ${path}`, lost }, (...text) => new CrecError(...text));
      return mark;
    },
    // Written each second, and one that a power cut spoils does not count.
    write: (text) => writeDurably(path, `${text}\n`, { files: stateFiles, sync: "none" }),
  };
}

function contextPlace(node: Node, store: string): Place {
  return {
    holdsPosition: false,
    read: () =>
      new Promise((resolve, reject) => {
        node.context().get(CONTEXT_KEY, store, (error: Error | null, value: unknown) => {
          if (error) reject(error);
          else resolve(value);
        });
      }),
    write: (text) =>
      new Promise((resolve, reject) => {
        node.context().set(CONTEXT_KEY, JSON.parse(text), store, (error: Error | null) => {
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
