import { checksumOf } from "../files/checksum.ts";
import { codeOf, type DurableFiles } from "../files/durable-files.ts";
import type { CursorState } from "./cursor-state.ts";

type Delivered = CursorState["delivered"];

/** When so many more are in the file than are remembered, it is written anew. */
const SPARE = 10_000;

/**
 * Keeps which events were delivered in a file that is only added to, so that remembering one costs a line and not
 * the whole. Each line has a checksum; one that a crash left half written does not count.
 */
export class DeliveredLog {
  readonly path: string;
  readonly #files: DurableFiles;
  /** What is in the file, while that is known. */
  #written: Map<string, number> | undefined;

  constructor(path: string, files: DurableFiles) {
    this.path = path;
    this.#files = files;
  }

  /** What was delivered, as far as it is above `floor`, and the newest 200. Undefined when the file is not whole. */
  async load(floor: number): Promise<Delivered | undefined> {
    const text = await this.#files.read(this.path);
    if (text === undefined) return undefined;
    const lines = text.split("\n");
    const torn = lines.pop();
    const parts = lines.map(parse);
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

  /** Has the file say all that was delivered. When this has resolved, it survives a crash. */
  async save({ delivered, floor }: CursorState): Promise<void> {
    const written = this.#written;
    if (written === undefined || hasOthers(written, delivered, floor)) return this.#writeAll(delivered);
    const fresh = delivered.filter(([offset, eventId]) => written.get(eventId) !== offset);
    if (fresh.length === 0) return;
    // Until it is written, what the file holds is not known.
    this.#written = undefined;
    try {
      await this.#files.append(this.path, lineOf(fresh));
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw error;
      return this.#writeAll(delivered);
    }
    for (const [offset, eventId] of fresh) written.set(eventId, offset);
    this.#written = written;
  }

  async remove(): Promise<void> {
    this.#written = undefined;
    await this.#files.remove(this.path);
  }

  async #writeAll(delivered: Delivered): Promise<void> {
    this.#written = undefined;
    await this.#files.replace(this.path, () => lineOf(delivered));
    this.#written = new Map(delivered.map(([offset, eventId]) => [eventId, offset]));
  }
}

/** So many are loaded even from below the floor. */
const KEPT = 200;

/** Whether the file says of an event that it was delivered which was not, as after a place was put there; or too much. */
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
