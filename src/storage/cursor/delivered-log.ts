import { crecError } from "../../errors.ts";
import { checksumOf } from "../checksum.ts";
import { appendDurably, codeOf, type Files, readIfThere, writeDurably } from "../durable-files.ts";
import { refuseNewer } from "../newer.ts";
import type { CursorState } from "./cursor-state.ts";

const LOST = "events that were delivered out of order may come once more";
type Delivered = CursorState["delivered"];

/** How many more may be in the file than are remembered before it is written again as a whole. */
const SPARE = 10_000;

/**
 * Keeps which events were delivered in an append-only file, so that remembering one costs a line. Each line has a
 * checksum; one that a crash left half written does not count.
 */
export class DeliveredLog {
  readonly path: string;
  readonly #files: Files;
  /** The content of the file, while that is known. */
  #written: Map<string, number> | undefined;

  constructor(path: string, files: Files) {
    this.path = path;
    this.#files = files;
  }

  /** The delivered events above `floor`, and the newest 200. Undefined when the file is incomplete. */
  async load(floor: number): Promise<Delivered | undefined> {
    const text = await readIfThere(this.path, this.#files);
    if (text === undefined) return undefined;
    const lines = text.split("\n");
    const torn = lines.pop();
    const parts = lines.map(parse);
    for (const part of parts) refuseNewer(part, { what: `The file ${this.path}`, lost: LOST }, crecError);
    // A crash can leave half a line at the end, or, where the disk was full, one before others.
    if (parts[0] === undefined) return undefined;
    const isWhole = torn === "" && parts.every((part) => part !== undefined);
    const all = new Map<string, number>();
    for (const [offset, eventId] of parts.flatMap((part) => part ?? [])) {
      all.delete(eventId);
      all.set(eventId, offset);
    }
    this.#written = isWhole ? all : undefined;
    const entries = [...all].map(([eventId, offset]): Delivered[number] => [offset, eventId]);
    return entries.filter(([offset], index) => offset > floor || index >= entries.length - KEPT);
  }

  /** Writes all that was delivered. It survives a crash when this has resolved. */
  async save({ delivered, floor }: CursorState): Promise<void> {
    const written = this.#written;
    if (written === undefined || hasOthers(written, delivered, floor)) return this.#writeAll(delivered);
    const fresh = delivered.filter(([offset, eventId]) => written.get(eventId) !== offset);
    if (fresh.length === 0) return;
    // The content of the file is not known until the write is over.
    this.#written = undefined;
    try {
      await appendDurably(this.path, lineOf(fresh), this.#files);
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw error;
      return this.#writeAll(delivered);
    }
    for (const [offset, eventId] of fresh) written.set(eventId, offset);
    this.#written = written;
  }

  async remove(): Promise<void> {
    this.#written = undefined;
    await this.#files.rm(this.path, { force: true });
  }

  async #writeAll(delivered: Delivered): Promise<void> {
    this.#written = undefined;
    await writeDurably(this.path, lineOf(delivered), { files: this.#files });
    this.#written = new Map(delivered.map(([offset, eventId]) => [eventId, offset]));
  }
}

/** How many are loaded even from below the floor. */
const KEPT = 200;

/** Whether the file has events that were not delivered, as after a cursor was restored, or too many. */
function hasOthers(written: ReadonlyMap<string, number>, delivered: Delivered, floor: number): boolean {
  if (written.size > 2 * delivered.length + SPARE) return true;
  const ids = new Set(delivered.map(([, eventId]) => eventId));
  for (const [eventId, offset] of written) if (offset > floor && !ids.has(eventId)) return true;
  return false;
}

function lineOf(delivered: Delivered): string {
  return `${checksumOf(JSON.stringify(delivered))} ${JSON.stringify(delivered)}\n`;
}

function parse(line: string): Delivered | undefined {
  const [checksum = "", text = ""] = line.split(/ (.*)/s);
  return checksum === checksumOf(text) ? (JSON.parse(text) as Delivered) : undefined;
}
