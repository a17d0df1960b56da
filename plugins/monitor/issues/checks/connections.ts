import type {
  ChannelNode,
  Connection,
  ConnectionNode,
  ContractNode,
  SignerNode,
  WalletNode,
} from "../../../../nodes/common/fields/config-nodes.ts";
import type { FleetNode } from "../../../../nodes/common/fleet/fleet.ts";
import type { FlowNode } from "../../../../nodes/common/flows/flows.ts";
import { KEY_ENDS_SOON_MS } from "../../../../nodes/common/shared/times.ts";
import { labelOf } from "../../../../nodes/common/telemetry/origin.ts";
import type { Problem } from "../../../../nodes/common/telemetry/types.ts";
import type { Check, CheckContext, Finding } from "../check-context.ts";

/** A service does not answer. Until it does, what else is missing says little. */
export const serviceUnreachable: Check = {
  name: "service-unreachable",
  find: ({ flows, activity }) =>
    activity.connections.reports().flatMap(({ node, flow, type, label, state, problem }): Finding[] => {
      if (state !== "unreachable" || !flows.get(node)) return [];
      const values = { connection: label, reason: problem?.message ?? "" };
      return [{ case: "unreachable", severity: "error", origin: { node, flow, type, label }, values }];
    }),
};

const DAY_MS = 86_400_000;

/** The service refuses a key, or the key expires soon. */
export const apiKey: Check = {
  name: "api-key",
  find: ({ flows, activity, now }) =>
    activity.connections.reports().flatMap((report): Finding[] => {
      const { baseUrl, state, since, problem, callsLastMinute, budget, keyExpiresAt, ...origin } = report;
      if (!flows.get(origin.node)) return [];
      const values = { connection: origin.label, reason: problem?.message ?? "" };
      if (state === "refused") return [{ case: "refused", severity: "error", origin, values }];
      if (keyExpiresAt === undefined || keyExpiresAt - now > KEY_ENDS_SOON_MS) return [];
      const count = Math.max(1, Math.ceil((keyExpiresAt - now) / DAY_MS));
      const date = new Date(keyExpiresAt).toISOString().slice(0, 10);
      return keyExpiresAt <= now
        ? [{ case: "expired", severity: "error", origin, values: { ...values, date } }]
        : [{ case: "expires", severity: "warning", origin, values: { ...values, date, count } }];
    }),
};

/** A config node that is in use cannot work with its settings, or is disabled. */
export const settingsIncomplete: Check = {
  name: "settings-incomplete",
  find: (context) => [...problems(context), ...disabled(context)],
};

function problems(context: CheckContext): Finding[] {
  const { flows } = context;
  return [...configProblems(context).values()].map(({ node, problem }) => {
    const origin = flows.originOf(node);
    const values = { node: origin.label, reason: problem.message };
    return { case: "problem", severity: "error", origin, detail: problem.code, values };
  });
}

/** Of each node that uses it, since each of them stops working. */
function disabled({ flows }: CheckContext): Finding[] {
  const nodes = [...flows.all()].filter(({ type }) => type.startsWith("crec-"));
  return nodes.flatMap((node) =>
    flows.disabledConfigOf(node).map((config): Finding => {
      const origin = flows.originOf(node);
      const values = { node: origin.label, config: labelOf(config) };
      return { case: "disabled", severity: "error", origin, detail: config.id, values };
    }),
  );
}

type Running = ConnectionNode & SignerNode & ContractNode & ChannelNode & WalletNode & FleetNode;

/** Those that others depend on come first: the same problem is said once. */
const TYPES = ["connection", "signer", "contract", "fleet", "channel", "wallet"] as const;

/** What is wrong with the settings of config nodes that are in use, by its sentence. */
export function configProblems(context: CheckContext): Map<string, { node: FlowNode; problem: Problem }> {
  const found = new Map<string, { node: FlowNode; problem: Problem }>();
  for (const type of TYPES) {
    for (const node of context.flows.ofType(`crec-${type}`)) {
      const problem = context.running<Running>(node.id)?.[type]?.problem;
      if (problem && !found.has(problem.message)) found.set(problem.message, { node, problem });
    }
  }
  return found;
}

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
  find: (context) => {
    const { flows, activity, startedAt } = context;
    const found = new Map<string, Finding>();
    for (const node of flows.ofType("crec-events-in", "crec-verify-event")) {
      const connection = node.verify === false ? undefined : context.connectionOf(node);
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
