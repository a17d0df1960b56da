import type { NodeAPI } from "node-red";
import { answerForms } from "../common/admin/answer.ts";
import { type NodeRedContext, nodeRedContext } from "../common/context.ts";
import { problemIn } from "../common/fields/config-nodes.ts";
import { type FormContext, formContext } from "../common/fields/field-reader.ts";
import { lostCredentials, watchCredentials } from "../common/fields/lost-credentials.ts";
import {
  type FleetCredentials,
  type FleetNode,
  type FleetRef,
  tlsOfEnvironment,
  tlsOfNode,
  urlOfEnvironment,
} from "../common/fleet/fleet.ts";
import { errorText } from "../common/messages/error-texts.ts";
import type { SecretsReport } from "../common/shared/form-types.ts";
import { unsetVariable, withoutMark } from "../common/shared/variables.ts";
import { originOf } from "../common/telemetry/origin.ts";
import { registerFleetTest } from "./admin/test-fleet.ts";
import { type FleetDef, NODE } from "./fields.ts";
import { secretsProblem } from "./secrets.ts";
import { type FleetInput, settingsOf, settingsProblem } from "./settings.ts";

/** The state that several copies of the flows share. Connections are opened by the nodes that use it. */
export default function register(RED: NodeAPI): void {
  watchCredentials(RED);
  function ConstructFleet(this: FleetNode, def: FleetDef): void {
    RED.nodes.createNode(this, def);
    this.fleet = openFleet(formContext(RED, this, NODE, def));
    if (this.fleet.problem) this.error(errorText(this.fleet.problem));
  }
  RED.nodes.registerType<FleetNode, FleetDef, object, FleetCredentials>("crec-fleet", ConstructFleet, {
    credentials: { url: { type: "password" }, sentinelPassword: { type: "password" } },
  });
  const context = nodeRedContext(RED);
  registerFleetTest(context);
  registerSecretsReport(context);
}

function openFleet(context: FormContext<typeof NODE, FleetNode>): FleetRef {
  const { RED, node, fields } = context;
  const { settings, credentials } = { settings: fields.settings, credentials: node.credentials };
  const own = withoutMark((credentials?.url ?? "").trim());
  const read = (): FleetInput => ({
    url: own || urlOfEnvironment(),
    tls: tlsOfNode(RED, settings.tls) ?? (own === "" ? tlsOfEnvironment() : undefined),
    isBySentinel: fields.choice("servers") === "sentinel",
    sentinels: fields.text("sentinels"),
    master: fields.text("master"),
    sentinelPassword: withoutMark((credentials?.sentinelPassword ?? "").trim()),
    namespace: fields.text("namespace"),
    leaseMs: fields.milliseconds("lease"),
  });
  const problem =
    unsetVariable(settings) ??
    unsetVariable(credentials) ??
    problemIn(read) ??
    settingsProblem(read(), lostCredentials(RED)) ??
    secretsProblem(context, node, read());
  return { problem, settings: problem ? EMPTY : settingsOf(read()), origin: originOf(node) };
}

/** Of a shared state that cannot be opened. */
const EMPTY = { url: "", namespace: "", leaseMs: 0 };

/** `GET /crec/fleet/:id/secrets`: whether what is stored must be entered again. Never what is stored. */
function registerSecretsReport(context: NodeRedContext): void {
  answerForms(context.RED, "get", "/crec/fleet/:id/secrets", "crec.read", ({ params }): SecretsReport => {
    const { fleet } = (context.RED.nodes.getNode(params.id ?? "") ?? {}) as Partial<FleetNode>;
    return { needsConfirmation: fleet?.problem?.code === "KEY_NEEDS_CONFIRMATION" };
  });
}
