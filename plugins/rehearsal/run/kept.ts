import type { NodeAPI } from "node-red";
import { invalidRequest, problemOf } from "../../../nodes/common/admin/answer.ts";
import { nodeError } from "../../../nodes/common/shared/errors.ts";
import type { Report } from "../../../rehearsal/shared/report.ts";
import type { RehearsalState, StartQuestion } from "../types.ts";
import type { Started } from "./start.ts";

type Start = (question: StartQuestion, signal: AbortSignal, again: Report | undefined) => Promise<Started>;

/** The rehearsal that runs, and the reports of the last one and of the one before it. In memory only. */
export class KeptRehearsals {
  readonly #log: NodeAPI["log"];
  readonly #start: Start;
  #state: RehearsalState = { state: "none" };
  #reports: Array<{ number: number; report: Report }> = [];
  #number = 0;
  #cancel: () => void = () => {};

  constructor(log: NodeAPI["log"], start: Start) {
    this.#log = log;
    this.#start = start;
  }

  get state(): RehearsalState {
    return this.#state;
  }

  /** @throws REHEARSAL_RUNNING */
  begin(question: StartQuestion): RehearsalState {
    if (this.#state.state === "running")
      throw nodeError(
        "REHEARSAL_RUNNING",
        "A rehearsal is running, and there is one at a time. Wait until it has ended, or cancel it.",
      );
    this.#number += 1;
    this.#state = { state: "running", number: this.#number, events: 0, alerts: 0 };
    void this.#run(question, this.#number);
    return this.#state;
  }

  cancel(): void {
    this.#cancel();
  }

  /** @throws INVALID_REQUEST where it is not kept any more */
  report(number: number): Report {
    return this.#kept(number).report;
  }

  /** The one before it, with which it is compared. @throws INVALID_REQUEST */
  before(number: number): Report {
    const index = this.#reports.indexOf(this.#kept(number));
    return this.#reports[index - 1]?.report ?? notKept();
  }

  #kept(number: number) {
    return this.#reports.find((one) => one.number === number) ?? notKept();
  }

  /** The rehearsal whose events the next one gets. Where it is not kept any more, they are read anew. */
  #again({ again }: StartQuestion): Report | undefined {
    return this.#reports.find(({ number }) => number === again)?.report;
  }

  async #run(question: StartQuestion, number: number): Promise<void> {
    const over = new AbortController();
    this.#cancel = () => over.abort();
    try {
      const { rehearsal, job, notes } = await this.#start(question, over.signal, this.#again(question));
      const { span, timeZone } = job;
      this.#cancel = () => rehearsal.cancel();
      rehearsal.onProgress(({ at, events, alerts }) => {
        this.#state = { state: "running", number, at, span, timeZone, events, alerts };
      });
      const made = await rehearsal.report;
      const report = { ...made, notes: [...notes, ...made.notes] };
      const hasBefore = this.#reports.length > 0;
      this.#reports = [...this.#reports.slice(-1), { number, report }];
      this.#state = { state: "done", number, hasBefore };
    } catch (thrown) {
      const { problem, code } = problemOf(this.#log, over.signal.aborted ? cancelled() : thrown);
      this.#state = { state: "failed", number, why: problem, code };
    }
  }
}

function notKept(): never {
  return invalidRequest("This rehearsal is not kept any more. Rehearse again to see a report.");
}

function cancelled(): Error {
  return nodeError("REHEARSAL_CANCELLED", "The rehearsal was cancelled. Start it again to see a report.");
}
