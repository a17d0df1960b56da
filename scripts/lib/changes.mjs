// @ts-check
import { readdirSync, watch } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { root } from "./paths.mjs";

/**
 * Saves that follow each other until it has been quiet for a moment.
 *
 * @typedef {{ files: string[], since: number }} Batch `files` by their paths from the root; `since` is when the first
 *   one was saved, by `performance.now()`
 */

/** An editor saves several files, and git many more, within less than that from one to the next. */
const QUIET_MS = 80;
/** What editors leave beside the files they edit. */
const NOT_SOURCE = /^\.|~$|\.(swp|tmp)$/;

/**
 * Watches files and folders, which may come and go. Each folder has a watcher of its own: a recursive one loses sight
 * of a file on Linux when an editor saves it by renaming another to its name.
 */
export class Changes {
  #paths;
  /** @type {import("node:fs").FSWatcher[]} */
  #watchers = [];
  /** @type {Set<string>} */
  #files = new Set();
  #first = 0;
  #last = 0;
  #wake = () => {};

  /** @param {readonly string[]} paths from the root */
  constructor(paths) {
    this.#paths = paths.map((path) => join(root, path));
    this.#watchAnew();
  }

  /**
   * Resolves when something was saved and it has been quiet since. What is saved after that is in the next batch.
   *
   * @returns {Promise<Batch>}
   */
  async next() {
    if (this.#files.size === 0) {
      await new Promise((resolve) => {
        this.#wake = () => resolve(undefined);
      });
    }
    for (let left = QUIET_MS; left > 0; left = this.#last + QUIET_MS - performance.now()) await sleep(left);
    // Folders may be new, and a folder that was replaced needs a watcher of its own.
    this.#watchAnew();
    const files = [...this.#files].map((file) => relative(root, file));
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

  /**
   * @param {string} folder
   * @param {(name: string) => boolean} counts
   */
  #watch(folder, counts) {
    const watcher = watch(folder, (_event, name) => {
      if (name !== null && counts(name)) this.#note(join(folder, name));
    });
    // Its folder is gone: the one above says so, too.
    watcher.on("error", () => watcher.close());
    this.#watchers.push(watcher);
  }

  /** @param {string} file */
  #note(file) {
    this.#last = performance.now();
    if (this.#files.size === 0) this.#first = this.#last;
    this.#files.add(file);
    this.#wake();
  }
}

/**
 * A folder and all folders in it; none for a file, or when it is not there.
 *
 * @param {string} path
 * @returns {string[]}
 */
function folders(path) {
  try {
    const within = readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return [path, ...within.flatMap(({ name }) => folders(join(path, name)))];
  } catch {
    return [];
  }
}
