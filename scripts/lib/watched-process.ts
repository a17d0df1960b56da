import { StartError } from "./say.mjs";

type Options = {
  /** what people call it */
  name: string;
  /** files and folders that it may use, by their paths from the root */
  sources: readonly string[];
  /** of what it would run from now; rejects when it could not run */
  fingerprint: () => Promise<string>;
  start: () => Promise<void>;
};

/** A process that restarts when its files have changed. */
export class WatchedProcess {
  #children;
  #options;
  /** The fingerprint of the running process; empty until it runs. */
  #running = "";

  constructor(children: import("./children.mjs").Children, options: Options) {
    this.#children = children;
    this.#options = options;
  }

  get name() {
    return this.#options.name;
  }

  /** Whether a change of these files may need a restart. A process that does not run always needs one. */
  isAffected(files: readonly string[]) {
    const { name, sources } = this.#options;
    if (!this.#children.runs(name) || this.#running === "") return true;
    return files.some((file) => sources.some((source) => file === source || file.startsWith(`${source}/`)));
  }

  /**
   * Starts it, or restarts it if its fingerprint has changed. If the new sources cannot run, the old process continues.
   *
   * @returns whether it was started
   * @throws {StartError} when it cannot run, with file and line, or does not start
   */
  async update(): Promise<boolean> {
    const { name, fingerprint, start } = this.#options;
    const current = await fingerprint().catch(({ message }: Error) => {
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
