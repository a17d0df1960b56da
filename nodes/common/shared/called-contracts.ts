import type { CallDef } from "./form-types.ts";

/** The calls of a node, each with its contract: an import gives config nodes new ids, and updates only the node's fields. */
export function callsWithContracts(node: Readonly<Record<string, unknown>>): CallDef[] {
  const calls = Array.isArray(node.calls) ? (node.calls as CallDef[]) : [];
  return calls.map((call, index) => {
    const contract = String(node[`contract${index + 1}`] || "");
    return call?.kind === "contract" && contract ? { ...call, contract } : call;
  });
}
