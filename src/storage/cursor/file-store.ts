import * as nodeFiles from "node:fs/promises";
import { CrecError, crecError, fileError } from "../../errors.ts";
import { anything, duration, name, optional, options } from "../../options/index.ts";
import { checksumOf } from "../checksum.ts";
import {
  codeOf,
  createOnce,
  type FileMark,
  type Files,
  isWithMark,
  readIfThere,
  removeLeftovers,
  writeDurably,
} from "../durable-files.ts";
import { fileAdvice } from "../file-advice.ts";
import { refuseNewer } from "../newer.ts";
import { type CursorState, isCursorState, stateKind } from "./cursor-state.ts";
import { DeliveredLog } from "./delivered-log.ts";
import { type CursorStore, urgencyKind } from "./store.ts";

export type FileCursorStoreOptions = {
  /** The file; its folder is created when it is missing. One file per consumer. */
  path: string;
  /** Shortest time between two writes that can wait, to spare SD cards, in milliseconds. @default 1_000 */
  minIntervalMs?: number | undefined;
  /** @internal */
  files?: Files | undefined;
};

const storeOptions = options<FileCursorStoreOptions>({
  path: name,
  minIntervalMs: optional(duration),
  files: anything(),
});

const LOST = "the cursor is lost, and a person or Start decides where to continue";
const FORMAT = "crec-cursor";
/** More delivered events than these are kept in an append-only file of their own. */
const MAX_IN_FILE = 500;

/**
 * Keeps a cursor in a file that is replaced as a whole: after a crash at any moment it holds the old or the new state.
 * A checksum finds files that were edited or truncated. While many delivered events have to be remembered, they are in
 * a second file beside it, with the ending `.delivered`.
 * @example
 * const store = new FileCursorStore({ path: "cursor-of-alerts.json" });
 * await store.load(); // → undefined
 */
export class FileCursorStore implements CursorStore {
  readonly #path: string;
  readonly #minIntervalMs: number;
  readonly #files: Files;
  readonly #delivered: DeliveredLog;
  #unwritten: CursorState | undefined;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #writtenAt = Number.NEGATIVE_INFINITY;
  /** Whether the second file is in use. */
  #hasMore = false;

  constructor(options: FileCursorStoreOptions) {
    const { path, minIntervalMs = 1_000, files = nodeFiles } = storeOptions(options);
    this.#path = path;
    this.#minIntervalMs = minIntervalMs;
    this.#files = files;
    this.#delivered = new DeliveredLog(`${path}.delivered`, this.#files);
  }

  /**
   * Undefined when there is no file. Throws `CURSOR_FILE_DAMAGED` when its content is not a complete cursor: the file
   * stays, and a copy is made beside it; `STATE_FILE_NEWER` where a later version wrote it; `CURSOR_NOT_READ` when it
   * cannot be read.
   */
  load(): Promise<CursorState | undefined> {
    // After a write that is under way.
    const loaded = this.#writing.then(() => this.#load());
    this.#writing = loaded.then(
      () => {},
      () => {},
    );
    return loaded;
  }

  async #load(): Promise<CursorState | undefined> {
    try {
      const text = await readIfThere(this.#path, this.#files);
      if (text === undefined) return undefined;
      await removeLeftovers(this.#path, this.#files);
      refuseNewer(tryParse(text), { what: `The cursor file ${this.#path}`, lost: LOST }, crecError);
      const stored = parseCursorFile(text);
      if (stored === undefined) throw damaged(this.#path, await this.#keepCopy(text));
      this.#hasMore = stored.more;
      const isOwn = stored.mark === undefined || (await isWithMark(this.#path, stored.mark, this.#files));
      const restored = isOwn ? {} : { restored: true };
      if (!stored.more) return { ...stored.state, ...restored };
      const delivered = await this.#delivered.load(stored.state.floor);
      if (delivered === undefined) throw notWhole(this.#delivered.path, this.#path);
      return { ...stored.state, ...restored, delivered };
    } catch (cause) {
      throw fileError(cause) ?? notRead(this.#path, cause);
    }
  }

  /** Throws `CURSOR_NOT_SAVED`; when a save that can wait fails, the next one that cannot wait throws it. */
  async save(state: CursorState, urgency: "now" | "soon" = "soon"): Promise<void> {
    stateKind(state, "state");
    urgencyKind(urgency, "urgency");
    this.#unwritten = state;
    if (urgency === "now") return this.#flush();
    if (this.#timer !== undefined) return;
    const waitMs = Math.max(0, this.#writtenAt + this.#minIntervalMs - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      // The state stays unwritten: the next save or close tries again, and throws.
      this.#flush().catch(() => {});
    }, waitMs);
    this.#timer.unref();
  }

  async close(): Promise<void> {
    await this.#flush();
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
        await this.#write(state);
      } catch (cause) {
        this.#unwritten ??= state;
        throw fileError(cause) ?? notSaved(this.#path, cause);
      }
    };
    const written = this.#writing.then(write);
    this.#writing = written.catch(() => {});
    return written;
  }

  /** The delivered events come first: the cursor file may be older than they are, never newer. */
  async #write(state: CursorState): Promise<void> {
    const more = state.delivered.length > MAX_IN_FILE;
    if (more) await this.#delivered.save(state);
    const stored = more ? { ...state, delivered: [] } : state;
    await writeDurably(this.#path, (mark) => cursorFileText(stored, { more, mark }), { files: this.#files });
    if (!more && this.#hasMore) await this.#delivered.remove();
    this.#hasMore = more;
  }

  /** The copy is named after its content, so that ten restarts create one copy. */
  async #keepCopy(text: string): Promise<string | undefined> {
    const copy = `${this.#path}.damaged-${checksumOf(text).slice(0, 8)}`;
    try {
      await createOnce(copy, text, this.#files);
    } catch (error) {
      if (codeOf(error) !== "EEXIST") return undefined;
    }
    return copy;
  }
}

/**
 * Copies a cursor file to another disk, for a move. The copy counts as the original, not as one that was restored from a
 * backup. What is not a whole cursor is copied as it is. The copy is complete, or does not exist.
 * @throws errors of the disk
 * @example
 * await copyCursorFile("old/alerts.json", "new/alerts.json");
 */
export async function copyCursorFile(from: string, to: string): Promise<void> {
  name(from, "from");
  name(to, "to");
  const text = await readIfThere(from);
  if (text === undefined) return;
  const stored = parseCursorFile(text);
  const isOriginal = stored?.mark !== undefined && (await isWithMark(from, stored.mark));
  await writeDurably(to, (mark) => (isOriginal ? cursorFileText(stored.state, { ...stored, mark }) : text));
}

/** `more`: the delivered events are in the second file. */
function cursorFileText(state: CursorState, { more, mark }: { more: boolean; mark: FileMark }): string {
  const whole = { state, ...(more ? { more } : {}), mark };
  return `${JSON.stringify({ format: FORMAT, checksum: checksumOf(JSON.stringify(whole)), ...whole })}\n`;
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type StoredCursor = { state: CursorState; more: boolean; mark: FileMark | undefined };

/** Undefined for what is not a whole cursor. */
function parseCursorFile(text: string): StoredCursor | undefined {
  try {
    const { format, checksum, ...whole } = JSON.parse(text);
    const isWhole = format === FORMAT && checksum === checksumOf(JSON.stringify(whole));
    if (!isWhole || !isCursorState(whole.state)) return undefined;
    return { state: whole.state, more: whole.more === true, mark: whole.mark };
  } catch {
    return undefined;
  }
}

function damaged(path: string, copy: string | undefined): CrecError {
  const kept = copy === undefined ? "" : ` A copy was kept as ${copy}.`;
  return new CrecError(
    "CURSOR_FILE_DAMAGED",
    `The cursor file ${path} is truncated, was edited, or belongs to another program.${kept} Restore it from a backup, or reset the cursor to choose where to continue.`,
  );
}

function notWhole(path: string, cursorPath: string): CrecError {
  return new CrecError(
    "CURSOR_FILE_DAMAGED",
    `The file ${path} is missing, or its beginning is truncated or was edited. It belongs to ${cursorPath} and lists the delivered events. Restore both from a backup, or reset the cursor to choose where to continue.`,
  );
}

function notRead(path: string, cause: unknown): CrecError {
  return new CrecError(
    "CURSOR_NOT_READ",
    `The cursor file ${path} cannot be read (${codeOf(cause)}). ${fileAdvice(cause)}. It is tried again.`,
    { cause, retryable: true },
  );
}

function notSaved(path: string, cause: unknown): CrecError {
  return new CrecError(
    "CURSOR_NOT_SAVED",
    `The cursor file ${path} cannot be written (${codeOf(cause)}). ${fileAdvice(cause)}. No event is delivered until then.`,
    { cause, retryable: true },
  );
}
