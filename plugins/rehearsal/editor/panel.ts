import { addStyle, button, make } from "../../../nodes/common/editor/elements.ts";
import type { OutcomeKind } from "../../../rehearsal/shared/report.ts";
import type { RehearsalState, ShownReport } from "../types.ts";
import { differencesShown, outcomeDetails, reportNotes } from "./details.ts";
import { nodeName, revealNode } from "./flows.ts";
import { Marks } from "./marks.ts";
import { type Listed, OutcomeList } from "./outcome-list.ts";
import { type FileKind, requests, saveFile } from "./requests.ts";
import { STYLE } from "./style.ts";
import { TimeLine } from "./time-line.ts";
import { counted, timeText, word } from "./words.ts";

/** What the buttons of the panel do. */
type PanelActs = { again(): void; choose(): void; cancel(): void; closed(): void };

type BeforeIt = { hasBefore: boolean; compares: boolean };

/** The area below the flow in which a rehearsal is shown: while it runs, and what came of it. */
export class RehearsalPanel {
  readonly element = make("section", "crec-rehearsal");
  readonly #acts: PanelActs;
  readonly #place = new Place();
  readonly #status = make("p", "crec-rehearsal-status");
  readonly #tools = make("div", "crec-rehearsal-tools");
  readonly #body = make("div", "crec-rehearsal-body");
  readonly #details = make("div", "crec-rehearsal-details");
  readonly #nodes = make("select");
  readonly #timeLine = new TimeLine(() => this.#filter());
  readonly #list = new OutcomeList((listed) => this.#showOutcome(listed));
  readonly #marks = new Marks((node, kind) => this.#only(node, kind));
  #shown: { report: ShownReport; number: number } | undefined;

  constructor(acts: PanelActs) {
    this.#acts = acts;
    addStyle("crec-rehearsal-style", STYLE);
    const heading = make("h3", "", word("label.rehearsal"));
    heading.id = "crec-rehearsal-heading";
    this.element.setAttribute("aria-labelledby", heading.id);
    this.#status.setAttribute("role", "status");
    const close = button("", () => this.close(), "fa-times");
    close.setAttribute("aria-label", word("label.clear"));
    close.title = word("label.clear");
    close.classList.add("crec-rehearsal-clear");
    this.element.append(
      make("div", "crec-rehearsal-head", heading, this.#status, close, this.#tools),
      this.#body,
    );
    this.#nodes.setAttribute("aria-label", word("label.node-filter"));
    this.#nodes.addEventListener("change", () => this.#filter());
    // A key for the panel, such as Delete, must not reach the flow.
    this.element.addEventListener("keydown", (event) => event.stopPropagation());
  }

  get isOpen(): boolean {
    return this.element.isConnected;
  }

  /** Shows how far it is. */
  showRunning(state: Extract<RehearsalState, { state: "running" }>): void {
    if (!this.#open() || !this.#body.querySelector("progress")) {
      this.#marks.clear();
      this.#shown = undefined;
      const bar = make("progress");
      bar.setAttribute("aria-label", word("label.progress"));
      this.#body.className = "crec-rehearsal-body crec-is-running";
      this.#body.replaceChildren(bar, make("p", "crec-progress"));
      this.#tools.replaceChildren(button(word("label.cancel"), this.#acts.cancel));
      this.#status.textContent = word("live.running");
    }
    const { at, span, timeZone = "UTC", events, alerts } = state;
    const [bar, text] = [this.#body.querySelector("progress"), this.#body.querySelector("p")];
    if (bar && at !== undefined && span)
      bar.value = Math.max(0, Math.min(1, (at - span.from) / Math.max(1, span.to - span.from)));
    const counts = `${counted("count.events", events)} · ${counted("count.alert", alerts)}`;
    if (text)
      text.textContent = at === undefined ? word("live.preparing") : `${timeText(at, timeZone)} · ${counts}`;
  }

  showFailed(why: string): void {
    this.#open();
    this.#marks.clear();
    this.#shown = undefined;
    this.#status.textContent = word("live.failed");
    this.#tools.replaceChildren(button(word("label.rehearse"), this.#acts.choose));
    this.#body.className = "crec-rehearsal-body crec-is-running";
    const problem = make("p", "crec-problem", why);
    problem.setAttribute("role", "alert");
    this.#body.replaceChildren(problem);
  }

  /** @param shown what came before it, and whether the comparison is shown unasked */
  showReport(report: ShownReport, number: number, { hasBefore, compares }: BeforeIt): void {
    this.#open();
    this.#shown = { report, number };
    const { from, to } = report.span;
    const [start, end] = [from, to].map((at) => timeText(at, report.timeZone, "span"));
    this.#status.textContent = `${start} – ${end} · ${counted("count.events", report.events.read)}`;
    this.#showTools(number, hasBefore);
    const all = make("option", "", word("value.all-nodes"));
    all.value = "";
    this.#nodes.replaceChildren(all, ...this.#nodeOptions(report));
    this.#timeLine.show(report);
    this.#details.replaceChildren(reportNotes(report));
    const list = make("div", "crec-rehearsal-list", this.#timeLine.element, this.#nodes, this.#list.element);
    this.#body.className = "crec-rehearsal-body";
    this.#body.replaceChildren(list, this.#details);
    this.#marks.show(report);
    this.#filter();
    if (hasBefore && compares) this.#compare(number);
  }

  /** The flow is another one by now: its counts would be wrong. */
  showChanged(): void {
    this.#marks.clear();
    this.#status.textContent = word("live.changed");
  }

  close(): void {
    this.#marks.clear();
    this.#shown = undefined;
    this.#place.remove(this.element);
    this.#body.replaceChildren();
    this.#acts.closed();
  }

  /** @returns whether it was open */
  #open(): boolean {
    if (this.isOpen) return true;
    this.#place.put(this.element);
    return false;
  }

  #showTools(number: number, hasBefore: boolean): void {
    const save = (kind: FileKind) => () =>
      this.#asked(requests.file(number, kind), (file) => {
        saveFile(file);
        this.#status.textContent = word("live.saved", { name: file.name });
      });
    const compare = button(word("label.compare"), () => this.#compare(number));
    this.#tools.replaceChildren(
      button(word("label.again"), this.#acts.again, "fa-repeat"),
      ...(hasBefore ? [compare] : []),
      button(word("label.keep"), save("test"), "fa-check-square-o"),
      button(word("label.html"), save("html"), "fa-download"),
      button(word("label.json"), save("json"), "fa-download"),
      button(word("label.other"), this.#acts.choose),
    );
  }

  #compare(number: number): void {
    this.#asked(requests.differences(number), (differences) => {
      if (this.#shown?.number !== number) return;
      this.#showDetails(differencesShown(this.#shown.report, differences));
    });
  }

  #nodeOptions(report: ShownReport): HTMLOptionElement[] {
    return report.nodes.map((node) => {
      const sent = node.sent.reduce((sum, count) => sum + count, 0);
      const count = node.received
        ? counted("count.node-received", node.received)
        : counted("count.node-sent", sent);
      const made = make("option", "", `${nodeName(node.id, node)} · ${count}`);
      made.value = node.id;
      return made;
    });
  }

  #only(node: string, kind?: OutcomeKind): void {
    this.#nodes.value = node;
    this.#timeLine.only(kind);
    this.#filter();
  }

  #filter(): void {
    if (!this.#shown) return;
    const [node, { hidden, chosen }] = [this.#nodes.value, this.#timeLine];
    this.#list.show(this.#shown.report, (outcome) => {
      if (hidden.has(outcome.kind) || (node !== "" && outcome.node !== node)) return false;
      if (chosen === undefined) return true;
      return outcome.kind === chosen.kind && outcome.at >= chosen.from && outcome.at < chosen.to;
    });
  }

  #showOutcome(listed: Listed): void {
    const shown = this.#shown;
    if (!shown) return;
    const { element, message } = outcomeDetails(shown.report, listed);
    this.#showDetails(element);
    const { path, node } = listed.outcome;
    this.#marks.follow(path === undefined ? [] : (shown.report.paths[path] ?? []));
    revealNode(node);
    this.#asked(requests.message(shown.number, listed.index), (answer) => {
      message.textContent = JSON.stringify(answer.message, undefined, 2) ?? "";
    });
  }

  /** Shows something in the place of the notes, and how to come back to them. */
  #showDetails(element: HTMLElement): void {
    const back = button(word("label.notes"), () => {
      this.#marks.follow([]);
      if (this.#shown) this.#details.replaceChildren(reportNotes(this.#shown.report));
    });
    this.#details.replaceChildren(back, element);
    this.#details.scrollTop = 0;
  }

  #asked<T>(asked: Promise<T>, done: (answer: T) => void): void {
    asked.then(done, ({ message }: Error) =>
      RED.notify($("<p>").text(message), { type: "error", timeout: 8_000 }),
    );
  }
}

const OPEN = "crec-with-rehearsal";

/**
 * The place below the flow: above the buttons at the bottom of the workspace, and beside the sidebar where that lies over
 * the workspace, as it does since Node-RED 5.
 */
class Place {
  readonly #observer = new ResizeObserver(() => this.#measure());

  put(element: HTMLElement): void {
    const workspace = document.getElementById("red-ui-workspace");
    workspace?.append(element);
    workspace?.classList.add(OPEN);
    for (const part of [workspace, document.getElementById("red-ui-sidebar")])
      if (part) this.#observer.observe(part);
    this.#measure();
  }

  remove(element: HTMLElement): void {
    this.#observer.disconnect();
    element.remove();
    document.getElementById("red-ui-workspace")?.classList.remove(OPEN);
    document.getElementById("red-ui-workspace-chart")?.focus();
  }

  #measure(): void {
    const workspace = document.getElementById("red-ui-workspace");
    if (!workspace) return;
    const all = workspace.getBoundingClientRect();
    const footer = document.getElementById("red-ui-workspace-footer")?.getBoundingClientRect();
    const sidebar = document.getElementById("red-ui-sidebar")?.getBoundingClientRect();
    const below = footer && footer.height > 0 ? all.bottom - footer.top : 0;
    const beside = sidebar && sidebar.width > 0 ? all.right - sidebar.left : 0;
    workspace.style.setProperty("--crec-footer", `${Math.max(0, Math.ceil(below))}px`);
    workspace.style.setProperty("--crec-beside", `${Math.max(0, Math.ceil(beside))}px`);
  }
}
