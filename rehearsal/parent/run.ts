import { join } from "node:path";
import { processWide } from "../../nodes/common/process-wide.ts";
import { CrecError } from "../../src/errors.ts";
import { visible } from "../report/words.ts";
import type { InstalledNodeRed, Job, PastEvent } from "../shared/job.ts";
import {
  type CallAnswer,
  type CallToAsk,
  LONGEST_TEXT,
  MAX_ASKED,
  type ToParent,
} from "../shared/messages.ts";
import type { Report } from "../shared/report.ts";
import { expectedOf } from "./checked-report.ts";
import { type Child, type Limits, startChild, wrote, yieldToOthers } from "./child-process.ts";
import { Batches } from "./events/merge.ts";
import { callOf } from "./queries.ts";
import { ReportFile, readReport } from "./report-file.ts";
import { makeWorkFolder } from "./work-folder.ts";

type Progress = Omit<Extract<ToParent, { kind: "progress" }>, "kind">;

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
  /** @default 10 minutes, 512 MB of memory */
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
   * `REHEARSAL_ENDED`, or the error of reading the events.
   */
  report: Promise<Report>;
  /** Stops it: the report is of what has happened so far. Without one, where nothing has begun. */
  cancel(): void;
  /** Calls the listener about once a second. */
  onProgress(listener: (progress: Progress) => void): void;
};

const LIMITS: Limits = { timeMs: 600_000, memoryMb: 512 };
/** How long a rehearsal that is cancelled has for its report. */
const GRACE_MS = 5_000;
/** At a time. The process asks for one batch, and an event may lead to many calls. */
const MAX_WAITING = { more: 10, ask: 10_000 };
/** Between two reports of progress that are passed on. */
const PROGRESS_MS = 100;

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
  #isReported = false;
  #toldAt = 0;
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
    let file: ReportFile | undefined;
    try {
      file = await ReportFile.make(folder.around);
      if (this.#isCancelled || signal?.aborted) throw cancelled();
      this.#child = this.#start(folder.path, file);
      signal?.addEventListener("abort", abort);
      if (this.#child.pid !== undefined) await folder.note(this.#child.pid);
      return await this.#reportOf(this.#child, file);
    } finally {
      signal?.removeEventListener("abort", abort);
      this.#over.abort();
      await this.#batches?.close();
      // It has ended, unless its start failed.
      this.#child?.kill();
      await this.#child?.ended.catch(() => {});
      await file?.close();
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

  #start(workFolder: string, report: ReportFile): Child {
    const { nodeRed, packageFolder, job } = this.#options;
    const program = this.#options.program ?? join(packageFolder, "dist", "rehearsal.js");
    const { modules, timeZone, language } = job;
    const setup = { nodeRed, packageFolder, workFolder, modules, timeZone, language };
    const child = startChild(program, setup, report, this.#limits, (message) => this.#take(message));
    if (this.#options.isInBackground) yieldToOthers(child.pid);
    return child;
  }

  /** The report counts, and not how the process ended after it. */
  async #reportOf(child: Child, file: ReportFile): Promise<Report> {
    try {
      await child.ended;
    } catch (error) {
      this.#failure ??= error;
    }
    if (!this.#isReported) throw this.#failure ?? withoutReport();
    const { packageFolder, job } = this.#options;
    const bytes = await file.read();
    const program = join(packageFolder, "dist", "rehearsal-report.js");
    const report = bytes && (await readReport(bytes, expectedOf(job), program));
    if (report === undefined) throw wrote();
    return report;
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
        this.#tell(progressOf(message, this.#options.job));
        break;
      case "ask":
        void this.#waitFor("ask", this.#answer(message.id, message.call));
        break;
      case "reported":
        this.#isReported = true;
        this.#child?.kill();
        break;
      case "failed":
        this.#fail(failed(textOf(message.message)));
        break;
    }
  }

  /** Listeners send it to browsers: not as often as a flow can. */
  #tell(progress: Progress): void {
    const now = performance.now();
    if (now - this.#toldAt < PROGRESS_MS) return;
    this.#toldAt = now;
    for (const listener of this.listeners) listener(progress);
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

function progressOf({ at, events, alerts, left }: Progress, { span }: Job): Progress {
  const within = Math.min(Math.max(countOf(at), span.from), span.to);
  return { at: within, events: countOf(events), alerts: countOf(alerts), left: countOf(left) };
}

function countOf(value: unknown): number {
  return Number.isFinite(value) ? Math.max(0, value as number) : 0;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? visible(value.slice(0, LONGEST_TEXT)) : "";
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
