import type { Node, NodeAPI, NodeDef } from "node-red";
import type { CrecClient, Verifier, VerifyConfig } from "../../src/index.ts";
import { registerLookups } from "../lib/admin/lookups.ts";
import type { Connection, ConnectionCredentials, ConnectionNode } from "../lib/runtime/config-nodes.ts";
import { storedValue } from "../lib/runtime/flow-settings.ts";
import { loadLibrary } from "../lib/runtime/library.ts";
import { type CodedError, nodeError } from "../lib/shared/errors.ts";
import type { FamilyDef } from "../lib/shared/form-types.ts";
import { unsetVariable } from "../lib/shared/variables.ts";
import { signersIn } from "../lib/shared/verification-set-up.ts";
import { registerKeyReport } from "./admin/key-report.ts";
import { registerConnectionTest } from "./admin/test-connection.ts";
import { registerWorkflowOwner } from "./admin/workflow-owner.ts";
import { familyProblem, familySets } from "./families.ts";
import { keyProblem, originalId } from "./key/key-problem.ts";
import { withoutMark } from "./key/typed-key.ts";
import { type ProxyNode, proxyOf, proxyProblem } from "./proxy.ts";
import { type TlsNode, tlsOptions } from "./tls.ts";

export type ConnectionDef = NodeDef & {
  baseUrl?: string;
  graphqlUrl?: string;
  orgId?: string;
  workflowOwner?: string;
  creTenantId?: string;
  /** Addresses, separated by commas, spaces or new lines. */
  validSigners?: string;
  minRequiredSignatures?: string | number;
  /** Sets of oracle families that sign with keys of their own. */
  families?: FamilyDef[];
  /** Deadline of one call, in seconds. */
  timeout?: string | number;
  tls?: string;
  /** Node-RED's config node of a proxy. */
  proxy?: string;
};

export default function register(RED: NodeAPI): void {
  function ConstructConnection(this: ConnectionNode, def: ConnectionDef): void {
    RED.nodes.createNode(this, def);
    const connection = openConnection(RED, this, def);
    this.connection = connection;
    if (connection.problem) this.error(connection.problem.message);
    this.on("close", (done: () => void) => {
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
  registerConnectionTest(RED);
  registerKeyReport(RED);
  registerWorkflowOwner(RED);
  registerLookups(RED);
}

/** One client and one verifier for all nodes of this connection, made when the first of them asks. */
function openConnection(
  RED: NodeAPI,
  node: Node<ConnectionCredentials>,
  def: ConnectionDef,
): Connection & { close(): Promise<void> } {
  const baseUrl = (def.baseUrl ?? "").trim();
  const graphqlUrl = (def.graphqlUrl ?? "").trim() || undefined;
  const verification = verificationOf(def);
  const proxyNode = def.proxy ? (RED.nodes.getNode(def.proxy) as ProxyNode | null) : null;
  const tls = tlsOptions(def.tls ? (RED.nodes.getNode(def.tls) as TlsNode | null) : null);
  const setting = (id: string, field: string, resolved: string) => {
    const written = storedValue(RED, id, field);
    return { written: typeof written === "string" ? written.trim() : resolved, resolved };
  };
  const own = originalId(node);
  const destination = {
    baseUrl: setting(own, "baseUrl", baseUrl),
    graphqlUrl: setting(own, "graphqlUrl", graphqlUrl ?? ""),
    ...(proxyNode ? { proxy: setting(proxyNode.id, "url", proxyNode.url ?? "") } : {}),
    tls,
  };
  const problem =
    unsetVariable(def) ??
    unsetVariable(node.credentials) ??
    problemOf(def, node.credentials?.apiKey) ??
    proxyProblem(RED, def.proxy) ??
    keyProblem(RED, node, destination);
  let client: Promise<CrecClient> | undefined;
  let verifier: Promise<Verifier> | undefined;

  const makeClient = async (): Promise<CrecClient> => {
    if (problem) throw problem;
    const { CrecClient } = await loadLibrary();
    return new CrecClient({
      baseUrl,
      apiKey: withoutMark(node.credentials?.apiKey ?? ""),
      timeoutMs: Number(def.timeout || 30) * 1000,
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

function verificationOf(def: ConnectionDef): VerifyConfig {
  return {
    orgId: def.orgId?.trim() || null,
    workflowOwner: def.workflowOwner?.trim() || null,
    creTenantId: def.creTenantId?.trim() || null,
    validSigners: signersIn(def.validSigners),
    minRequiredSignatures: Number(def.minRequiredSignatures || 0),
    families: familySets(def.families),
  };
}

/** Only what makes every call impossible; what verification lacks is said by each rejected event. */
function problemOf(def: ConnectionDef, apiKey: string | undefined): CodedError | undefined {
  const baseUrl = (def.baseUrl ?? "").trim();
  if (baseUrl === "") {
    return nodeError(
      "CONNECTION_INCOMPLETE",
      "The connection has no base URL. Open the connection and fill it in.",
    );
  }
  if (!URL.canParse(baseUrl)) {
    return nodeError(
      "CONNECTION_INCOMPLETE",
      `The connection's base URL "${baseUrl}" is not a web address. It looks like https://host/v1.`,
    );
  }
  if (!apiKey) {
    return nodeError(
      "CONNECTION_INCOMPLETE",
      "The connection has no API key. Open the connection and type it in.",
    );
  }
  return familyProblem(def.families);
}
