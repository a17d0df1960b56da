import type { NodeAPI } from "node-red";
import { folderInUse } from "./folder-lease.ts";
import type { FolderState } from "./folder-lock.ts";
import { lockedStateFolder } from "./migrate-state.ts";
import { useFolder } from "./shared-folder.ts";

/** `load` is called before each use: it reads the file where that was not done yet. */
type Loadable = { load(): Promise<void>; close(): Promise<void> };

/**
 * Has a store open while this process has the state folder. Another process may write to its file meanwhile, so the file
 * is read again afterwards.
 */
export class LeasedStore<Store extends Loadable> {
  readonly #make: () => Promise<Store>;
  readonly #leave: () => void;
  #state: FolderState = { kind: "looking" };
  #store: Promise<Store> | undefined;
  #waiting: Array<() => void> = [];

  constructor(RED: NodeAPI, make: () => Promise<Store>) {
    this.#make = make;
    this.#leave = useFolder(lockedStateFolder(RED), (state) => {
      if (state.kind !== "held") void this.#drop().catch(() => {});
      this.#state = state;
      for (const call of this.#waiting.splice(0)) call();
    });
  }

  /** The store, with what its file has. @throws FOLDER_IN_USE, FOLDER_NOT_LOCKED; what reading the file throws */
  async open(): Promise<Store> {
    while (this.#state.kind === "looking") await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (this.#state.kind === "error") throw this.#state.error;
    if (this.#state.kind === "elsewhere") throw folderInUse();
    const { lease } = this.#state;
    await lease.confirm();
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
