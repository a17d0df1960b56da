import type { NodeAPI } from "node-red";
import type { ConnectionNode, WalletNode } from "../../common/fields/config-nodes.ts";
import { LOCAL_NETWORK } from "../../common/shared/local-network.ts";
import { isReference } from "../../common/shared/variables.ts";
import type { PreviewedCall, WalletText } from "../preview-types.ts";

/** A person is waiting for the preview, and it is complete without the answer. */
const ASK_MS = 2_000;

/**
 * The calls, those of proxies with the contract whose code they run now. Only the local service tells that, so only its
 * network is asked.
 */
export async function withImplementations(
  RED: NodeAPI,
  { id = "", connection: connectionId = "", chainSelector = "" }: WalletText,
  calls: PreviewedCall[],
): Promise<PreviewedCall[]> {
  const { wallet } = (RED.nodes.getNode(id) ?? {}) as Partial<WalletNode>;
  const { connection } = (RED.nodes.getNode(connectionId) ?? {}) as Partial<ConnectionNode>;
  const network = isReference(chainSelector) ? wallet?.chainSelector : chainSelector.trim();
  if (network !== LOCAL_NETWORK || !connection || connection.problem) return calls;
  const client = await connection.client().catch(() => undefined);
  if (!client) return calls;
  const signal = AbortSignal.timeout(ASK_MS);
  return Promise.all(
    calls.map(async (call) => {
      const { to, problem } = call;
      if (problem || to.later || to.problem) return call;
      const question = { path: "/local/implementation", query: { address: to.text } };
      const told = await client
        .request({ method: "GET", ...question, signal })
        .then(({ data }) => (data as { implementation?: unknown }).implementation)
        // Another service may have this network, and need not know the question.
        .catch(() => undefined);
      return typeof told === "string" ? { ...call, implementation: told } : call;
    }),
  );
}
