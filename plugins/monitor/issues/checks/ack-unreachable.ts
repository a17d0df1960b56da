import type { FlowNode, Flows } from "../../../../nodes/common/flows/flows.ts";
import type { Check, Finding, Scene } from "../check.ts";

const ACK = "crec-ack";
/** The outputs of events in. The events of the first one wait for an acknowledgement. */
const [EVENTS, REJECTED, NOTICES] = [0, 1, 2] as const;

/** Events wait for an ack event node, and none is behind. */
export const ackUnreachable: Check = {
  name: "ack-unreachable",
  find: (scene) => {
    const { flows, paths } = scene;
    const readers = flows.ofType("crec-events-in").filter(({ commit }) => commit === "on-ack");
    if (readers.length === 0 || hasOtherSource(scene)) return [];
    const acks = [...flows.all()].filter((node) => node.type === ACK || paths.isOpaque(node));
    const leading = paths.leadingTo(acks);
    return readers.flatMap((node): Finding[] => {
      if (paths.firstBehind(node, EVENTS).some((one) => leading.has(one))) return [];
      const origin = flows.originOf(node);
      const stopped = disabledBefore(flows, node);
      if (stopped !== undefined) {
        const { label } = flows.originOf(stopped);
        const values = { node: origin.label, stopped: label };
        return [{ case: "disabled", severity: "error", origin, detail: stopped.id, values }];
      }
      const kind = paths.isWired(node, EVENTS) ? "no-path" : "nothing-behind";
      return [{ case: kind, severity: "error", origin, values: { node: origin.label } }];
    });
  },
};

/** The first disabled node behind which, by wires, an ack event node would be. */
function disabledBefore(flows: Flows, reader: FlowNode): FlowNode | undefined {
  const next = ids(reader.wires?.[EVENTS]);
  const seen = new Set<string>();
  for (let id = next.shift(); id !== undefined; id = next.shift()) {
    if (seen.has(id)) continue;
    seen.add(id);
    const disabled = flows.disabled(id);
    if (disabled !== undefined && leadsToAck(flows, disabled)) return disabled;
    const node = flows.get(id);
    if (node !== undefined) next.push(...ids(node.wires?.flat()));
  }
  return undefined;
}

function leadsToAck(flows: Flows, from: FlowNode): boolean {
  const next = [from];
  const seen = new Set<FlowNode>();
  for (let node = next.pop(); node; node = next.pop()) {
    if (node.type === ACK) return true;
    if (seen.has(node)) continue;
    seen.add(node);
    next.push(...ids(node.wires?.flat()).flatMap((id) => flows.get(id) ?? flows.disabled(id) ?? []));
  }
  return false;
}

function ids(listed: unknown): string[] {
  return Array.isArray(listed) ? listed.filter((id) => typeof id === "string") : [];
}

/** Whether an ack event node gets messages on a way that the flows do not show, such as a queue or a context store. */
function hasOtherSource({ flows, paths }: Scene): boolean {
  const outputs = flows
    .ofType("crec-events-in")
    .flatMap((node) => [EVENTS, REJECTED, NOTICES].map((output) => [node, output] as const));
  const behind = paths.reachable(...outputs);
  const acks = flows.ofType(ACK).filter((node) => !behind.has(node));
  if (acks.length === 0) return false;
  const fed = new Set([...flows.all()].flatMap(({ wires }) => (Array.isArray(wires) ? wires.flat() : [])));
  return acks.some(({ id }) => fed.has(id));
}
