import { button, make } from "../../../nodes/common/editor/elements.ts";
import type { ShownOutcome, ShownReport } from "../types.ts";
import { nodeName } from "./flows.ts";
import { dot } from "./time-line.ts";
import { counted, timeText, word } from "./words.ts";

/** How many rows are made at a time: a report has up to thousands. */
const ROWS = 100;

/** An outcome, and its place in the report. */
export type Listed = { outcome: ShownOutcome; index: number };

/** The outcomes that pass the filters, in their order. One of them can be chosen. */
export class OutcomeList {
  readonly element = make("div", "crec-outcomes");
  readonly #count = make("p", "crec-outcome-count");
  readonly #rows = make("ul");
  readonly #more = button("", () => this.#add());
  readonly #onChosen: (listed: Listed) => void;
  #report: ShownReport | undefined;
  #listed: Listed[] = [];

  constructor(onChosen: (listed: Listed) => void) {
    this.#onChosen = onChosen;
    this.#count.setAttribute("role", "status");
    this.#rows.setAttribute("aria-label", word("label.outcomes"));
    this.#rows.addEventListener("keydown", move);
    this.element.append(this.#count, this.#rows, this.#more);
  }

  show(report: ShownReport, passes: (outcome: ShownOutcome) => boolean): void {
    this.#report = report;
    this.#listed = report.outcomes
      .map((outcome, index) => ({ outcome, index }))
      .filter(({ outcome }) => passes(outcome));
    const { length } = this.#listed;
    this.#count.textContent = length === 0 ? word("empty.outcomes") : counted("count.outcomes", length);
    this.#rows.replaceChildren();
    this.#add();
  }

  #add(): void {
    const report = this.#report;
    if (!report) return;
    const made = this.#rows.children.length;
    const names = new Map(report.nodes.map((node) => [node.id, node]));
    for (const listed of this.#listed.slice(made, made + ROWS)) {
      const { outcome } = listed;
      const name = nodeName(outcome.node, names.get(outcome.node));
      this.#rows.append(make("li", "", this.#row(listed, name, report.timeZone)));
    }
    const left = this.#listed.length - this.#rows.children.length;
    this.#more.hidden = left <= 0;
    this.#more.textContent = counted("label.more", Math.min(left, ROWS));
  }

  #row(listed: Listed, name: string, timeZone: string): HTMLButtonElement {
    const { kind, at, text, why } = listed.outcome;
    const said = why === undefined ? text : `${text} (${whyText(why)})`;
    const row = make("button", "crec-outcome", dot(kind));
    row.append(
      make("span", "crec-outcome-time", timeText(at, timeZone, "day")),
      " ",
      make("span", "crec-outcome-text", said || word(`kind.${kind}`)),
      " ",
      make("span", "crec-outcome-node", `${word(`kind.${kind}`)} · ${name}`),
    );
    row.type = "button";
    row.addEventListener("click", () => {
      this.#rows.querySelector("[aria-current]")?.removeAttribute("aria-current");
      row.setAttribute("aria-current", "true");
      this.#onChosen(listed);
    });
    return row;
  }
}

/** The reason of a suppressed alert, as the form of the alert node calls it; the word itself where it has none. */
export function whyText(why: string): string {
  const key = `why.${why}`;
  const text = word(key);
  return text.endsWith(key) ? why.replaceAll("_", " ") : text;
}

function move(event: KeyboardEvent): void {
  const row = (event.target as Element).closest("li");
  const next = event.key === "ArrowDown" ? row?.nextElementSibling : row?.previousElementSibling;
  if (!["ArrowDown", "ArrowUp"].includes(event.key)) return;
  event.preventDefault();
  event.stopPropagation();
  next?.querySelector("button")?.focus();
}
