import { isReference } from "../../../nodes/common/shared/variables.ts";
import { isSameId } from "../../../src/protocol/ids.ts";
import type { EventFile } from "../../shared/event-file.ts";
import type { FlowNode } from "../../shared/job.ts";
import type { Note } from "../../shared/report.ts";

type Fitted = {
  flows: FlowNode[];
  /** The variables in whose place the file's values are. */
  filled: string[];
  notes: Note[];
};

type Environment = Readonly<Record<string, string | undefined>>;
/** The value that a variable has for a node. */
type Lookup = (name: string, node: FlowNode) => string | undefined;

/**
 * Flows that can use the events of a file from elsewhere. Where the flows have one channel, it is that of the file,
 * whatever it is called. Where a connection names variables that neither its tab, nor all flows, nor the process
 * has, the file says who signs.
 */
export function fitToFile(
  flows: readonly FlowNode[],
  file: Pick<EventFile, "channel" | "service" | "verification">,
  environment: Environment = process.env,
): Fitted {
  const notes: Note[] = [];
  const filled = new Set<string>();
  const channels = flows.filter(({ type }) => type === "crec-channel");
  const known = valuesOf(file);
  const lookup = lookupIn(flows, environment);
  const fitted = flows.map((node) => {
    if (node.type === "crec-channel" && channels.length === 1) return withChannel(node, file, lookup, notes);
    if (node.type !== "crec-connection") return node;
    const unset = Object.entries(known).filter(([field]) => unsetName(node, field, lookup) !== undefined);
    if (unset.length === 0) return node;
    for (const [field] of unset) filled.add(unsetName(node, field, lookup) ?? "");
    return { ...node, ...Object.fromEntries(unset) };
  });
  const names = [...filled].sort();
  if (names.length > 0)
    notes.push({
      kind: "variables",
      text: `Not set, so taken from the file of events: ${names.join(", ")}.`,
    });
  return { flows: fitted, filled: names, notes };
}

function withChannel(
  node: FlowNode,
  { channel }: Pick<EventFile, "channel">,
  lookup: Lookup,
  notes: Note[],
): FlowNode {
  const text = String(node.channel ?? "").trim();
  const label = lookup(variableIn(text), node) ?? text;
  if (isSameId(label, channel.id) || (label !== "" && label === channel.name)) return node;
  notes.push({
    kind: "not-found",
    node: node.id,
    text: `The events of the file are taken as those of the channel ${JSON.stringify(label)}. In the file, it is called ${JSON.stringify(channel.name || channel.id)}.`,
  });
  return { ...node, channel: channel.id };
}

/** Of fields of a connection: what the file says. */
function valuesOf({
  service,
  verification,
}: Pick<EventFile, "service" | "verification">): Record<string, string> {
  return {
    ...(service ? { baseUrl: service, graphqlUrl: "" } : {}),
    ...(verification
      ? {
          orgId: verification.orgId ?? "",
          workflowOwner: verification.workflowOwner ?? "",
          creTenantId: verification.creTenantId ?? "",
          validSigners: verification.validSigners.join("\n"),
          minRequiredSignatures: String(verification.minRequiredSignatures),
        }
      : {}),
  };
}

/** As Node-RED does: of the tab or subflow that a node is on, else of all flows, else of the process. */
function lookupIn(flows: readonly FlowNode[], environment: Environment): Lookup {
  const global = flows.filter(({ type }) => type === "global-config");
  return (name, { z }) => {
    const places = [...flows.filter(({ id }) => id === z), ...global];
    const entries = places.flatMap(
      ({ env }): Array<{ name?: unknown; value?: unknown } | null> => (Array.isArray(env) ? env : []),
    );
    const entry = entries.find((one) => one?.name === name);
    return entry ? String(entry.value ?? "") : environment[name];
  };
}

/** The variable that a field names as a whole, where nothing sets it. */
function unsetName(node: FlowNode, field: string, lookup: Lookup): string | undefined {
  const name = variableIn(String(node[field] ?? "").trim());
  return name !== "" && lookup(name, node) === undefined ? name : undefined;
}

function variableIn(text: string): string {
  return isReference(text) ? text.slice(2, -1) : "";
}
