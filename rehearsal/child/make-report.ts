import type { FlowNode, Job } from "../shared/job.ts";
import type { Handling, Note, Report } from "../shared/report.ts";
import { handlingOf, isConfiguration, isPartOfFlow } from "./kinds.ts";
import type { SeenEvents } from "./seen-events.ts";
import type { Trace } from "./trace.ts";

/** What the report is made of. */
type Rehearsed = {
  job: Job;
  trace: Trace;
  events: SeenEvents;
  ticked: ReadonlySet<string>;
  /** Of what happened beside the nodes. */
  notes: readonly Note[];
};

/** Nodes that keep messages until later. */
const KEEPING = new Set(["delay", "trigger", "join", "batch", "link call"]);

export function makeReport({ job, trace, events, ticked, notes }: Rehearsed): Report {
  const { flows, span, seed, timeZone } = job;
  const nodes = nodesOf(job, trace, ticked);
  // A palette can make nodes of its own, such as those in its subflows.
  const ids = new Set(flows.map(({ id }) => id));
  const isOfFlow = ({ from, to }: { from: string; to: string }) => ids.has(from) && ids.has(to);
  return {
    format: "crec-rehearsal",
    version: 1,
    span: { ...span },
    seed,
    timeZone,
    tabs: flows
      .filter(({ type }) => type === "tab")
      .map(({ id, label }) => ({ id, label: typeof label === "string" ? label : id })),
    channels: events.channels(job.snapshot),
    events: { ...events.count },
    nodes,
    wires: inOrder(trace, flows).filter(isOfFlow),
    outcomes: trace.outcomes.kept.map((one) => (ids.has(one.node) ? one : { ...one, node: "" })),
    paths: trace.outcomes.paths.map((path) => path.filter(isOfFlow)),
    notes: [...notes, ...nodeNotes(nodes), ...waitingNotes(trace, flows), ...cutNotes(trace)],
  };
}

function nodesOf({ flows, replies }: Job, trace: Trace, ticked: ReadonlySet<string>): Report["nodes"] {
  const wired = new Set(flows.flatMap(({ wires = [] }) => wires.flat()));
  return flows
    .filter((node) => !isPartOfFlow(node) && !isConfiguration(node) && node.type !== "comment")
    .map((node) => {
      const { id, type, name, z, wires = [] } = node;
      const { received = 0, sent = [] } = trace.traffic.get(id) ?? {};
      const handling = handlingOf(node, ticked, wired.has(id));
      return {
        id,
        type,
        // A flow that was not made in the editor may have anything there.
        name: String(name ?? ""),
        tab: String(z ?? ""),
        handling: answers(handling) && Object.hasOwn(replies, id) ? "replied" : handling,
        received,
        sent: Array.from({ length: Math.max(wires.length, sent.length) }, (_, port) => sent[port] ?? 0),
        outcomes: trace.outcomes.counts.get(id) ?? {},
        reasons: trace.outcomes.reasons.get(id) ?? {},
      };
    });
}

/** Wires in the order of the nodes that they start at. */
function inOrder(trace: Trace, flows: readonly FlowNode[]): Report["wires"] {
  const order = new Map(flows.map(({ id }, index) => [id, index]));
  const place = (id: string) => order.get(id) ?? flows.length;
  return trace.wires
    .reports()
    .sort((a, b) => place(a.from) - place(b.from) || a.port - b.port || place(a.to) - place(b.to));
}

function nodeNotes(nodes: Report["nodes"]): Note[] {
  return nodes.flatMap(({ id, type, handling, received }): Note[] => {
    if (handling === "silent") {
      return [{ kind: "silent-source", node: id, text: `${type} sends nothing in a rehearsal.` }];
    }
    // A node that was given nothing would have done nothing either way.
    if (received === 0) return [];
    if (handling === "recorded") {
      return [{ kind: "recorded", node: id, text: `${type} was not run: what it was given is noted.` }];
    }
    if (handling === "withheld") {
      return [{ kind: "withheld", node: id, text: `${type} ran, and its requests are noted, not sent.` }];
    }
    return [];
  });
}

/** A test reply takes the place of an answer from outside. */
function answers(handling: Handling): boolean {
  return handling === "recorded" || handling === "withheld";
}

function waitingNotes(trace: Trace, flows: readonly FlowNode[]): Note[] {
  return flows
    .filter(({ type }) => KEEPING.has(type))
    .flatMap(({ id }): Note[] => {
      const open = trace.traffic.get(id)?.open ?? 0;
      return open > 0 ? [{ kind: "waiting", node: id, text: `Messages still in this node: ${open}.` }] : [];
    });
}

function cutNotes({ outcomes: { left } }: Trace): Note[] {
  return left === 0
    ? []
    : [{ kind: "cut", text: `Outcomes that are counted, but not in the report: ${left}.` }];
}
