import { readdirSync, watch } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fromRoot, root } from "./paths.mjs";

/**
 * Saves in quick succession. `files` by their paths from the root; `since` is when the first
 * one was saved, by `performance.now()`
 */
type Batch = { files: string[]; since: number };

/** A batch ends when nothing was saved for this long. */
const QUIET_MS = 80;
/** Temporary files of editors. */
const NOT_SOURCE = /^\.|~$|\.(swp|tmp)$/;

/**
 * Watches files and folders; they may be created and removed. Each folder has its own watcher: on Linux, a recursive
 * watcher of Node.js loses a file once an editor has saved it by renaming another file to it.
 */
export class Changes {
  #paths;
  #watchers: import("node:fs").FSWatcher[] = [];
  #files: Set<string> = new Set();
  #first = 0;
  #last = 0;
  #wake = () => {};

  /** @param paths from the root */
  constructor(paths: readonly string[]) {
    this.#paths = paths.map((path) => join(root, path));
    this.#watchAnew();
  }

  /**
   * Resolves when files were saved and no other save followed for a moment. Later saves are in the next batch.
   */
  async next(): Promise<Batch> {
    if (this.#files.size === 0) {
      await new Promise((resolve) => {
        this.#wake = () => resolve(undefined);
      });
    }
    for (let left = QUIET_MS; left > 0; left = this.#last + QUIET_MS - performance.now()) await sleep(left);
    // Watches new and replaced folders.
    this.#watchAnew();
    const files = [...this.#files].map(fromRoot);
    this.#files.clear();
    return { files, since: this.#first };
  }

  #watchAnew() {
    const before = this.#watchers;
    this.#watchers = [];
    for (const path of this.#paths) {
      this.#watch(dirname(path), (name) => name === basename(path));
      for (const folder of folders(path)) this.#watch(folder, (name) => !NOT_SOURCE.test(name));
    }
    for (const watcher of before) watcher.close();
  }

  #watch(folder: string, counts: (name: string) => boolean) {
    const watcher = watch(folder, (_event, name) => {
      if (name !== null && counts(name)) this.#note(join(folder, name));
    });
    // The folder was removed; its parent's watcher reports that.
    watcher.on("error", () => watcher.close());
    this.#watchers.push(watcher);
  }

  #note(file: string) {
    this.#last = performance.now();
    if (this.#files.size === 0) this.#first = this.#last;
    this.#files.add(file);
    this.#wake();
  }
}

/** A folder and all folders in it. Empty for a file, or for a folder that does not exist. */
function folders(path: string): string[] {
  try {
    const within = readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return [path, ...within.flatMap(({ name }) => folders(join(path, name)))];
  } catch {
    return [];
  }
}
