import type { Job } from "../shared/job.ts";
import { LONGEST_SENTENCE, type Outcome, type OutcomeKind, type Path } from "../shared/report.ts";
import type { MessagePaths, PathId } from "./message-paths.ts";
import { plainJson } from "./plain-json.ts";

/** What happened, before it is in the report. */
type Happened = Omit<Outcome, "path" | "isCut"> & { trail: PathId };

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
  readonly #trails: MessagePaths;
  readonly #paths = new Map<PathId, number>();

  constructor(limits: Job["limits"], trails: MessagePaths) {
    this.#limits = limits;
    this.#trails = trails;
  }

  add({ trail, message, text, ...rest }: Happened): void {
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
    const path = this.#pathOf(trail);
    this.kept.push({
      ...rest,
      text: shown,
      message: value,
      ...(isCut ? { isCut } : {}),
      ...(path === undefined ? {} : { path }),
    });
  }

  #pathOf(trail: PathId): number | undefined {
    if (trail === 0) return undefined;
    const known = this.#paths.get(trail);
    if (known !== undefined) return known;
    if (this.paths.length >= this.#limits.paths) return undefined;
    const path = this.#trails.path(trail);
    this.#bytes += bytesOf(path);
    const index = this.paths.push(path) - 1;
    this.#paths.set(trail, index);
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
