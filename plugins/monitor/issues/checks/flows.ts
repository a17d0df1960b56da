import type { FlowNode, Flows } from "../../../../nodes/common/flows/flows.ts";
import type { Check, CheckContext, Finding } from "../check-context.ts";

const ACK = "crec-ack";
/** The outputs of events in. The events of the first one wait for an acknowledgement. */
const [EVENTS, REJECTED, NOTICES] = [0, 1, 2] as const;

/** Events wait for an ack event node, and none is behind. */
export const ackUnreachable: Check = {
  name: "ack-unreachable",
  find: (context) => {
    const { flows, paths } = context;
    const readers = flows.ofType("crec-events-in").filter(({ commit }) => commit === "on-ack");
    if (readers.length === 0 || hasOtherSource(context)) return [];
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
function hasOtherSource({ flows, paths }: CheckContext): boolean {
  const outputs = flows
    .ofType("crec-events-in")
    .flatMap((node) => [EVENTS, REJECTED, NOTICES].map((output) => [node, output] as const));
  const behind = paths.reachable(...outputs);
  const acks = flows.ofType(ACK).filter((node) => !behind.has(node));
  if (acks.length === 0) return false;
  const fed = new Set([...flows.all()].flatMap(({ wires }) => (Array.isArray(wires) ? wires.flat() : [])));
  return acks.some(({ id }) => fed.has(id));
}

/** Rejected events leave a node, and nothing is behind that output. */
export const rejectedUnwired: Check = {
  name: "rejected-unwired",
  find: ({ flows, paths }) =>
    flows
      .ofType("crec-events-in", "crec-verify-event")
      .filter((node) => sendsRejected(node) && !paths.isWired(node, REJECTED))
      .map((node): Finding => {
        const origin = flows.originOf(node);
        const name = node.type === "crec-events-in" ? "events-in" : "verify-event";
        return { case: name, severity: "warning", origin, values: { node: origin.label } };
      }),
};

/** Not where the form drops or acknowledges them. */
function sendsRejected({ type, verify, unverified, commit, ackRejected }: FlowNode): boolean {
  if (type !== "crec-events-in") return true;
  const isByFlow = commit === "on-complete" || commit === "on-ack";
  return verify !== false && unverified !== "drop" && !(isByFlow && ackRejected === true);
}

const ACTS = "crec-submit-operation";
/** Nodes that send each message on. A verify event is not among them. */
const SENDING_ON = new Set(["switch", "link in", "junction", "delay", "crec-ack", "change", "function"]);

/** Events whose proofs nobody checks lead to an operation. */
export const unverifiedAction: Check = {
  name: "unverified-action",
  find: ({ flows, paths }) =>
    flows
      .ofType("crec-events-in")
      .filter(({ verify }) => verify === false)
      .flatMap((node): Finding[] => {
        const acting = [...paths.direct([node], 0, SENDING_ON)].find(({ type }) => type === ACTS);
        if (!acting) return [];
        const origin = flows.originOf(node);
        const values = { node: origin.label, acting: flows.originOf(acting).label };
        const buttons = [{ kind: "open", node: acting.id } as const];
        return [{ case: "operation", severity: "warning", origin, values, buttons }];
      }),
};

type Rule = { t?: unknown; v?: unknown; vt?: unknown; v2?: unknown; v2t?: unknown };

/** Amounts and other integers of events, which are text so that they are exact. */
const AMOUNT = /^payload\.(?:tokens|params)(?:\.|\[)/;
/** As Switch compares them: two texts by their characters, a text and a number by their values. */
const IN_ORDER = new Set(["lt", "lte", "gt", "gte", "btwn"]);
const NUMBER = /^[-+]?(?:\d+\.?\d*|\.\d+)$/;
/** Numbers as events never have them, such as 1.50 or 007. */
const UNUSUAL = /^(?:\+|-?0\d|-?\.)|\.\d*0$|\.$/;
/** Nodes that send the message on as they got it. */
const THROUGH = new Set(["switch", "link in", "junction", "delay", "crec-verify-event", "crec-ack"]);

/** A Switch compares an amount with a text: then 9 is more than 10. */
export const textComparison: Check = {
  name: "text-comparison",
  find: (context) => {
    const { flows, paths } = context;
    const sources = flows.ofType("crec-events-in", "crec-verify-event");
    return [...paths.direct(sources, 0, THROUGH)].flatMap((node): Finding[] => {
      const property = String(node.property ?? "");
      const isAmount = (node.propertyType ?? "msg") === "msg" && AMOUNT.test(property);
      if (node.type !== "switch" || !isAmount || !Array.isArray(node.rules)) return [];
      const cases = (node.rules as Rule[]).map((rule) => caseOf(context, node, rule));
      const at = cases.findIndex((one) => one !== undefined);
      if (at < 0) return [];
      const origin = flows.originOf(node);
      const values = { node: origin.label, property: `msg.${property}`, number: at + 1 };
      return [{ case: cases[at] ?? "", severity: "error", origin, detail: property, values }];
    });
  },
};

function caseOf(context: CheckContext, node: FlowNode, { t, v, vt, v2, v2t }: Rule): string | undefined {
  const isText = (value: unknown, type: unknown) => {
    if (type === "prev") return true;
    if (type === "msg") return AMOUNT.test(String(value));
    return NUMBER.test(comparedText(context, node, value, type) ?? "");
  };
  if (IN_ORDER.has(String(t))) {
    return isText(v, vt) || (t === "btwn" && isText(v2, v2t)) ? "order" : undefined;
  }
  const compared = t === "eq" || t === "neq" ? comparedText(context, node, v, vt) : undefined;
  return compared !== undefined && NUMBER.test(compared) && UNUSUAL.test(compared) ? "spelling" : undefined;
}

/** The text that a rule compares with; undefined where it is something else, or a message decides it. */
function comparedText(
  context: CheckContext,
  node: FlowNode,
  value: unknown,
  type: unknown,
): string | undefined {
  // Without a type, Switch takes a number where it reads as one.
  if (type === "str") return String(value ?? "").trim();
  const found = type === "env" ? context.variable(node, String(value)) : undefined;
  return typeof found === "string" ? found.trim() : undefined;
}
