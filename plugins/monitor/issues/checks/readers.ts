import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { FlowNode } from "../../../../nodes/common/flows/flows.ts";
import { utcText } from "../../../../nodes/common/shared/times.ts";
import type { InFlightEvent } from "../../../../src/index.ts";
import type { Check, CheckContext, Finding } from "../check-context.ts";
import { configProblems } from "./connections.ts";

/** Another check is about it, and says more. */
const ELSEWHERE = "CONSUMER_NAME_TAKEN";

/** An events in node has ended with an error, and does not try again. */
export const readerStopped: Check = {
  name: "reader-stopped",
  find: (context) => {
    const { flows, activity } = context;
    const ofConfig = configProblems(context);
    return activity.readers.reports().flatMap(({ node, flow, type, label, state, problem }): Finding[] => {
      if (state !== "stopped" || !problem || problem.code === ELSEWHERE) return [];
      // The config node has the issue.
      if (!flows.get(node) || ofConfig.has(problem.message)) return [];
      const origin = { node, flow, type, label };
      const values = { node: label, reason: problem.message };
      return [{ case: "stopped", severity: "error", origin, detail: problem.code, values }];
    });
  },
};

const EVENTS = 0;
/** Of a flow that has no timeout for it. */
const LONGEST_MS = 600_000;
const MOST_ACKS = 5;

/** An events in node has waited too long for an event in flight: alerts that it feeds wait, too. */
export const readerStands: Check = {
  name: "reader-stands",
  find: (context) => context.flows.ofType("crec-events-in").flatMap((node) => standingStill(context, node)),
};

function standingStill(context: CheckContext, node: FlowNode): Finding[] {
  const { flows, paths, now } = context;
  const limitMs = limitMsOf(context, node);
  return flows.runningIds(node).flatMap((id): Finding[] => {
    const [event] = context
      .readersAt([id])
      .filter(({ consumer }) => consumer.state.kind !== "paused" && consumer.state.kind !== "stopped")
      .flatMap(({ consumer }): readonly InFlightEvent[] => consumer.inFlight ?? [])
      .filter(({ since }) => now - since > limitMs)
      .toSorted((one, other) => one.offset - other.offset);
    if (event === undefined) return [];
    const behind = paths.reachable([node, EVENTS]);
    if (isSigning(context, behind)) return [];
    const labels = [...behind]
      .filter(({ type }) => type === "crec-ack")
      .map((one) => flows.originOf(one).label);
    const acks = node.commit === "on-ack" ? [...new Set(labels)] : [];
    const origin = flows.originOf(node);
    const values = { reader: origin.label, offset: event.offset, since: utcText(event.since) };
    const common = { severity: "error" as const, origin, detail: id };
    if (acks.length === 0) return [{ ...common, case: "flow", values }];
    const listed = [...acks.slice(0, MOST_ACKS), ...(acks.length > MOST_ACKS ? ["…"] : [])].join(", ");
    return [{ ...common, case: "acks", values: { ...values, acks: listed } }];
  });
}

function limitMsOf(context: CheckContext, node: FlowNode): number {
  if (node.commit !== "on-ack" && node.commit !== "on-complete") return LONGEST_MS;
  return Number(context.textOf(node, "ackTimeout") || 60) * 1_000 || LONGEST_MS;
}

/** Whether a node waits for a key service, or for a person there: that shows elsewhere. */
function isSigning({ activity }: CheckContext, behind: ReadonlySet<FlowNode>): boolean {
  const signing = activity.underWay.all().filter(({ status }) => status === "signing");
  const ids = new Set(signing.map(({ node }) => node));
  return [...behind].some(({ id }) => ids.has(id));
}

/** Two events in nodes have one consumer name, so only one of them reads; or each continues where the other one stopped. */
export const consumerShared: Check = {
  name: "consumer-shared",
  find: async (context) => {
    const { flows, startedAt } = context;
    const elsewhere = await consumersElsewhere(context.RED.settings as Settings, startedAt);
    const reads = (node: FlowNode) => context.readersOf(node).length > 0;
    const byCursor = new Map<string, FlowNode>();
    const found: Finding[] = [];
    const nodes = flows
      .ofType("crec-events-in")
      .toSorted((one, other) => Number(reads(other)) - Number(reads(one)) || (one.id < other.id ? -1 : 1));
    for (const node of nodes) {
      const consumer = context.textOf(node, "consumer");
      if (!consumer) continue;
      const origin = flows.originOf(node);
      const key = [node.fleet, node.fleet ? "" : node.store, consumer].map((one) => one || "").join("\n");
      const other = byCursor.get(key);
      byCursor.set(key, other ?? node);
      const values = { node: origin.label, consumer };
      const common = { severity: "error" as const, origin };
      if (other) {
        const buttons = [{ kind: "open", node: other.id } as const];
        const both = { ...values, other: flows.originOf(other).label };
        found.push({ ...common, case: "two-nodes", detail: other.id, values: both, buttons });
      }
      const count = flows.runningIds(node).length;
      if (count > 1) found.push({ ...common, case: "subflow", values: { ...values, count } });
      const project = elsewhere.get(consumer);
      if (project !== undefined)
        found.push({ ...common, severity: "warning", case: "project", values: { ...values, project } });
    }
    return found;
  },
};

/** What Node-RED keeps of projects, of which one is open. */
type Settings = {
  userDir?: string;
  editorTheme?: { projects?: { enabled?: boolean; path?: string } };
  get?(name: "projects"): { activeProject?: string } | undefined;
};

/** By consumer name: a project that is not open now and reads under that name. */
type OtherProjects = ReadonlyMap<string, string>;

let last: { startedAt: number; found: Promise<OtherProjects> } | undefined;

/** Looks once after each start of the flows: opening a project starts them. */
export function consumersElsewhere(settings: Settings, startedAt: number): Promise<OtherProjects> {
  const { userDir = "", editorTheme, get } = settings;
  const { enabled, path } = editorTheme?.projects ?? {};
  if (!enabled) return Promise.resolve(new Map());
  const folder = path || join(userDir, "projects");
  const open = get?.("projects")?.activeProject;
  if (last?.startedAt !== startedAt) last = { startedAt, found: consumersIn(folder, open) };
  return last.found;
}

async function consumersIn(folder: string, open: string | undefined): Promise<OtherProjects> {
  const projects = await readdir(folder).catch(() => []);
  const found = new Map<string, string>();
  for (const project of projects.filter((one) => one !== open)) {
    try {
      const read = async (name: string) =>
        JSON.parse(await readFile(join(folder, project, name), "utf8")) as never;
      const about: { "node-red"?: { settings?: { flowFile?: string } } } = await read("package.json");
      const flows: ReadonlyArray<{ type: string; consumer?: string }> = await read(
        about["node-red"]?.settings?.flowFile ?? "flow.json",
      );
      for (const { type, consumer } of flows)
        if (type === "crec-events-in" && consumer) found.set(consumer, project);
    } catch {
      // It is no project, or has no flows yet.
    }
  }
  return found;
}
