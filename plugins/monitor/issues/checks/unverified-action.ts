import type { Check, Finding } from "../check.ts";

const ACTS = "crec-submit-operation";
/** Nodes that send each message on. A verify event is not among them. */
const THROUGH = new Set(["switch", "link in", "junction", "delay", "crec-ack", "change", "function"]);

/** Events whose proofs nobody checks lead to an operation. */
export const unverifiedAction: Check = {
  name: "unverified-action",
  find: ({ flows, paths }) =>
    flows
      .ofType("crec-events-in")
      .filter(({ verify }) => verify === false)
      .flatMap((node): Finding[] => {
        const acting = [...paths.direct([node], 0, THROUGH)].find(({ type }) => type === ACTS);
        if (!acting) return [];
        const origin = flows.originOf(node);
        const values = { node: origin.label, acting: flows.originOf(acting).label };
        const buttons = [{ kind: "open", node: acting.id } as const];
        return [{ case: "operation", severity: "warning", origin, values, buttons }];
      }),
};
