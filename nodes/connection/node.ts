import type { Node, NodeAPI } from "node-red";
import type { CrecClient, Verifier, VerifyConfig } from "../../src/index.ts";
import { answerForms } from "../common/admin/answer.ts";
import { registerLookups } from "../common/admin/lookups.ts";
import { registerVariables } from "../common/admin/variables.ts";
import { type NodeRedContext, nodeRedContext } from "../common/context.ts";
import {
  type Connection,
  type ConnectionCredentials,
  type ConnectionNode,
  notUsable,
  problemIn,
} from "../common/fields/config-nodes.ts";
import { type FormContext, formContext } from "../common/fields/field-reader.ts";
import { lostCredentials, watchCredentials } from "../common/fields/lost-credentials.ts";
import {
  type ProxyNode,
  proxyOf,
  proxyProblem,
  type TlsNode,
  tlsOptions,
} from "../common/fields/proxy-and-tls.ts";
import { originalId } from "../common/keys/binding.ts";
import { storedSetting } from "../common/keys/destination.ts";
import { loadLibrary } from "../common/library.ts";
import { errorText, useLanguageOf } from "../common/messages/error-texts.ts";
import { type CodedError, nodeError } from "../common/shared/errors.ts";
import type { KeyReport } from "../common/shared/form-types.ts";
import { signersIn } from "../common/shared/signers.ts";
import { startOfDay } from "../common/shared/times.ts";
import { unsetVariable, withoutMark } from "../common/shared/variables.ts";
import { readLimit } from "../common/status/read-limit.ts";
import { activity } from "../common/telemetry/activity.ts";
import { labelOf, originOf } from "../common/telemetry/origin.ts";
import { registerConnectionTest } from "./admin/test-connection.ts";
import { registerWorkflowOwner } from "./admin/workflow-owner.ts";
import { CallLog } from "./call-log.ts";
import { familyNameProblem, familySets } from "./families.ts";
import { type ConnectionDef, NODE } from "./fields.ts";
import { environmentKeyOf, environmentKeyProblem, keyProblem, nameOf, typedFor } from "./key.ts";

export default function register(RED: NodeAPI): void {
  function ConstructConnection(this: ConnectionNode, def: ConnectionDef): void {
    RED.nodes.createNode(this, def);
    const connection = openConnection(formContext(RED, this, NODE, def));
    this.connection = connection;
    if (connection.problem) this.error(errorText(connection.problem));
    const forget = activity.connections.add(() => connection.calls.report());
    this.on("close", (done: () => void) => {
      forget();
      connection.close().then(done, done);
    });
  }
  RED.nodes.registerType<ConnectionNode, ConnectionDef, object, ConnectionCredentials>(
    "crec-connection",
    ConstructConnection,
    {
      credentials: { apiKey: { type: "password" } },
    },
  );
  // Whatever else is loaded, nothing works without connections.
  useLanguageOf(RED._);
  watchCredentials(RED);
  const context = nodeRedContext(RED);
  registerConnectionTest(context);
  registerKeyReport(context);
  registerWorkflowOwner(context);
  registerLookups(RED);
  registerVariables(RED);
}

/** One client and one verifier for all nodes of this connection, created on first use. */
function openConnection(
  context: FormContext<typeof NODE, ConnectionNode>,
): Connection & { calls: CallLog; close(): Promise<void> } {
  const { RED, node, fields } = context;
  const { settings } = fields;
  const baseUrl = (settings.baseUrl ?? "").trim();
  const graphqlUrl = (settings.graphqlUrl ?? "").trim() || undefined;
  const verification = verificationOf(settings);
  const proxyNode = settings.proxy ? (RED.nodes.getNode(settings.proxy) as ProxyNode | null) : null;
  const tls = tlsOptions(settings.tls ? (RED.nodes.getNode(settings.tls) as TlsNode | null) : null);
  const own = originalId(node);
  const given = environmentKeyOf(RED.nodes, own);
  const apiKey = given?.value ?? withoutMark(node.credentials?.apiKey ?? "");
  const destination = {
    baseUrl: storedSetting(RED, own, "baseUrl", baseUrl),
    graphqlUrl: storedSetting(RED, own, "graphqlUrl", graphqlUrl ?? ""),
    ...(proxyNode ? { proxy: storedSetting(RED, proxyNode.id, "url", proxyNode.url ?? "") } : {}),
    tls,
  };
  const problem =
    unsetVariable(settings) ??
    unsetVariable(node.credentials) ??
    problemOf(settings, apiKey, lostCredentials(RED)) ??
    problemIn(() => fields.milliseconds("timeout")) ??
    problemIn(() => fields.number("requestsPerMinute")) ??
    proxyProblem(RED.nodes, settings.proxy) ??
    (settings.tls && !tls
      ? notUsable(RED.nodes, settings.tls, "TLS configuration of the connection", "CONNECTION_INCOMPLETE")
      : undefined) ??
    (given
      ? environmentKeyProblem(RED.nodes, given, { id: own, name: nameOf(RED.nodes, own) }, destination)
      : keyProblem(context, node, destination));
  const budget = problem ? undefined : fields.number("requestsPerMinute");
  const keyExpiresAt = startOfDay((settings.keyEnds ?? "").trim());
  const calls = new CallLog({ origin: originOf(node), baseUrl, graphqlUrl, problem, budget, keyExpiresAt });
  let client: Promise<CrecClient> | undefined;
  let verifier: Promise<Verifier> | undefined;

  const makeClient = async (): Promise<CrecClient> => {
    if (problem) throw problem;
    const { CrecClient } = await loadLibrary();
    return new CrecClient({
      baseUrl,
      apiKey,
      timeoutMs: fields.milliseconds("timeout"),
      requestsPerMinute: budget,
      onResponse: (info) => calls.note(info),
      ...readLimit(labelOf(node), budget),
      ...(graphqlUrl ? { graphqlUrl } : {}),
      ...(tls ? { tls } : {}),
      proxy: proxyOf(proxyNode),
    });
  };
  return {
    baseUrl,
    graphqlUrl,
    problem,
    verification,
    calls,
    client: () => {
      client ??= makeClient();
      return client;
    },
    verifier: () => {
      verifier ??= loadLibrary().then(({ createVerifier }) => createVerifier(verification));
      return verifier;
    },
    close: async () => {
      await (await client?.catch(() => undefined))?.close();
    },
  };
}

/** Only what makes every call impossible: each rejected event reports what verification lacks. */
function problemOf(def: ConnectionDef, apiKey: string, lost: string | undefined): CodedError | undefined {
  const baseUrl = (def.baseUrl ?? "").trim();
  if (baseUrl === "") {
    return nodeError(
      "CONNECTION_INCOMPLETE",
      "The connection's base URL is missing. Open the connection and fill it in.",
    );
  }
  if (/^(["'`]).*\1$/.test(baseUrl)) {
    return nodeError(
      "CONNECTION_INCOMPLETE",
      `The connection's base URL ${baseUrl} stands in quotation marks. Remove them in the connection, or in the environment variable: the file of Docker's --env-file takes none.`,
    );
  }
  if (!URL.canParse(baseUrl)) {
    return nodeError(
      "CONNECTION_INCOMPLETE",
      `The connection's base URL "${baseUrl}" is not a web address such as https://host/v1. Open the connection and correct it.`,
    );
  }
  if (apiKey.trim() === "") {
    return nodeError(
      "CONNECTION_INCOMPLETE",
      `The connection's API key is missing. ${lost ?? "Open the connection and enter it, or set the environment variable CREC_API_KEY."}`,
    );
  }
  return familyNameProblem(def.families);
}

/** `GET /crec/connection/:id/key`: whether the deployed key must be entered again, and its addresses. Never the key. */
function registerKeyReport(context: NodeRedContext): void {
  answerForms(
    context.RED,
    "get",
    "/crec/connection/:id/key",
    "crec.read",
    ({ params: { id = "" } }): KeyReport => {
      const { connection } = (context.RED.nodes.getNode(id) ?? {}) as Partial<ConnectionNode> & Partial<Node>;
      const addresses = typedFor(context, id);
      const given = connection && environmentKeyOf(context.RED.nodes, id);
      return {
        needsConfirmation: connection?.problem?.code === "KEY_NEEDS_CONFIRMATION",
        ...(given ? { variable: given.variable } : {}),
        ...(addresses ? { typedFor: addresses.filter((address) => /^https?:/.test(address)) } : {}),
      };
    },
  );
}

/** What the proofs of a connection's service are checked against. */
export function verificationOf(def: ConnectionDef): VerifyConfig {
  return {
    orgId: def.orgId?.trim() || null,
    workflowOwner: def.workflowOwner?.trim() || null,
    creTenantId: def.creTenantId?.trim() || null,
    validSigners: signersIn(def.validSigners),
    minRequiredSignatures: Number(def.minRequiredSignatures || 0),
    families: familySets(def.families),
  };
}
