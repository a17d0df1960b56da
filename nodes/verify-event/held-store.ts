import type { NodeAPI } from "node-red";
import type { FileDedupeStore } from "../../src/index.ts";
import type { FolderState } from "../lib/runtime/folder/folder-lock.ts";
import { useFolder } from "../lib/runtime/folder/shared-folder.ts";
import { folderInUse } from "../lib/runtime/folder/tenure.ts";
import { lockedStateFolder } from "../lib/runtime/folder/use-state.ts";

/**
 * Has a store open while this process has the state folder. Another process may remember keys meanwhile, so the file is
 * read again afterwards.
 */
export class HeldStore {
  readonly #make: () => Promise<FileDedupeStore>;
  readonly #leave: () => void;
  #state: FolderState = { kind: "looking" };
  #store: Promise<FileDedupeStore> | undefined;
  #waiting: Array<() => void> = [];

  constructor(RED: NodeAPI, make: () => Promise<FileDedupeStore>) {
    this.#make = make;
    this.#leave = useFolder(lockedStateFolder(RED), (state) => {
      if (state.kind !== "held") void this.#drop();
      this.#state = state;
      for (const call of this.#waiting.splice(0)) call();
    });
  }

  /** The store, with the keys of its file. @throws FOLDER_IN_USE, FOLDER_NOT_LOCKED, SEEN_NOT_READ */
  async open(): Promise<FileDedupeStore> {
    while (this.#state.kind === "looking") await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (this.#state.kind === "error") throw this.#state.error;
    if (this.#state.kind === "elsewhere") throw folderInUse();
    const { tenure } = this.#state;
    await tenure.confirm();
    this.#store ??= this.#make();
    const store = await this.#store;
    await store.load();
    return store;
  }

  async close(): Promise<void> {
    await this.#drop();
    this.#leave();
  }

  async #drop(): Promise<void> {
    const store = this.#store;
    this.#store = undefined;
    await (await store?.catch(() => undefined))?.close();
  }
}
