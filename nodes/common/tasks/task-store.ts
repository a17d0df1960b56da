import { randomUUID } from "node:crypto";
import { rmdir } from "node:fs/promises";
import { join } from "node:path";
import type { NodeAPI } from "node-red";
import { renameOver, writeDurably } from "../../../src/storage/durable-files.ts";
import { refuseNewer } from "../../../src/storage/newer.ts";
import { fileNameOf } from "../fields/file-name.ts";
import { stateFiles } from "../folder/state-files.ts";
import { stateFolderFor } from "../folder/state-folder.ts";
import type { CrecMessage } from "../messages/message.ts";
import { nodeError } from "../shared/errors.ts";
import { NO_OWNER } from "./task-owners.ts";

/** A wait as its file holds it. */
export type TaskRecord = {
  version: 1;
  /** Of the operation, or of what else is waited for: messages about the same one have the same. */
  id: string;
  /** The service of the connection: another one does not know the id. */
  service: string;
  /** What the node needs to continue. */
  about: unknown;
  msg: CrecMessage;
  /** Properties of the message that are not kept. */
  cut: string[];
  /** Set where there is nothing to wait for: this error is still to be reported. */
  error?: { code: string; message: string };
};

/** A file of the folder. Without a record it cannot be read, or was removed meanwhile; the error says if there is more. */
type FoundTask = {
  path: string;
  record: TaskRecord | undefined;
  isGone: boolean;
  error?: unknown;
};

const ENDING = ".json";
const TEMPORARY = `${ENDING}.tmp`;
/** `<id>-<arrival>-<random>.<owner>.json` */
const ARRIVED = /-(\d{16})-[0-9a-f]{8}\./;
const OWNED = /\.([0-9a-f-]{36})\.json(?:\.tmp)?$/;

/**
 * The waits of one node, each in its own file. They are in the state folder, like cursors. The name of a file says which
 * process waits: see `owners.ts`.
 */
export class TaskStore {
  readonly #folder: string;
  readonly #owner: string;

  constructor(RED: NodeAPI, nodeId: string, owner: string) {
    // A flow that was written by hand can have any id: the folder must not be another one, and Windows drops
    // dots at the end.
    const name = fileNameOf(nodeId).replace(/\.+$/, (dots) => "%2E".repeat(dots.length));
    this.#folder = join(stateFolderFor(RED, "waits"), name);
    this.#owner = owner;
  }

  /** A name that no other wait has: several messages may wait for one operation. */
  nameFor(id: string, arrivedAt: number): string {
    return `${fileNameOf(id)}-${arrivedAt}-${randomUUID().slice(0, 8)}.${this.#owner}${ENDING}`;
  }

  async save(name: string, record: TaskRecord): Promise<void> {
    const path = join(this.#folder, name);
    const temporary = `${path}.tmp`;
    await writeDurably(path, JSON.stringify(record), { files: stateFiles, temporary, sync: "content" });
  }

  async remove(name: string): Promise<void> {
    await stateFiles.rm(join(this.#folder, name), { force: true });
  }

  /** Removes the waits of this process. */
  async removeAll(): Promise<void> {
    for (const name of await this.#files()) {
      if (ownerOf(name) === this.#owner) await this.remove(name);
    }
    // Unless another process waits, too.
    await rmdir(this.#folder).catch(() => {});
  }

  /** Which processes have waits here. */
  async owners(): Promise<Set<string>> {
    return new Set((await this.#files()).map(ownerOf));
  }

  /**
   * The names of all waits of a process but those in `own`, which are of this deploy, by the arrival of their messages.
   * What a crash left half written is removed: the process must have ended, or be this one.
   */
  async names(owner: string, own: ReadonlySet<string> = new Set()): Promise<string[]> {
    const isOwn = (file: string) => own.has(file.replace(/\.tmp$/, ""));
    const others = (await this.#files()).filter((file) => ownerOf(file) === owner && !isOwn(file));
    for (const half of others.filter((file) => file.endsWith(TEMPORARY))) await this.remove(half);
    const whole = others.filter((file) => file.endsWith(ENDING));
    return whole.sort((one, other) => arrivalOf(one) - arrivalOf(other));
  }

  /** Makes a wait of another process one of this process. Gives its new name; undefined where it is not there any more. */
  async claim(name: string): Promise<string | undefined> {
    const claimed = `${name.replace(OWNED, ENDING).slice(0, -ENDING.length)}.${this.#owner}${ENDING}`;
    try {
      const { rename } = stateFiles;
      await renameOver(join(this.#folder, name), join(this.#folder, claimed), { rename });
      return claimed;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async has(name: string): Promise<boolean> {
    return (await this.#files()).includes(name);
  }

  async #files(): Promise<string[]> {
    return stateFiles.readdir(this.#folder).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
  }

  async read(name: string): Promise<FoundTask> {
    const path = join(this.#folder, name);
    try {
      return { path, record: recordIn(await stateFiles.readFile(path, "utf8"), path), isGone: false };
    } catch (error) {
      return { path, record: undefined, isGone: isMissing(error), error };
    }
  }
}

/** Earlier versions did not write it. */
function ownerOf(name: string): string {
  return OWNED.exec(name)?.[1] ?? NO_OWNER;
}

/** Of the message of a wait, by the name of its file. Earlier versions did not write it. */
export function arrivalOf(name: string): number {
  return Number(ARRIVED.exec(name)?.[1] ?? 0);
}

function isMissing(error: unknown): boolean {
  return (error as { code?: unknown }).code === "ENOENT";
}

/** @throws STATE_FILE_NEWER; what is wrong with the JSON */
function recordIn(text: string, path: string): TaskRecord | undefined {
  const record = JSON.parse(text) as Partial<TaskRecord> | null;
  refuseNewer(
    record,
    { what: `The file ${path}`, lost: "the operation that waits in it is not reported" },
    nodeError,
  );
  const isWhole =
    record?.version === 1 &&
    typeof record.id === "string" &&
    typeof record.service === "string" &&
    typeof record.msg === "object" &&
    record.msg !== null &&
    Array.isArray(record.cut);
  return isWhole ? (record as TaskRecord) : undefined;
}
