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
      const kind = paths.isWired(node, EVENTS) ? "no-path" : "nothing-behind";
      return [{ case: kind, severity: "error", origin, values: { node: origin.label } }];
    });
  },
};

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
