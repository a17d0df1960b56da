import { icon, make } from "../../../nodes/common/editor/elements.ts";
import type { Row, SectionName } from "../types.ts";
import { type RowView, setText } from "./row.ts";
import { RowList } from "./row-list.ts";
import { word } from "./words.ts";

/** A part of the sidebar with a heading. */
export type PanelKind<S extends SectionName> = {
  /** Of its texts in the catalog. */
  id: string;
  section: S;
  /** Which rows of the section it shows; all by default. */
  has?: (row: Row<S>) => boolean;
  order: (one: Row<S>, other: Row<S>) => number;
  view: (row: Row<S>) => RowView;
  /** Beside its heading, after the number of rows. */
  summary: (rows: ReadonlyArray<Row<S>>) => string;
};

const STORED = "crec-sidebar-closed";

export class Panel<S extends SectionName> {
  readonly kind: PanelKind<S>;
  readonly element = make("section", "crec-panel");
  readonly head = make("div", "crec-panel-head");
  readonly #toggle = make("button");
  readonly #count = make("span", "crec-panel-count");
  readonly #empty = make("p", "crec-empty");
  readonly #body = make("div");
  readonly #list = new RowList(() => this.#again());
  #shown: { rows: ReadonlyArray<Row<S>>; now: number } | undefined;

  constructor(kind: PanelKind<S>) {
    this.kind = kind;
    const { id } = kind;
    this.element.dataset.panel = id;
    const heading = make("h3", "", this.#toggle);
    heading.id = `crec-panel-${id}`;
    this.element.setAttribute("aria-labelledby", heading.id);
    this.#toggle.type = "button";
    this.#toggle.append(icon("fa-angle-down crec-chevron"), word(`panel.${id}`));
    this.#toggle.addEventListener("click", () => this.#fold(!this.#body.hidden));
    this.head.append(heading, this.#count);
    this.#body.append(this.#empty, this.#list.element);
    this.element.append(this.head, this.#body);
    this.#fold(closedPanels().has(id));
  }

  /** @param empty what it says without rows, in place of the text of its kind */
  show(rows: ReadonlyArray<Row<S>>, now: number, empty?: string): void {
    this.#shown = { rows, now };
    const { id, summary, order, view } = this.kind;
    setText(this.#count, rows.length === 0 ? "" : summary(rows));
    this.#empty.hidden = rows.length > 0;
    setText(this.#empty, word(empty ?? `empty.${id}`));
    const views = [...rows].sort(order).slice(0, this.#list.most).map(view);
    this.#list.show(views, rows.length, now);
  }

  tick(now: number): void {
    this.#list.tick(now);
  }

  #again(): void {
    if (this.#shown) this.show(this.#shown.rows, this.#shown.now);
  }

  #fold(isClosed: boolean): void {
    this.#body.hidden = isClosed;
    this.#toggle.setAttribute("aria-expanded", String(!isClosed));
    const closed = closedPanels();
    if (isClosed) closed.add(this.kind.id);
    else closed.delete(this.kind.id);
    localStorage.setItem(STORED, [...closed].join(" "));
  }
}

function closedPanels(): Set<string> {
  return new Set((localStorage.getItem(STORED) ?? "").split(" ").filter((id) => id !== ""));
}

type Order<T> = (one: T, other: T) => number;

/** By what comes out of these, the first one first. */
export function by<T>(...values: ReadonlyArray<(row: T) => number | string>): Order<T> {
  return (one, other) => {
    for (const value of values) {
      const [a, b] = [value(one), value(other)];
      const order =
        typeof a === "string" ? a.localeCompare(String(b), undefined, { numeric: true }) : a - Number(b);
      if (order !== 0) return order;
    }
    return 0;
  };
}
