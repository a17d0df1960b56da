import type { Node, NodeAPI } from "node-red";
import type { ConnectionNode } from "../config-nodes.ts";
import { nodeError, toCodedError } from "../errors.ts";
import type { TestAnswer } from "../form-types.ts";
import { loadLibrary } from "../library.ts";
import { type ProxyNode, proxyFor } from "../proxy.ts";
import { type TlsNode, tlsOptions } from "../tls.ts";
import { deployFirst, isDeployedWith, isReference } from "./deployed.ts";

/** What the form sends. `apiKey` is empty or Node-RED's placeholder while the stored key is meant. */
type TestRequest = { id?: unknown; baseUrl?: unknown; apiKey?: unknown; tls?: unknown; proxy?: unknown };

const STORED_PASSWORD = "__PWRD__";

/** `POST /crec/connection/test`: asks the service for its networks with the settings in the form. */
export function registerConnectionTest(RED: NodeAPI): void {
  RED.httpAdmin.post("/crec/connection/test", RED.auth.needsPermission("crec.write"), (request, response) => {
    test(RED, request.body as TestRequest).then(
      (answer) => response.json(answer),
      (thrown: unknown) => {
        const { code, message } = toCodedError(thrown);
        response.json({ ok: false, code, message } satisfies TestAnswer);
      },
    );
  });
}

async function test(RED: NodeAPI, body: TestRequest): Promise<TestAnswer> {
  const deployed = RED.nodes.getNode(text(body.id)) as (Node & Partial<ConnectionNode>) | null;
  const baseUrl = addressOf(RED, deployed, text(body.baseUrl));
  const apiKey = keyFor(deployed, baseUrl, text(body.apiKey));
  const tls = tlsOptions(RED.nodes.getNode(text(body.tls)) as TlsNode | null);
  const proxy = proxyFor(RED.nodes.getNode(text(body.proxy)) as ProxyNode | null, baseUrl);
  const { CrecClient } = await loadLibrary();
  const client = new CrecClient({
    baseUrl,
    apiKey,
    timeoutMs: 10_000,
    ...(tls ? { tls } : {}),
    ...(proxy ? { proxy } : {}),
  });
  try {
    const networks = await client.networks.list();
    return {
      ok: true,
      networks: networks.map(({ name, chain_selector }) => ({ name, chainSelector: chain_selector })),
    };
  } finally {
    await client.close();
  }
}

type Deployed = (Node & Partial<ConnectionNode>) | null;

function addressOf(RED: NodeAPI, deployed: Deployed, typed: string): string {
  if (!isReference(typed)) return typed;
  const baseUrl = deployed?.connection?.baseUrl;
  return baseUrl && isDeployedWith(RED, deployed.id, "baseUrl", typed) ? baseUrl : deployFirst(typed);
}

/** The stored key only ever goes to the stored address: for another one it must be typed again. */
function keyFor(deployed: Deployed, baseUrl: string, typed: string): string {
  if (isReference(typed)) return deployFirst(typed);
  if (typed !== "" && typed !== STORED_PASSWORD) return typed;
  const stored = deployed?.credentials?.apiKey;
  if (!stored) throw nodeError("KEY_MISSING", "Type the API key first.");
  if (deployed.connection?.baseUrl !== baseUrl) {
    throw nodeError(
      "KEY_MISSING",
      "The address was changed: type the API key again, so that it is not sent to a place it was not meant for.",
    );
  }
  return stored;
}

function text(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}
