import { createHash, randomUUID } from "node:crypto";
import * as nodeFiles from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { CrecError } from "../errors.ts";
import { type CursorState, isCursorState } from "./cursor-state.ts";
import type { CursorStore } from "./store.ts";

/** @internal The file operations in use, so that tests can fail each of them. */
export type Files = Pick<typeof nodeFiles, "mkdir" | "open" | "readdir" | "readFile" | "rename" | "rm">;

export type FileCursorStoreOptions = {
  /** The file; its folder is made when missing. One file a consumer. */
  path: string;
  /** Saves that can wait are written at most this often, to spare SD cards. Milliseconds; 1,000. */
  minIntervalMs?: number | undefined;
  /** @internal */
  files?: Files | undefined;
};

const FORMAT = "crec-cursor";
/** In the names of temporary files, to tell those of this process from what a killed one left. */
const PROCESS = randomUUID();
const TEMPORARY = /^([0-9a-f-]{36})\.[0-9a-f-]{36}\.tmp$/;

/**
 * Keeps a cursor in a file that is replaced as a whole: after a crash at any moment it holds the state before or
 * the state after, never half of one. What was changed by hand or torn by the disk is found by a checksum.
 * @example
 * const store = new FileCursorStore({ path: "cursor-of-alerts.json" });
 * await store.load(); // → undefined
 */
export class FileCursorStore implements CursorStore {
  readonly #path: string;
  readonly #minIntervalMs: number;
  readonly #files: Files;
  #unwritten: CursorState | undefined;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #writtenAt = Number.NEGATIVE_INFINITY;

  constructor(options: FileCursorStoreOptions) {
    const { path, minIntervalMs = 1_000, files = nodeFiles } = options;
    this.#path = path;
    this.#minIntervalMs = minIntervalMs;
    this.#files = files;
  }

  /**
   * Undefined when there is no file. Throws `CURSOR_FILE_DAMAGED` when its content is not a whole cursor: the file
   * stays, and a copy beside it too; `CURSOR_NOT_READ` when it cannot be read.
   */
  async load(): Promise<CursorState | undefined> {
    let text: string;
    try {
      text = await this.#files.readFile(this.#path, "utf8");
    } catch (cause) {
      if (codeOf(cause) === "ENOENT") return undefined;
      throw notRead(this.#path, cause);
    }
    await this.#removeLeftovers();
    const state = parse(text);
    if (state !== undefined) return state;
    const copy = await this.#keepCopy(text);
    throw damaged(this.#path, copy);
  }

  /** Throws `CURSOR_NOT_SAVED`; for a save that could wait, the next one that cannot throws it. */
  async save(state: CursorState, urgency: "now" | "soon" = "soon"): Promise<void> {
    this.#unwritten = state;
    if (urgency === "now") return this.#flush();
    if (this.#timer !== undefined) return;
    const waitMs = Math.max(0, this.#writtenAt + this.#minIntervalMs - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      // Kept as unwritten: the next save or close tries again, and tells.
      this.#flush().catch(() => {});
    }, waitMs);
    this.#timer.unref();
  }

  async close(): Promise<void> {
    await this.#flush();
  }

  get #prefix(): string {
    return `.${basename(this.#path)}.`;
  }

  /** A process that is killed while it writes leaves its temporary file. Nothing depends on their removal. */
  async #removeLeftovers(): Promise<void> {
    const folder = dirname(this.#path);
    const isLeftover = (name: string) => {
      if (!name.startsWith(this.#prefix)) return false;
      const [, process] = TEMPORARY.exec(name.slice(this.#prefix.length)) ?? [];
      return process !== undefined && process !== PROCESS;
    };
    try {
      const leftovers = (await this.#files.readdir(folder)).filter(isLeftover);
      for (const name of leftovers) await this.#files.rm(join(folder, name), { force: true });
    } catch {}
  }

  /** Writes what is unwritten, one write after another. */
  #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const write = async (): Promise<void> => {
      const state = this.#unwritten;
      if (state === undefined) return;
      this.#unwritten = undefined;
      this.#writtenAt = performance.now();
      try {
        await this.#replace(serialize(state));
      } catch (cause) {
        this.#unwritten ??= state;
        throw notSaved(this.#path, cause);
      }
    };
    const written = this.#writing.then(write);
    this.#writing = written.catch(() => {});
    return written;
  }

  async #replace(text: string): Promise<void> {
    const folder = dirname(this.#path);
    const temporary = join(folder, `${this.#prefix}${PROCESS}.${randomUUID()}.tmp`);
    try {
      await this.#writeNew(temporary, text).catch(async (error) => {
        if (codeOf(error) !== "ENOENT") throw error;
        await this.#files.mkdir(folder, { recursive: true });
        await this.#writeNew(temporary, text);
      });
      await this.#files.rename(temporary, this.#path);
    } catch (error) {
      await this.#files.rm(temporary, { force: true }).catch(() => {});
      throw error;
    }
    await this.#syncFolder(folder);
  }

  async #writeNew(path: string, text: string): Promise<void> {
    const file = await this.#files.open(path, "wx", 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
  }

  /** Makes the rename itself survive a power cut. */
  async #syncFolder(folder: string): Promise<void> {
    // Windows cannot open a folder, and does not need to.
    if (process.platform === "win32") return;
    const handle = await this.#files.open(folder, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }

  /** The copy is named after its content, so that ten restarts make one copy. */
  async #keepCopy(text: string): Promise<string | undefined> {
    const copy = `${this.#path}.damaged-${checksum(text).slice(0, 8)}`;
    try {
      await this.#writeNew(copy, text);
    } catch (error) {
      if (codeOf(error) !== "EEXIST") return undefined;
    }
    return copy;
  }
}

function serialize(state: CursorState): string {
  return `${JSON.stringify({ format: FORMAT, checksum: checksum(JSON.stringify(state)), state })}\n`;
}

function parse(text: string): CursorState | undefined {
  try {
    const { format, checksum: expected, state } = JSON.parse(text);
    const isWhole = format === FORMAT && expected === checksum(JSON.stringify(state));
    return isWhole && isCursorState(state) ? state : undefined;
  } catch {
    return undefined;
  }
}

function checksum(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | undefined)?.code;
}

function damaged(path: string, copy: string | undefined): CrecError {
  const kept = copy === undefined ? "" : ` A copy was kept as ${copy}.`;
  return new CrecError(
    "CURSOR_FILE_DAMAGED",
    `The cursor file ${path} is torn, was changed, or is of another program.${kept} Restore it from a backup, or reset the cursor to choose where to go on.`,
  );
}

function notRead(path: string, cause: unknown): CrecError {
  return new CrecError(
    "CURSOR_NOT_READ",
    `The cursor file ${path} cannot be read (${codeOf(cause)}). Check its permissions; it is tried again.`,
    { cause, retryable: true },
  );
}

function notSaved(path: string, cause: unknown): CrecError {
  return new CrecError(
    "CURSOR_NOT_SAVED",
    `The cursor file ${path} cannot be written (${codeOf(cause)}). Check free space and permissions; no event is handed over until it can be.`,
    { cause, retryable: true },
  );
}
