import { join } from "node:path";
import { processWide } from "../../nodes/lib/runtime/process-wide.ts";
import { CrecError } from "../../src/errors.ts";
import type { InstalledNodeRed } from "../shared/installation.ts";
import type { Job, PastEvent } from "../shared/job.ts";
import type { CallAnswer, CallToAsk, ToParent } from "../shared/messages.ts";
import type { Report } from "../shared/report.ts";
import { callOf } from "./call-of.ts";
import { type Child, type Limits, startChild, wrote, yieldToOthers } from "./child-process.ts";
import { reportOf } from "./report-of.ts";
import { makeWorkFolder } from "./work-folder.ts";

export type Progress = Omit<Extract<ToParent, { kind: "progress" }>, "kind">;

export type RehearsalOptions = {
  nodeRed: InstalledNodeRed;
  /** This package. */
  packageFolder: string;
  job: Job;
  /** Batches, in the order of their times. A batch is read when the process needs it. */
  events: AsyncIterable<readonly PastEvent[]>;
  /** @default calls of today are refused */
  ask?: (call: CallToAsk, signal: AbortSignal) => Promise<CallAnswer>;
  /** Rehearsals have their folders in it. What earlier ones left there is removed. */
  workRoot: string;
  /** @default 10 minutes, 512 MB of memory, 256 MB on the disk */
  limits?: Partial<Limits>;
  /** Ends the rehearsal without a report. */
  signal?: AbortSignal;
  /** Other processes come first on the processor, as Node-RED does beside it. @default false */
  isInBackground?: boolean;
  /** The program of the process. @default `dist/rehearsal.js` of the package */
  program?: string;
};

export type Rehearsal = {
  /**
   * Rejects with a `CrecError`: `REHEARSAL_CANCELLED`, `REHEARSAL_TOO_LONG`, `REHEARSAL_OUT_OF_MEMORY`,
   * `REHEARSAL_OUT_OF_DISK`, `REHEARSAL_ENDED`, or the error of reading the events.
   */
  report: Promise<Report>;
  /** Stops it: the report is of what has happened so far. Without one, where nothing has begun. */
  cancel(): void;
  /** Calls the listener about once a second. */
  onProgress(listener: (progress: Progress) => void): void;
};

const LIMITS: Limits = { timeMs: 600_000, memoryMb: 512, diskMb: 256 };
/** How long a rehearsal that is cancelled has for its report. */
const GRACE_MS = 5_000;
/** Each is a query of the service. */
const MAX_ASKED = 1_000;
/** At a time. The process asks for one batch, and an event may lead to many calls. */
const MAX_WAITING = { more: 10, ask: 10_000 };
/** Of what the process says about itself. */
const LONGEST_TEXT = 2_000;

/**
 * Runs flows over past events, in a process that cannot act. A process has one rehearsal at a time.
 *
 * @throws {CrecError} `REHEARSAL_RUNNING`
 */
export function startRehearsal(options: RehearsalOptions): Rehearsal {
  const slot = processWide("rehearsal", () => ({ taken: false }));
  if (slot.taken) throw running();
  slot.taken = true;
  const run = new Run(options);
  return {
    report: run.report().finally(() => {
      slot.taken = false;
    }),
    cancel: () => run.cancel(),
    onProgress: (listener) => run.listeners.push(listener),
  };
}

class Run {
  readonly listeners: Array<(progress: Progress) => void> = [];
  readonly #options: RehearsalOptions;
  readonly #limits: Limits;
  readonly #over = new AbortController();
  #child: Child | undefined;
  #batches: Batches | undefined;
  #isCancelled = false;
  #report: Report | undefined;
  #failure: unknown;
  #asked = 0;
  readonly #waiting = { more: 0, ask: 0 };

  constructor(options: RehearsalOptions) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
  }

  async report(): Promise<Report> {
    const { signal } = this.#options;
    const abort = () => this.#abort();
    const folder = await makeWorkFolder(this.#options.workRoot, this.#limits.timeMs);
    try {
      if (this.#isCancelled || signal?.aborted) throw cancelled();
      this.#child = this.#start(folder.path);
      signal?.addEventListener("abort", abort);
      if (this.#child.pid !== undefined) await folder.note(this.#child.pid);
      return await this.#reportOf(this.#child);
    } finally {
      signal?.removeEventListener("abort", abort);
      this.#over.abort();
      await this.#batches?.close();
      await folder.remove();
    }
  }

  cancel(): void {
    if (this.#isCancelled || this.#over.signal.aborted) return;
    this.#isCancelled = true;
    // Before it has a job, there is nothing to report.
    if (this.#batches === undefined) {
      this.#abort();
      return;
    }
    void this.#child?.send({ kind: "cancel" });
    const late = setTimeout(() => this.#abort(), GRACE_MS);
    this.#over.signal.addEventListener("abort", () => clearTimeout(late));
  }

  #abort(): void {
    this.#child?.kill(cancelled());
  }

  #start(workFolder: string): Child {
    const { nodeRed, packageFolder, job } = this.#options;
    const program = this.#options.program ?? join(packageFolder, "dist", "rehearsal.js");
    const { modules, timeZone, language } = job;
    const setup = { nodeRed, packageFolder, workFolder, modules, timeZone, language };
    const child = startChild(program, setup, this.#limits, (message) => this.#take(message));
    if (this.#options.isInBackground) yieldToOthers(child.pid);
    return child;
  }

  /** The report counts, and not how the process ended after it. */
  async #reportOf(child: Child): Promise<Report> {
    try {
      await child.ended;
    } catch (error) {
      this.#failure ??= error;
    }
    if (this.#report) return this.#report;
    throw this.#failure ?? withoutReport();
  }

  /** A flow may have written the message: what it says is not trusted, and nothing that it says can end this process. */
  #take(message: ToParent): void {
    switch (message.kind) {
      case "ready":
        this.#begin();
        break;
      case "more":
        void this.#waitFor("more", this.#feed());
        break;
      case "progress":
        for (const listener of this.listeners) listener(progressOf(message));
        break;
      case "ask":
        void this.#waitFor("ask", this.#answer(message.id, message.call));
        break;
      case "report":
        this.#report = reportOf(message.report);
        this.#child?.kill(this.#report ? undefined : wrote());
        break;
      case "failed":
        this.#fail(failed(textOf(message.message)));
        break;
    }
  }

  #begin(): void {
    if (this.#batches) return;
    this.#batches = new Batches(this.#options.events);
    void this.#child?.send({ kind: "job", job: this.#options.job });
  }

  /** What the process asks for faster than it takes the answers would fill the memory of this one. */
  async #waitFor(what: keyof typeof MAX_WAITING, answered: Promise<void>): Promise<void> {
    this.#waiting[what] += 1;
    if (this.#waiting[what] > MAX_WAITING[what]) this.#child?.kill(wrote());
    await answered;
    this.#waiting[what] -= 1;
  }

  async #feed(): Promise<void> {
    if (!this.#batches) return;
    try {
      const events = await this.#batches.next();
      await this.#child?.send({ kind: "events", events: events ?? [], isLast: events === undefined });
    } catch (error) {
      this.#fail(error);
    }
  }

  async #answer(id: number, call: CallToAsk): Promise<void> {
    this.#asked += 1;
    const answer = await this.#ask(call).catch((error: unknown) => ({ error: (error as Error).message }));
    await this.#child?.send({ kind: "answer", id, answer });
  }

  async #ask(call: CallToAsk): Promise<CallAnswer> {
    const { ask, job } = this.#options;
    if (!ask || !job.askQueries) return { error: "calls of today are not asked in this rehearsal" };
    if (this.#asked > MAX_ASKED) return { error: `a rehearsal asks for ${MAX_ASKED} calls at most` };
    const asked = callOf(call, job);
    if (!asked) return { error: "the call is not one of a channel of this rehearsal" };
    return await ask(asked, this.#over.signal);
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    this.#child?.kill();
  }
}

/** Reads one batch ahead: the next one is read while the process works. */
class Batches {
  readonly #iterator: AsyncIterator<readonly PastEvent[]>;
  #next: Promise<IteratorResult<readonly PastEvent[]>>;

  constructor(events: AsyncIterable<readonly PastEvent[]>) {
    this.#iterator = events[Symbol.asyncIterator]();
    this.#next = this.#read();
  }

  /** A batch that has events. Undefined after the last one. */
  async next(): Promise<readonly PastEvent[] | undefined> {
    for (;;) {
      const { done, value } = await this.#next;
      if (done) return undefined;
      this.#next = this.#read();
      if (value.length > 0) return value;
    }
  }

  async close(): Promise<void> {
    // A source that waits is ended by its own signal.
    void this.#iterator.return?.().catch(() => {});
  }

  #read(): Promise<IteratorResult<readonly PastEvent[]>> {
    const next = this.#iterator.next();
    // It is reported when the process asks for it.
    next.catch(() => {});
    return next;
  }
}

function progressOf({ at, events, alerts, left }: Progress): Progress {
  return { at: numberOf(at), events: numberOf(events), alerts: numberOf(alerts), left: numberOf(left) };
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.slice(0, LONGEST_TEXT) : "";
}

function running(): CrecError {
  return new CrecError(
    "REHEARSAL_RUNNING",
    "A rehearsal is running, and there is one at a time. Wait until it has ended, or cancel it.",
  );
}

function cancelled(): CrecError {
  return new CrecError("REHEARSAL_CANCELLED", "The rehearsal was cancelled. Start it again to see a report.");
}

function failed(message: string): CrecError {
  return new CrecError(
    "REHEARSAL_FAILED",
    `The rehearsal failed: ${message.replace(/\.$/, "")}. Rehearse fewer tabs, and without ticked palettes, to find the cause.`,
  );
}

function withoutReport(): CrecError {
  return new CrecError(
    "REHEARSAL_ENDED",
    "The process of the rehearsal ended without a report. A node of the flow or of a ticked palette may have ended it. Rehearse fewer tabs to find which one.",
  );
}
