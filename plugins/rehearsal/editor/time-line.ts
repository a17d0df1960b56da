import { draw, make } from "../../../nodes/common/editor/elements.ts";
import { type Axis, axisOf, barOf } from "../../../rehearsal/shared/axis.ts";
import { OUTCOME_KINDS, type OutcomeKind } from "../../../rehearsal/shared/report.ts";
import type { ShownReport } from "../types.ts";
import { counted, timeText, word } from "./words.ts";

/** What a bar stands for. `to` is not part of it. */
type Times = { kind: OutcomeKind; from: number; to: number };

/** A single bar must not look like an area. */
const BARS = { least: 12, most: 60 };
/** What went as it should. There is one for most events: the rest would be hard to find among them. */
const HIDDEN_FIRST: OutcomeKind = "ack";
const BOX = { width: 600, height: 18 };

type BarPlace = { times: Times; count: number; share: number; index: number; width: number };
type Bar = { times: Times; count: number; element: SVGElement };

/**
 * When what happened: a row for each kind of outcome, whose heading shows or hides the kind. Each bar can be chosen, with the
 * pointer or by the arrow keys.
 */
export class TimeLine {
  readonly element = make("div", "crec-time-line");
  readonly hidden = new Set<OutcomeKind>();
  chosen: Times | undefined;
  readonly #onChange: () => void;
  #bars: Bar[] = [];

  constructor(onChange: () => void) {
    this.#onChange = onChange;
    this.element.setAttribute("role", "group");
    this.element.setAttribute("aria-label", word("label.time-line"));
    this.element.addEventListener("keydown", (event) => this.#move(event));
  }

  show(report: ShownReport): void {
    this.chosen = undefined;
    this.#bars = [];
    const { from, step, count } = axisOf(
      report.outcomes.map(({ at }) => at),
      BARS.most,
    );
    const axis = { from, step, count: Math.max(BARS.least, count) };
    const rows = OUTCOME_KINDS.flatMap((kind) => {
      const total = report.nodes.reduce((sum, node) => sum + (node.outcomes[kind] ?? 0), 0);
      return total > 0 ? [this.#row(report, kind, total, axis)] : [];
    });
    const end = (at: number): HTMLElement => make("span", "", timeText(at, report.timeZone, "span"));
    const ends = make("div", "crec-time-ends", make("span"), end(from), end(from + axis.count * step));
    this.element.replaceChildren(...rows, ...(count > 0 ? [ends] : []));
    this.#hide(rows.length > 1 ? [HIDDEN_FIRST] : []);
    const first = this.#bars[0]?.element;
    first?.setAttribute("tabindex", "0");
  }

  /** Shows one kind only, or all. */
  only(kind: OutcomeKind | undefined): void {
    this.#hide(kind === undefined ? [] : OUTCOME_KINDS.filter((other) => other !== kind));
  }

  choose(times: Times | undefined): void {
    this.chosen = times;
    // What is chosen is shown.
    if (times && this.hidden.has(times.kind)) this.#toggle(times.kind);
    for (const bar of this.#bars) bar.element.setAttribute("aria-pressed", String(isSame(bar.times, times)));
    this.#onChange();
  }

  #toggle(kind: OutcomeKind): void {
    const hidden = [...this.hidden];
    this.#hide(this.hidden.has(kind) ? hidden.filter((other) => other !== kind) : [...hidden, kind]);
  }

  #hide(kinds: readonly OutcomeKind[]): void {
    this.hidden.clear();
    for (const kind of kinds) this.hidden.add(kind);
    for (const toggle of this.element.querySelectorAll<HTMLElement>("button[data-kind]"))
      toggle.setAttribute("aria-pressed", String(!this.hidden.has(toggle.dataset.kind as OutcomeKind)));
  }

  #row(report: ShownReport, kind: OutcomeKind, total: number, axis: Axis): HTMLElement {
    const toggle = make("button", "crec-kind", dot(kind), counted(`count.${kind}`, total));
    toggle.type = "button";
    toggle.dataset.kind = kind;
    toggle.title = word("hint.kind");
    toggle.addEventListener("click", () => {
      this.#toggle(kind);
      this.#onChange();
    });
    const { width, height } = BOX;
    const box = draw("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none" });
    box.append(draw("line", { x1: 0, x2: width, y1: height, y2: height, class: "crec-time-base" }));
    const bars = this.#barsOf(report, kind, axis);
    box.append(...bars.map(({ element }) => element));
    this.#bars.push(...bars);
    return make("div", "crec-time-row", toggle, box);
  }

  #barsOf(report: ShownReport, kind: OutcomeKind, axis: Axis): Bar[] {
    const counts = new Array<number>(axis.count).fill(0);
    for (const outcome of report.outcomes) {
      if (outcome.kind !== kind) continue;
      const index = barOf(outcome.at, axis);
      counts[index] = (counts[index] ?? 0) + 1;
    }
    const most = Math.max(...counts);
    return counts.flatMap((count, index) => {
      if (count === 0) return [];
      const from = axis.from + index * axis.step;
      const times = { kind, from, to: from + axis.step };
      const place = { index, width: BOX.width / axis.count };
      const element = this.#bar({ times, count, share: count / most, ...place }, report.timeZone);
      return [{ times, count, element }];
    });
  }

  #bar({ times, count, share, index, width }: BarPlace, timeZone: string): SVGElement {
    const tall = Math.max(3, share * (BOX.height - 2));
    const { kind } = times;
    const values = {
      what: counted(`count.${kind}`, count),
      from: timeText(times.from, timeZone, "span"),
      to: timeText(times.to, timeZone, "minute"),
    };
    const label = word("label.bar", values);
    const x = index * width;
    const element = draw(
      "g",
      { class: "crec-bar", role: "button", tabindex: -1, "aria-label": label, "aria-pressed": "false" },
      draw("title", {}, label),
      // A low bar is as easy to press as a high one.
      draw("rect", { x, y: 0, width, height: BOX.height, class: "crec-bar-area" }),
      draw("rect", { x: x + 1, y: BOX.height - tall, width: width - 2, height: tall, "data-kind": kind }),
    );
    element.addEventListener("click", () => this.choose(isSame(this.chosen, times) ? undefined : times));
    return element;
  }

  #move(event: KeyboardEvent): void {
    const now = this.#bars.findIndex(({ element }) => element === document.activeElement);
    const bar = this.#bars[now];
    if (!bar) return;
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };
    const step = steps[event.key];
    if (event.key === "Enter" || event.key === " ") {
      this.choose(isSame(this.chosen, bar.times) ? undefined : bar.times);
    } else if (step !== undefined) {
      const next = this.#bars[Math.min(this.#bars.length - 1, Math.max(0, now + step))];
      bar.element.setAttribute("tabindex", "-1");
      next?.element.setAttribute("tabindex", "0");
      next?.element.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

/** A dot in the color of a kind. Its name is always beside it. */
export function dot(kind: OutcomeKind): HTMLElement {
  const made = make("span", "crec-dot");
  made.dataset.kind = kind;
  made.setAttribute("aria-hidden", "true");
  return made;
}

function isSame(one: Times | undefined, other: Times | undefined): boolean {
  return one?.kind === other?.kind && one?.from === other?.from;
}
