import { isUint8Array } from "node:util/types";
import type { Job } from "../shared/job.ts";
import { LONGEST_SENTENCE, type Outcome, type OutcomeKind, type Path } from "../shared/report.ts";
import type { MessagePaths, PathId } from "./wires.ts";

/** What happened, before it is in the report. */
type Happened = Omit<Outcome, "path" | "isCut"> & { pathId: PathId };

/** Of all outcomes and paths that are kept. The parent reads no larger report. */
const MOST_BYTES = 24 * 2 ** 20;
/** Of an outcome besides its message and its text. */
const OUTCOME_BYTES = 200;
/** What a value takes in the memory of the parent, besides its JSON. */
const PART_BYTES = 8;

/** Keeps outcomes within the limits of the report, and counts all. */
export class Outcomes {
  readonly kept: Outcome[] = [];
  readonly paths: Path[] = [];
  /** By the id of the node. */
  readonly counts = new Map<string, Partial<Record<OutcomeKind, number>>>();
  readonly reasons = new Map<string, Record<string, number>>();
  readonly totals: Partial<Record<OutcomeKind, number>> = {};
  /** How many are not kept. */
  left = 0;
  #bytes = 0;
  readonly #limits: Job["limits"];
  readonly #messagePaths: MessagePaths;
  readonly #paths = new Map<PathId, number>();

  constructor(limits: Job["limits"], messagePaths: MessagePaths) {
    this.#limits = limits;
    this.#messagePaths = messagePaths;
  }

  add({ pathId, message, text, ...rest }: Happened): void {
    const { kind, node, why } = rest;
    this.totals[kind] = (this.totals[kind] ?? 0) + 1;
    const ofNode = getOrAdd(this.counts, node);
    ofNode[kind] = (ofNode[kind] ?? 0) + 1;
    if (why !== undefined) {
      const reasons = getOrAdd(this.reasons, node);
      reasons[why] = (reasons[why] ?? 0) + 1;
    }
    if ((ofNode[kind] ?? 0) > this.#limits.outcomesPerNode || this.#bytes > MOST_BYTES) {
      this.left += 1;
      return;
    }
    const { value, isCut } = plainJson(message, this.#limits.messageBytes);
    const shown = text.length > LONGEST_SENTENCE ? `${text.slice(0, LONGEST_SENTENCE - 1)}…` : text;
    this.#bytes += OUTCOME_BYTES + bytesOf(value) + bytesOf(shown);
    const path = this.#pathOf(pathId);
    this.kept.push({
      ...rest,
      text: shown,
      message: value,
      ...(isCut ? { isCut } : {}),
      ...(path === undefined ? {} : { path }),
    });
  }

  #pathOf(pathId: PathId): number | undefined {
    if (pathId === 0) return undefined;
    const known = this.#paths.get(pathId);
    if (known !== undefined) return known;
    if (this.paths.length >= this.#limits.paths) return undefined;
    const path = this.#messagePaths.path(pathId);
    this.#bytes += bytesOf(path);
    const index = this.paths.push(path) - 1;
    this.#paths.set(pathId, index);
    return index;
  }
}

function bytesOf(value: unknown): number {
  const json = JSON.stringify(value);
  const parts = json.match(/[[{,]/g)?.length ?? 0;
  return Buffer.byteLength(json) + PART_BYTES * parts;
}

function getOrAdd<T extends object>(map: Map<string, T>, key: string): T {
  const known = map.get(key);
  if (known !== undefined) return known;
  const added = {} as T;
  map.set(key, added);
  return added;
}

/** A value as the report keeps it. */
type Plain = {
  value: unknown;
  isCut: boolean;
};

const LONGEST_TEXT = 256;
const MOST_ITEMS = 20;

/** What Node-RED puts into a message for itself. */
const OF_NODE_RED = new Set(["_msgid", "_linkSource", "_event", "req", "res"]);

/** Plain JSON of at most about `bytes`, without what is of Node-RED or by chance. Never throws. */
export function plainJson(value: unknown, bytes: number): Plain {
  const whole = textOf(value);
  if (whole === undefined) return { value: null, isCut: false };
  if (whole.length <= bytes) return { value: JSON.parse(whole), isCut: false };
  const shorter = shortened(JSON.parse(whole), 0);
  const text = JSON.stringify(shorter);
  const isShort = text.length <= bytes;
  return {
    value: isShort ? shorter : `${text.slice(0, bytes - 1)}…`,
    isCut: true,
  };
}

function textOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, plainValue());
  } catch {
    return JSON.stringify(asText(value));
  }
}

/** A value in a few words. Never throws: a flow may have made it so that it does. */
export function asText(value: unknown): string {
  try {
    return String(value);
  } catch {
    return "(a value that cannot be read)";
  }
}

/** Leaves out what contains itself. */
function plainValue(): (this: unknown, key: string, value: unknown) => unknown {
  const above: Array<{ raw: unknown; shown: unknown }> = [];
  return function (key, value) {
    while (above.length > 0 && above.at(-1)?.shown !== this) above.pop();
    if (above.length === 1 && OF_NODE_RED.has(key)) return undefined;
    if (typeof value === "bigint") return value.toString();
    if (typeof value !== "object" || value === null) return value;
    // A Buffer has become something else already.
    const raw = (this as Record<string, unknown>)[key];
    if (isUint8Array(raw)) return `0x${Buffer.from(raw).toString("hex")}`;
    if (above.some((one) => one.raw === raw)) return undefined;
    const shown = shownOf(value);
    above.push({ raw, shown });
    return shown;
  };
}

function shownOf(value: object): object {
  if (value instanceof Error) {
    return { message: value.message, ...("code" in value ? { code: value.code } : {}) };
  }
  return value instanceof Map || value instanceof Set ? [...value] : value;
}

function shortened(value: unknown, depth: number): unknown {
  if (typeof value === "string")
    return value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT)}…` : value;
  if (typeof value !== "object" || value === null) return value;
  if (depth > 6) return "…";
  if (Array.isArray(value)) {
    const kept = value.slice(0, MOST_ITEMS).map((item) => shortened(item, depth + 1));
    return value.length > MOST_ITEMS ? [...kept, "…"] : kept;
  }
  const entries = Object.entries(value);
  const kept = entries.slice(0, 2 * MOST_ITEMS).map(([key, item]) => [key, shortened(item, depth + 1)]);
  return Object.fromEntries(kept);
}
