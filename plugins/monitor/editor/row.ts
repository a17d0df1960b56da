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
  readonly element = document.createElement("li");
  /** What the keyboard goes to. */
  readonly main = document.createElement("button");
  readonly #icon = document.createElement("i");
  readonly #title = part("crec-row-title");
  readonly #state = part("crec-row-state");
  readonly #age = part("crec-row-age");
  readonly #lines = part("crec-row-lines");
  readonly #problem = part("crec-row-problem");
  readonly #edit = document.createElement("button");
  readonly #buttons = document.createElement("div");
  #view: RowView | undefined;

  constructor() {
    this.element.className = "crec-row";
    this.main.type = "button";
    this.main.className = "crec-row-main";
    this.#icon.setAttribute("aria-hidden", "true");
    const side = part("crec-row-side");
    side.append(this.#state, " ", this.#age);
    const head = part("crec-row-head");
    head.append(this.#title, " ", side);
    this.main.append(this.#icon, head, this.#lines, this.#problem);
    this.main.addEventListener("click", () => this.#view?.opens && showNode(this.#view.opens));
    this.#edit.type = "button";
    this.#edit.className = "crec-row-edit";
    this.#edit.append(icon("fa-pencil"));
    this.#edit.addEventListener("click", () => this.#view?.opens && openForm(this.#view.opens));
    this.#buttons.className = "crec-row-buttons";
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
    this.#lines.replaceChildren(
      ...shown.map((line) => {
        const element = part("crec-row-line");
        element.textContent = line;
        return element;
      }),
    );
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
        const button = document.createElement("button");
        button.type = "button";
        button.className = "red-ui-button red-ui-button-small";
        button.textContent = label;
        // A list has many with the same label.
        button.setAttribute("aria-label", `${label}: ${title}`);
        button.addEventListener("click", () => this.#view?.buttons?.[index]?.act());
        return button;
      }),
    );
  }
}

function part(className: string): HTMLSpanElement {
  const element = document.createElement("span");
  element.className = className;
  return element;
}

export function icon(name: string): HTMLElement {
  const element = document.createElement("i");
  element.className = `fa ${name}`;
  element.setAttribute("aria-hidden", "true");
  return element;
}

/** Only what differs is written: each write is work for the browser. */
export function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

function setClass(element: HTMLElement, name: string): void {
  if (element.className !== name) element.className = name;
}
