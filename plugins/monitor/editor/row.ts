import { button, icon, make } from "../../../nodes/common/editor/elements.ts";
import { isInEditor, openForm, showNode } from "./node-red.ts";
import { durationText, word } from "./words.ts";

/** How a row stands out. Each has an icon of its own shape: colors alone say nothing to many people. */
export type Tone = "ok" | "busy" | "quiet" | "warning" | "error";

export type RowButton = { label: string; act: () => void };

/** A row of the sidebar in words. Every text may come from anywhere, and is shown as text. */
export type RowView = {
  key: string;
  tone: Tone;
  title: string;
  /** Whether the title is a sentence, which is never cut. */
  isSentence?: boolean;
  /** Beside the title. */
  state: string;
  /** Unix milliseconds: how long ago that was is shown after the state. */
  since?: number;
  lines: readonly string[];
  /** What is wrong, in words. */
  problem?: string | undefined;
  /** The node that the row opens. */
  opens: string | undefined;
  buttons?: readonly RowButton[];
};

const ICONS: Readonly<Record<Tone, string>> = {
  ok: "fa-check-circle",
  busy: "fa-clock-o",
  quiet: "fa-circle-o",
  warning: "fa-exclamation-triangle",
  error: "fa-times-circle",
};

/** A row in the page, changed in place: what has the focus, or is selected, stays. */
export class RowElement {
  readonly element = make("li", "crec-row");
  /** What the keyboard goes to. */
  readonly main = make("button", "crec-row-main");
  readonly #icon = icon("");
  readonly #title = make("span", "crec-row-title");
  readonly #state = make("span", "crec-row-state");
  readonly #age = make("span", "crec-row-age");
  readonly #lines = make("span", "crec-row-lines");
  readonly #problem = make("span", "crec-row-problem");
  readonly #edit = make("button", "crec-row-edit", icon("fa-pencil"));
  readonly #buttons = make("div", "crec-row-buttons");
  #view: RowView | undefined;

  constructor() {
    this.main.type = "button";
    const side = make("span", "crec-row-side", this.#state, " ", this.#age);
    const head = make("span", "crec-row-head", this.#title, " ", side);
    this.main.append(this.#icon, head, this.#lines, this.#problem);
    this.main.addEventListener("click", () => this.#view?.opens && showNode(this.#view.opens));
    this.#edit.type = "button";
    this.#edit.addEventListener("click", () => this.#view?.opens && openForm(this.#view.opens));
    this.element.append(this.main, this.#edit, this.#buttons);
  }

  show(view: RowView, now: number): void {
    const before = this.#view;
    this.#view = view;
    const { tone, title, state, lines, problem = "", opens } = view;
    setClass(this.#icon, `crec-row-icon crec-${tone} fa ${ICONS[tone]}`);
    setText(this.#title, title);
    this.#title.classList.toggle("crec-row-sentence", view.isSentence === true);
    if (!view.isSentence && this.#title.title !== title) this.#title.title = title;
    setText(this.#state, state);
    this.tick(now);
    if (before === undefined || before.lines.join("\n") !== lines.join("\n")) this.#showLines(lines);
    setText(this.#problem, problem);
    this.#problem.hidden = problem === "";
    const isKnown = opens !== undefined && isInEditor(opens);
    this.main.title = isKnown ? word("hint.show-node") : word("hint.no-node");
    this.#edit.hidden = !isKnown;
    const name = word("label.open-form", { name: title });
    if (this.#edit.title !== name) {
      this.#edit.title = name;
      this.#edit.setAttribute("aria-label", name);
    }
    this.#showButtons(view.buttons ?? [], title);
  }

  /** Lets the age go on. `now` in Unix milliseconds. */
  tick(now: number): void {
    const since = this.#view?.since;
    setText(this.#age, since === undefined ? "" : `· ${durationText(now - since)}`);
  }

  #showLines(lines: readonly string[]): void {
    const shown = lines.filter((line) => line !== "");
    this.#lines.replaceChildren(...shown.map((line) => make("span", "crec-row-line", line)));
    this.#lines.hidden = shown.length === 0;
  }

  /** Buttons with the same labels stay: one of them may have the focus. */
  #showButtons(buttons: readonly RowButton[], title: string): void {
    this.#buttons.hidden = buttons.length === 0;
    const labels = buttons.map(({ label }) => label);
    const key = JSON.stringify([title, labels]);
    if (this.#buttons.dataset.shown === key) return;
    this.#buttons.dataset.shown = key;
    this.#buttons.replaceChildren(
      ...labels.map((label, index) => {
        const made = button(label, () => this.#view?.buttons?.[index]?.act());
        // A list has many with the same label.
        made.setAttribute("aria-label", `${label}: ${title}`);
        return made;
      }),
    );
  }
}

/** Only what differs is written: each write is work for the browser. */
export function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

function setClass(element: HTMLElement, name: string): void {
  if (element.className !== name) element.className = name;
}
