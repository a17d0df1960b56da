import { draw } from "../../../nodes/common/editor/elements.ts";
import { OUTCOME_KINDS, type OutcomeKind, type Path } from "../../../rehearsal/shared/report.ts";
import type { ShownReport } from "../types.ts";
import { counted, numberText } from "./words.ts";

/** What the editor has drawn, and where, by the data that its elements carry. */
type DrawnNode = { id: string; x: number; y: number; w: number; h: number };
type DrawnWire = { source: DrawnEnd; sourcePort: number; target: DrawnEnd; link?: boolean };
/** Of a subflow that is open: the places where messages come in and go out are drawn as ends, too. */
type DrawnEnd = { id: string; type?: string; direction?: string };

/** The output of what no wire leads to: link, catch, status and complete nodes. */
const NO_WIRE = -1;
/** The start of a wire from the input of a subflow, whichever use of it a message came by. */
const SUBFLOW_INPUT = "subflow input";

const CANVAS = "#red-ui-workspace-chart .red-ui-workspace-chart-event-layer";
const CHIP = { height: 14, gap: 3, letter: 6.4, padding: 5 };

/**
 * Counts on the nodes and wires of the flow that is shown. They are a layer of their own within the canvas, so that they
 * move and grow with it; the editor draws nodes and wires again as it likes, and then they are drawn again as well.
 */
export class Marks {
  readonly #onChosen: (node: string, kind?: OutcomeKind) => void;
  readonly #layer = draw("g", { class: "crec-rehearsal-marks", "aria-hidden": "true" });
  readonly #observer = new MutationObserver(() => this.#soon());
  #frame: number | undefined;
  #report: ShownReport | undefined;
  #path: Path = [];

  /** @param onChosen hears which chip was clicked */
  constructor(onChosen: (node: string, kind?: OutcomeKind) => void) {
    this.#onChosen = onChosen;
  }

  show(report: ShownReport): void {
    this.#report = report;
    this.#path = [];
    this.#draw();
  }

  /** Highlights the wires that a message took. */
  follow(path: Path): void {
    this.#path = path;
    if (this.#report) this.#draw();
  }

  clear(): void {
    this.#report = undefined;
    this.#observer.disconnect();
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
    this.#layer.remove();
  }

  #soon(): void {
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined;
      this.#draw();
    });
  }

  #draw(): void {
    const canvas = document.querySelector(CANVAS);
    if (!canvas || !this.#report) return;
    // What is drawn here is no reason to draw again.
    this.#observer.disconnect();
    const wires = drawnWires(canvas);
    const nodes = drawnNodes(canvas);
    this.#layer.replaceChildren(
      ...this.#pathMarks(wires, nodes),
      ...wireMarks(this.#report, wires),
      ...this.#nodeMarks(this.#report, nodes),
    );
    canvas.append(this.#layer);
    this.#observer.observe(canvas, {
      subtree: true,
      childList: true,
      attributes: true,
      attributeFilter: ["transform", "d"],
    });
  }

  #pathMarks(wires: ReadonlyMap<string, SVGPathElement>, nodes: ReadonlyMap<string, DrawnNode>): Element[] {
    const taken = this.#path.flatMap((wire) => wires.get(wireKey(wire)) ?? []);
    const ids = new Set(this.#path.flatMap(({ from, to }) => [from, to]));
    const passed = [...ids].flatMap((id) => nodes.get(id) ?? []);
    return [
      ...jumps(this.#path, wires, nodes),
      ...taken.map((line) => draw("path", { class: "crec-mark-path", d: line.getAttribute("d") ?? "" })),
      ...passed.map(({ x, y, w, h }) =>
        draw("rect", {
          class: "crec-mark-path",
          x: x - w / 2 - 3,
          y: y - h / 2 - 3,
          width: w + 6,
          height: h + 6,
          rx: 7,
        }),
      ),
    ];
  }

  #nodeMarks(report: ShownReport, nodes: ReadonlyMap<string, DrawnNode>): Element[] {
    return report.nodes.flatMap((node) => {
      const place = nodes.get(node.id);
      if (!place) return [];
      const sent = node.sent.reduce((sum, count) => sum + count, 0);
      const count = node.received || sent;
      const chips = [
        ...(count > 0
          ? [
              {
                kind: undefined,
                count,
                title: counted(node.received ? "count.node-received" : "count.node-sent", count),
              },
            ]
          : []),
        ...OUTCOME_KINDS.flatMap((kind) => {
          const outcomes = node.outcomes[kind] ?? 0;
          return outcomes > 0 ? [{ kind, count: outcomes, title: counted(`count.${kind}`, outcomes) }] : [];
        }),
      ];
      let x = place.x - place.w / 2;
      const y = place.y - place.h / 2 - CHIP.height - 3;
      return chips.map(({ kind, count: shown, title }) => {
        const drawn = chip(x, y, numberText(shown), kind);
        x += drawn.width + CHIP.gap;
        drawn.element.append(draw("title", {}, title));
        drawn.element.addEventListener("click", () => this.#onChosen(node.id, kind));
        // The canvas would begin to select what is below.
        for (const event of ["mousedown", "mouseup", "dblclick"])
          drawn.element.addEventListener(event, (pressed) => pressed.stopPropagation());
        return drawn.element;
      });
    });
  }
}

/** Where a message went on without a wire, within the flow that is shown: straight lines. */
function jumps(
  path: Path,
  wires: ReadonlyMap<string, SVGPathElement>,
  nodes: ReadonlyMap<string, DrawnNode>,
): Element[] {
  return path.flatMap((wire) => {
    const [from, to] = [nodes.get(wire.from), nodes.get(wire.to)];
    if (wire.port !== NO_WIRE || !from || !to || wires.has(wireKey(wire))) return [];
    return [
      draw("path", { class: "crec-mark-path crec-mark-jump", d: `M ${from.x} ${from.y} L ${to.x} ${to.y}` }),
    ];
  });
}

/** By the wires as they are drawn: all uses of a subflow have the same wire from its input. */
function drawnCounts({ wires }: ShownReport): Map<string, number> {
  const counts = new Map<string, number>();
  for (const wire of wires) counts.set(wireKey(wire), (counts.get(wireKey(wire)) ?? 0) + wire.count);
  return counts;
}

function wireMarks(report: ShownReport, wires: ReadonlyMap<string, SVGPathElement>): Element[] {
  return [...drawnCounts(report)].flatMap(([key, count]) => {
    const line = wires.get(key);
    if (!line?.getAttribute("d")) return [];
    const { x, y } = line.getPointAtLength(line.getTotalLength() / 2);
    const text = numberText(count);
    const { element } = chip(x - widthOf(text) / 2, y - CHIP.height / 2, text);
    element.classList.add("crec-mark-wire");
    return [element];
  });
}

/** A number in a frame; of an outcome with a dot in the color of its kind. */
function chip(
  x: number,
  y: number,
  text: string,
  kind?: OutcomeKind,
): { element: SVGElement; width: number } {
  const dot = kind === undefined ? 0 : 9;
  const width = widthOf(text) + dot;
  const { height, padding } = CHIP;
  const element = draw(
    "g",
    { class: "crec-mark-chip", transform: `translate(${x} ${y})` },
    draw("rect", { width, height, rx: height / 2 }),
    draw("text", { x: padding + dot, y: height - 3.5 }, text),
  );
  if (kind !== undefined)
    element.append(draw("circle", { cx: padding + 3, cy: height / 2, r: 3, "data-kind": kind }));
  return { element, width };
}

function widthOf(text: string): number {
  return text.length * CHIP.letter + 2 * CHIP.padding;
}

function wireKey({ from, port, to }: { from: string; port: number; to: string }): string {
  return port === NO_WIRE ? `${SUBFLOW_INPUT} ${to}` : `${from} ${port} ${to}`;
}

function drawnWires(canvas: Element): Map<string, SVGPathElement> {
  const found = new Map<string, SVGPathElement>();
  for (const element of canvas.querySelectorAll(".red-ui-flow-link")) {
    const wire = (element as { __data__?: DrawnWire }).__data__;
    const line = element.querySelector<SVGPathElement>("path.red-ui-flow-link-line");
    // Lines between link nodes are shown while one of them is selected. They are no wires.
    if (!wire || !line || wire.link) continue;
    const { source, sourcePort, target } = wire;
    const isInput = source.type === "subflow" && source.direction === "in";
    found.set(wireKey({ from: source.id, port: isInput ? NO_WIRE : sourcePort, to: target.id }), line);
  }
  return found;
}

function drawnNodes(canvas: Element): Map<string, DrawnNode> {
  const found = new Map<string, DrawnNode>();
  for (const element of canvas.querySelectorAll(".red-ui-flow-node-group")) {
    const node = (element as { __data__?: DrawnNode }).__data__;
    if (node && Number.isFinite(node.w)) found.set(node.id, node);
  }
  return found;
}
