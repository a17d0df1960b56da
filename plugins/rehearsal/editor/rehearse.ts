import type { RehearsalState, StartQuestion } from "../types.ts";
import { askChoice, type Choice, isAsking } from "./dialog/ask-choice.ts";
import { editorFlows, flowsPrint } from "./flows.ts";
import { RehearsalPanel } from "./panel.ts";
import { requests } from "./requests.ts";

const ASK_MS = 500;
const CHANGE_MS = 300;
const CHANGES = ["nodes:add", "nodes:change", "nodes:remove", "links:add", "links:remove", "flows:change"];

/** The rehearsals of this page: what was chosen, how far it is, and what is shown of it. */
export class Rehearsals {
  readonly #panel = new RehearsalPanel({
    again: () => void this.#again(this.#number),
    choose: () => this.#choose(),
    cancel: () => void this.#tried(requests.cancel),
    closed: () => this.#forget(),
  });
  #choice: Choice | undefined;
  /** As the run time said it last: it keeps a report also while no page is open. */
  #state: RehearsalState | undefined;
  /** Of the flows that are being rehearsed, or were. */
  #print = "";
  #isOpening = false;
  /** Whether the last one was started by "again": then what differs is what was asked for. */
  #isAgain = false;
  #asking: ReturnType<typeof setTimeout> | undefined;
  #checking: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    for (const event of CHANGES) RED.events.on(event, () => this.#changed());
  }

  /** Shows a rehearsal that runs, else the dialog for another one. */
  async open(): Promise<void> {
    // Pressed twice, there is one dialog.
    if (this.#isOpening || isAsking()) return;
    this.#isOpening = true;
    await this.#tried(async () => {
      const state = await requests.progress();
      this.#state = state;
      if (state.state === "running") this.#follow(state);
      else this.#choose();
    });
    this.#isOpening = false;
  }

  #choose(): void {
    const last = this.#state;
    const showLast = last?.state === "done" && !this.#panel.isOpen ? () => void this.#show(last) : undefined;
    askChoice(
      this.#choice,
      (choice) => {
        this.#choice = choice;
        void this.#again();
      },
      showLast,
    );
  }

  /** Of the report that is shown. */
  get #number(): number | undefined {
    return this.#state?.state === "done" ? this.#state.number : undefined;
  }

  /** @param again the number of a rehearsal whose events this one gets */
  async #again(again?: number): Promise<void> {
    const choice = this.#choice;
    // After the page was loaded again, nothing is chosen.
    if (!choice) return this.#choose();
    await this.#tried(async () => {
      this.#forget();
      this.#isAgain = again !== undefined;
      this.#panel.showRunning({ state: "running", number: 0, events: 0, alerts: 0 });
      const flows = editorFlows();
      this.#print = flowsPrint(flows);
      const { span, ...others } = choice;
      const asked = "file" in span ? { upload: await requests.upload(await span.file.text()) } : span;
      const question: StartQuestion = {
        ...others,
        span: asked,
        flows,
        ...(again === undefined ? {} : { again }),
      };
      this.#follow(await requests.start(question));
    });
  }

  #follow(state: RehearsalState): void {
    this.#state = state;
    clearTimeout(this.#asking);
    if (state.state === "running") {
      this.#panel.showRunning(state);
      this.#asking = setTimeout(
        () => void this.#tried(async () => this.#follow(await requests.progress())),
        ASK_MS,
      );
    } else if (state.state === "failed") this.#panel.showFailed(state.why);
    else if (state.state === "done") void this.#show(state);
    else this.#panel.close();
  }

  #show({ number, hasBefore }: Extract<RehearsalState, { state: "done" }>): Promise<void> {
    return this.#tried(async () => {
      const report = await requests.report(number);
      this.#panel.showReport(report, number, { hasBefore, compares: this.#isAgain });
      // It may have changed while it ran.
      this.#changed();
    });
  }

  /** Looks once the changes of the moment are made: a deploy or an import are many. */
  #changed(): void {
    if (!this.#panel.isOpen || this.#print === "") return;
    clearTimeout(this.#checking);
    this.#checking = setTimeout(() => {
      if (this.#print === "" || flowsPrint(editorFlows()) === this.#print) return;
      this.#panel.showChanged();
    }, CHANGE_MS);
  }

  #forget(): void {
    clearTimeout(this.#asking);
    clearTimeout(this.#checking);
    this.#print = "";
  }

  async #tried(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#forget();
      this.#panel.showFailed((error as Error).message);
    }
  }
}
