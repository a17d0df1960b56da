import type { FlowNode } from "../../../../nodes/common/flows/flows.ts";
import { utcText } from "../../../../nodes/common/shared/times.ts";
import type { InFlightEvent } from "../../../../src/index.ts";
import type { Check, Finding, Scene } from "../check.ts";
import { readersOf, textOf } from "../settings.ts";

const EVENTS = 0;
/** Of a flow that has no timeout for it. */
const LONGEST_MS = 600_000;
const MOST_ACKS = 5;

/** An events in node has waited too long for an event in flight: alerts that it feeds wait, too. */
export const readerStands: Check = {
  name: "reader-stands",
  find: (scene) => scene.flows.ofType("crec-events-in").flatMap((node) => standing(scene, node)),
};

function standing(scene: Scene, node: FlowNode): Finding[] {
  const { RED, flows, paths, now } = scene;
  const limitMs = limitMsOf(scene, node);
  return flows.runningIds(node).flatMap((id): Finding[] => {
    const [event] = readersOf(RED, [id])
      .filter(({ consumer }) => consumer.state.kind !== "paused" && consumer.state.kind !== "stopped")
      .flatMap(({ consumer }): readonly InFlightEvent[] => consumer.inFlight ?? [])
      .filter(({ since }) => now - since > limitMs)
      .toSorted((one, other) => one.offset - other.offset);
    if (event === undefined) return [];
    const behind = paths.reachable([node, EVENTS]);
    if (isSigning(scene, behind)) return [];
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

function limitMsOf({ RED }: Scene, node: FlowNode): number {
  if (node.commit !== "on-ack" && node.commit !== "on-complete") return LONGEST_MS;
  return Number(textOf(RED, node, "ackTimeout") || 60) * 1_000 || LONGEST_MS;
}

/** Whether a node waits for a key service, or for a person there: that shows elsewhere. */
function isSigning({ activity }: Scene, behind: ReadonlySet<FlowNode>): boolean {
  const signing = activity.underWay.all().filter(({ status }) => status === "signing");
  const ids = new Set(signing.map(({ node }) => node));
  return [...behind].some(({ id }) => ids.has(id));
}
