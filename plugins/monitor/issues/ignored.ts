import { join } from "node:path";
import type { NodeAPI } from "node-red";
import { stateFiles } from "../../../nodes/common/folder/state-files.ts";
import { stateFolderFor } from "../../../nodes/common/folder/state-folder.ts";
import { dropOldest } from "../../../nodes/common/shared/collections.ts";
import { nodeError } from "../../../nodes/common/shared/errors.ts";
import { writeDurably } from "../../../src/storage/durable-files.ts";
import { fileAdvice } from "../../../src/storage/file-advice.ts";
import { isNewerRefused, refuseNewer } from "../../../src/storage/newer.ts";

/** More than a person ignores. The oldest is forgotten. */
const MOST = 500;
const FILE = "ignored-issues.json";

/** The ids of the issues that a person does not want to see, in a file of the state folder. */
export class Ignored {
  readonly #path: string;
  /** Why the file must not be replaced. */
  #newer: unknown;
  #ids: Promise<Set<string>> | undefined;
  #written: Promise<unknown> = Promise.resolve();

  constructor(RED: NodeAPI) {
    this.#path = join(stateFolderFor(RED, "monitor"), FILE);
  }

  /** Empty where the file cannot be read: then the issues are shown again. */
  ids(): Promise<ReadonlySet<string>> {
    this.#ids ??= this.#read();
    return this.#ids;
  }

  /** @throws STATE_FILE_NEWER; ISSUES_NOT_SAVED when it cannot be written; it counts until the next restart then */
  async set(id: string, isIgnored: boolean): Promise<void> {
    this.#ids ??= this.#read();
    const ids = await this.#ids;
    ids.delete(id);
    if (isIgnored) ids.add(id);
    dropOldest(ids, MOST);
    const write = () => this.#write([...ids]);
    const written = this.#written.then(write, write);
    this.#written = written;
    await written;
  }

  async #read(): Promise<Set<string>> {
    try {
      const stored: unknown = JSON.parse(await stateFiles.readFile(this.#path, "utf8"));
      refuseNewer(
        stored,
        {
          what: `The file ${this.#path}`,
          lost: "issues that were ignored are shown again",
        },
        nodeError,
      );
      const ids: unknown[] = Array.isArray(stored) ? stored : [];
      return new Set(ids.filter((id) => typeof id === "string").slice(-MOST));
    } catch (error) {
      if (isNewerRefused(error)) this.#newer = error;
      return new Set();
    }
  }

  /** After a crash the file has the old ids or the new ones, never a part. */
  async #write(ids: readonly string[]): Promise<void> {
    if (this.#newer !== undefined) throw this.#newer;
    try {
      const text = `${JSON.stringify(ids, null, 2)}\n`;
      await writeDurably(this.#path, text, { files: stateFiles, sync: "content" });
    } catch (cause) {
      throw nodeError(
        "ISSUES_NOT_SAVED",
        `The ignored issues could not be saved, so they are shown again after a restart. ${fileAdvice(cause)}, then try again. File: ${this.#path}`,
        cause,
      );
    }
  }
}
