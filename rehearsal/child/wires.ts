import type { WireReport } from "../shared/report.ts";
import { idInFlow } from "./id-in-flow.ts";
import type { RunningNode } from "./runtime-types.ts";

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
