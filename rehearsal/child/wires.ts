import { LONGEST_PATH, type Path, type WireReport } from "../shared/report.ts";
import { idInFlow, type RunningNode } from "./runtime-types.ts";

/** `countsAsSent`: the node that it starts at does not count it itself. */
type Wire = { report: WireReport; countsAsSent: boolean };

/** The port of a wire inside a subflow, from its input. */
const FROM_INPUT = -1;

/** Counts messages on wires, as the editor shows the wires: a subflow's output is one of the node that stands for it. */
export class Wires {
  readonly #wires = new Map<string, Wire>();

  passed(from: RunningNode, port: number, to: RunningNode): Wire {
    const key = `${from.id} ${port} ${to.id}`;
    const known = this.#wires.get(key);
    const wire = known ?? wireOf(from, port, to);
    if (known === undefined) this.#wires.set(key, wire);
    wire.report.count += 1;
    return wire;
  }

  /** Only those that a message took. Uses of one subflow count together. */
  reports(): WireReport[] {
    const reports = new Map<string, WireReport>();
    for (const { report } of this.#wires.values()) {
      const key = `${report.from} ${report.port} ${report.to}`;
      const known = reports.get(key);
      if (known === undefined) reports.set(key, { ...report });
      else known.count += report.count;
    }
    return [...reports.values()];
  }
}

function wireOf(from: RunningNode, port: number, to: RunningNode): Wire {
  const report = { from: idInFlow(from), port, to: idInFlow(to), count: 0 };
  if (from.type.startsWith("subflow:")) {
    return { report: { ...report, port: FROM_INPUT }, countsAsSent: false };
  }
  const subflow = from._flow;
  if (subflow?.subflowInstance === undefined || from.z === to.z) return { report, countsAsSent: false };
  const { subflowInstance: use, subflowDef } = subflow;
  const outputs = subflowDef?.out ?? [];
  const output = outputs.findIndex(
    ({ wires }, index) =>
      wires.some((wire) => wire.id === report.from && wire.port === port) &&
      use.wires?.[index]?.includes(to.id) === true,
  );
  if (output === -1) return { report, countsAsSent: false };
  return {
    report: { ...report, from: use._alias ?? use.id, port: output },
    // Once for a message, however many wires there are.
    countsAsSent: use.wires?.[output]?.[0] === to.id,
  };
}

/** A number that stands for the wires a message took. 0: none. */
export type PathId = number;

type Step = {
  before: PathId;
  from: string;
  port: number;
  to: string;
  length: number;
  next: Map<string, PathId>;
};

/**
 * The ways that messages took. Most messages take the same few ways: each is kept once, so that a message has only a
 * number.
 */
export class MessagePaths {
  readonly #steps: Step[] = [{ before: 0, from: "", port: 0, to: "", length: 0, next: new Map() }];

  /** The path with one wire more. */
  extend(pathId: PathId, from: string, port: number, to: string): PathId {
    const step = this.#step(pathId);
    const key = `${from} ${port} ${to}`;
    const known = step.next.get(key);
    if (known !== undefined) return known;
    if (step.length === LONGEST_PATH) return pathId;
    const added =
      this.#steps.push({ before: pathId, from, port, to, length: step.length + 1, next: new Map() }) - 1;
    step.next.set(key, added);
    return added;
  }

  /** The node that it leads to. Empty without a wire. */
  end(pathId: PathId): string {
    return this.#step(pathId).to;
  }

  /** The part of it that leads to a node. 0 where it does not pass it. */
  upTo(pathId: PathId, node: string): PathId {
    let part = pathId;
    while (part !== 0 && this.#step(part).to !== node) part = this.#step(part).before;
    return part;
  }

  path(pathId: PathId): Path {
    const path: Array<Path[number]> = [];
    for (let step = this.#step(pathId); step.length > 0; step = this.#step(step.before)) {
      path.push({ from: step.from, port: step.port, to: step.to });
    }
    return path.reverse();
  }

  #step(pathId: PathId): Step {
    return this.#steps[pathId] as Step;
  }
}
