// @ts-check
import { StartError } from "./say.mjs";

/**
 * @typedef {object} Part
 * @property {string} name what people call it
 * @property {readonly string[]} sources files and folders it may run from, by their paths from the root
 * @property {() => Promise<string>} fingerprint of what it would run from now; rejects when it could not run
 * @property {() => Promise<void>} start
 */

/** A process that is started again when what it runs from has changed. */
export class Kept {
  #children;
  #part;
  /** What it runs from; empty until it is up. */
  #from = "";

  /**
   * @param {import("./children.mjs").Children} children
   * @param {Part} part
   */
  constructor(children, part) {
    this.#children = children;
    this.#part = part;
  }

  get name() {
    return this.#part.name;
  }

  /**
   * Whether it may have to be started again for these files.
   *
   * @param {readonly string[]} files
   */
  concerns(files) {
    const { name, sources } = this.#part;
    if (!this.#children.runs(name) || this.#from === "") return true;
    return files.some((file) => sources.some((source) => file === source || file.startsWith(`${source}/`)));
  }

  /**
   * Starts it where that is needed. While it could not run from what is there, it goes on with what was.
   *
   * @returns {Promise<boolean>} whether it was started
   * @throws {StartError} when it could not run, with file and line
   */
  async renew() {
    const { name, fingerprint, start } = this.#part;
    const from = await fingerprint().catch((/** @type {Error} */ { message }) => {
      throw new StartError(message);
    });
    if (this.#children.runs(name) && this.#from === from) return false;
    this.#from = "";
    await this.#children.stop(name);
    await start();
    this.#from = from;
    return true;
  }
}
