// @ts-check
import { StartError } from "./say.mjs";

/**
 * @typedef {object} Options
 * @property {string} name what people call it
 * @property {readonly string[]} sources files and folders that it may use, by their paths from the root
 * @property {() => Promise<string>} fingerprint of what it would run from now; rejects when it could not run
 * @property {() => Promise<void>} start
 */

/** A process that restarts when its files have changed. */
export class WatchedProcess {
  #children;
  #options;
  /** The fingerprint of the running process; empty until it runs. */
  #running = "";

  /**
   * @param {import("./children.mjs").Children} children
   * @param {Options} options
   */
  constructor(children, options) {
    this.#children = children;
    this.#options = options;
  }

  get name() {
    return this.#options.name;
  }

  /**
   * Whether a change of these files may need a restart. A process that does not run always needs one.
   *
   * @param {readonly string[]} files
   */
  isAffected(files) {
    const { name, sources } = this.#options;
    if (!this.#children.runs(name) || this.#running === "") return true;
    return files.some((file) => sources.some((source) => file === source || file.startsWith(`${source}/`)));
  }

  /**
   * Starts it, or restarts it if its fingerprint has changed. If the new sources cannot run, the old process continues.
   *
   * @returns {Promise<boolean>} whether it was started
   * @throws {StartError} when it cannot run, with file and line, or does not start
   */
  async update() {
    const { name, fingerprint, start } = this.#options;
    const current = await fingerprint().catch((/** @type {Error} */ { message }) => {
      throw new StartError(message);
    });
    if (this.#children.runs(name) && this.#running === current) return false;
    this.#running = "";
    await this.#children.stop(name);
    await start();
    this.#running = current;
    return true;
  }
}
