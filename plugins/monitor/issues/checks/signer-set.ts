import type { Connection } from "../../../../nodes/common/fields/config-nodes.ts";
import type { Check, Finding } from "../check.ts";
import { connectionOf } from "../settings.ts";

/** Why proofs fail that were made by another signer set, or for another organization, than the connection's. */
const CASES: Readonly<Record<string, string>> = {
  threshold_not_met: "threshold",
  workflow_owner_mismatch: "owner",
  not_configured: "not-configured",
};

/** Since when a connection has its settings: a deploy that changes them makes another one. */
const since = new WeakMap<Connection, number>();

/** No recent event has the signatures that its connection asks for. */
export const signerSet: Check = {
  name: "signer-set",
  find: ({ RED, flows, activity, startedAt }) => {
    const found = new Map<string, Finding>();
    for (const node of flows.ofType("crec-events-in", "crec-verify-event")) {
      const connection = node.verify === false ? undefined : connectionOf(RED, node);
      if (!connection) continue;
      const from = since.get(connection) ?? startedAt;
      since.set(connection, from);
      const checked = activity.events
        .all()
        .filter((event) => event.node === node.id && event.seenAt >= from)
        .filter(({ proof }) => proof === "verified" || proof === "rejected");
      const name = CASES[checked.at(-1)?.reason ?? ""];
      const isVerified = checked.some(({ proof }) => proof === "verified");
      if (name === undefined || isVerified) continue;
      const stored = flows.get(node.connection) ?? flows.get(flows.get(node.channel)?.connection);
      const origin = flows.originOf(stored ?? node);
      const values = { connection: origin.label, node: flows.originOf(node).label };
      found.set(`${origin.node} ${name}`, { case: name, severity: "error", origin, values });
    }
    return [...found.values()];
  },
};
