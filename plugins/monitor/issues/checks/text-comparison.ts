import type { Node, NodeAPI } from "node-red";
import type { FlowNode } from "../../../../nodes/common/flows/flows.ts";
import type { Check, Finding } from "../check.ts";

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
  find: ({ RED, flows, paths }) => {
    const sources = flows.ofType("crec-events-in", "crec-verify-event");
    return [...paths.direct(sources, 0, THROUGH)].flatMap((node): Finding[] => {
      const property = String(node.property ?? "");
      const isAmount = (node.propertyType ?? "msg") === "msg" && AMOUNT.test(property);
      if (node.type !== "switch" || !isAmount || !Array.isArray(node.rules)) return [];
      const cases = (node.rules as Rule[]).map((rule) => caseOf(RED, node, rule));
      const at = cases.findIndex((one) => one !== undefined);
      if (at < 0) return [];
      const origin = flows.originOf(node);
      const values = { node: origin.label, property: `msg.${property}`, number: at + 1 };
      return [{ case: cases[at] ?? "", severity: "error", origin, detail: property, values }];
    });
  },
};

function caseOf(RED: NodeAPI, node: FlowNode, { t, v, vt, v2, v2t }: Rule): string | undefined {
  const isText = (value: unknown, type: unknown) => {
    if (type === "prev") return true;
    if (type === "msg") return AMOUNT.test(String(value));
    return NUMBER.test(textOf(RED, node, value, type) ?? "");
  };
  if (IN_ORDER.has(String(t))) {
    return isText(v, vt) || (t === "btwn" && isText(v2, v2t)) ? "order" : undefined;
  }
  const compared = t === "eq" || t === "neq" ? textOf(RED, node, v, vt) : undefined;
  return compared !== undefined && NUMBER.test(compared) && UNUSUAL.test(compared) ? "spelling" : undefined;
}

/** The text that a rule compares with; undefined where it is something else, or a message decides it. */
function textOf(RED: NodeAPI, { id }: FlowNode, value: unknown, type: unknown): string | undefined {
  // Without a type, Switch takes a number where it reads as one.
  if (type === "str") return String(value ?? "").trim();
  const running = type === "env" ? (RED.nodes.getNode(id) as Node | null) : null;
  const found: unknown = running ? RED.util.getSetting(running, String(value)) : undefined;
  return typeof found === "string" ? found.trim() : undefined;
}
