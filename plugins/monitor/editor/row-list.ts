import { button, make } from "../../../nodes/common/editor/elements.ts";
import { RowElement, type RowView } from "./row.ts";
import { word } from "./words.ts";

/** A page with thousands of rows would be slow, and nobody reads them. */
const FIRST_SHOWN = 50;

/** Rows by key, changed in place: the one with the focus is never moved, so that it keeps it. */
export class RowList {
  readonly element = make("div");
  readonly #list = make("ul", "crec-rows");
  readonly #more = button("", () => this.#showMore());
  readonly #rows = new Map<string, RowElement>();
  readonly #again: () => void;
  #most = FIRST_SHOWN;

  /** @param again called when more rows are to be shown */
  constructor(again: () => void) {
    this.#again = again;
    // Safari does not announce a list without bullets as a list.
    this.#list.setAttribute("role", "list");
    this.#more.classList.add("crec-more");
    this.element.append(this.#list, this.#more);
  }

  /** How many rows are shown at most: no more views are needed. */
  get most(): number {
    return this.#most;
  }

  /** @param total how many rows there are, shown or not */
  show(views: readonly RowView[], total: number, now: number): void {
    const focused = [...this.#rows].find(([, { element }]) => element.contains(document.activeElement))?.[0];
    const neighbours = focused === undefined ? [] : this.#neighboursOf(focused);
    const wanted = new Set(views.map(({ key }) => key));
    for (const [key, row] of this.#rows) {
      if (wanted.has(key)) continue;
      row.element.remove();
      this.#rows.delete(key);
    }
    const elements = views.map((view) => {
      const row = this.#rows.get(view.key) ?? new RowElement();
      this.#rows.set(view.key, row);
      row.show(view, now);
      return row.element;
    });
    this.#place(elements, focused === undefined ? undefined : this.#rows.get(focused)?.element);
    this.#rove();
    if (focused !== undefined && !wanted.has(focused)) {
      const next = neighbours.find((key) => wanted.has(key));
      if (next !== undefined) this.#rows.get(next)?.main.focus({ preventScroll: true });
    }
    const hidden = total - views.length;
    this.#more.hidden = hidden === 0;
    this.#more.textContent = word("label.more", { count: hidden });
  }

  tick(now: number): void {
    for (const row of this.#rows.values()) row.tick(now);
  }

  #showMore(): void {
    const first = this.#rows.size;
    this.#most *= 4;
    this.#again();
    // The button may be gone.
    const next = this.#list.children[first]?.querySelector<HTMLElement>(".crec-row-main");
    next?.focus({ preventScroll: true });
  }

  #neighboursOf(key: string): string[] {
    const keys = [...this.#list.children].flatMap((element) => this.#keyOf(element));
    const index = keys.indexOf(key);
    return [...keys.slice(index + 1), ...keys.slice(0, index).reverse()];
  }

  #keyOf(element: Element): string[] {
    return [...this.#rows].filter(([, row]) => row.element === element).map(([key]) => key);
  }

  /** Brings the rows into this order around one that stays where it is. */
  #place(elements: readonly HTMLElement[], fixed = elements.find(({ isConnected }) => isConnected)): void {
    const [first] = elements;
    if (first === undefined) return;
    const pivot = fixed ?? this.#list.appendChild(first);
    const index = elements.indexOf(pivot);
    let next = pivot;
    for (const element of elements.slice(0, index).reverse()) {
      if (next.previousElementSibling !== element) this.#list.insertBefore(element, next);
      next = element;
    }
    let last = pivot;
    for (const element of elements.slice(index + 1)) {
      if (last.nextElementSibling !== element) last.after(element);
      last = element;
    }
  }

  /** The Tab key stops at one row of a list; the arrow keys go on from there. */
  #rove(): void {
    const mains = [...this.#list.querySelectorAll<HTMLElement>(".crec-row-main")];
    if (mains.some((main) => main.tabIndex === 0 && main.dataset.stop === "here")) {
      for (const main of mains) if (main.dataset.stop !== "here") main.tabIndex = -1;
      return;
    }
    for (const [index, main] of mains.entries()) stopHere(main, index === 0);
  }
}

function stopHere(main: HTMLElement, isHere: boolean): void {
  main.tabIndex = isHere ? 0 : -1;
  if (isHere) main.dataset.stop = "here";
  else delete main.dataset.stop;
}

const STEPS: Readonly<Record<string, (index: number, last: number) => number>> = {
  ArrowDown: (index, last) => Math.min(index + 1, last),
  ArrowUp: (index) => Math.max(index - 1, 0),
  Home: () => 0,
  End: (_index, last) => last,
};

/** The arrow keys go from row to row, over the sections; Home and End to the ends of a list. */
export function useArrowKeys(content: HTMLElement): void {
  content.addEventListener("keydown", (event) => {
    const from = (event.target as Element).closest<HTMLElement>(".crec-row-main");
    const step = STEPS[event.key];
    if (!from || !step) return;
    const isWithin = event.key === "Home" || event.key === "End";
    const around = isWithin ? from.closest(".crec-rows") : content;
    const mains = [...(around ?? content).querySelectorAll<HTMLElement>(".crec-row-main")].filter((main) =>
      main.checkVisibility(),
    );
    event.preventDefault();
    // Node-RED moves selected nodes by the same keys.
    event.stopPropagation();
    mains[step(mains.indexOf(from), mains.length - 1)]?.focus();
  });
  content.addEventListener("focusin", (event) => {
    const main = (event.target as Element).closest<HTMLElement>(".crec-row-main");
    const list = main?.closest(".crec-rows");
    for (const one of list?.querySelectorAll<HTMLElement>(".crec-row-main") ?? [])
      stopHere(one, one === main);
  });
}
