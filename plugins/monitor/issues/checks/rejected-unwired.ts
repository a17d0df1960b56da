import type { FlowNode } from "../../../../nodes/common/flows/flows.ts";
import type { Check, Finding } from "../check.ts";

const REJECTED = 1;

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
