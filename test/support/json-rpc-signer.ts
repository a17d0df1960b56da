import { StandIn } from "./stand-in.ts";

type Rpc = { jsonrpc: string; id: unknown; method: string; params: unknown[] };
type Outcome = { result: unknown } | { error: { code: number; message: string } };

export const methodNotFound: Outcome = { error: { code: -32601, message: "Method not found" } };

/** A signer that speaks JSON-RPC, for answers that no real one gives on demand. */
export async function startJsonRpcSigner(answer: (method: string, params: unknown[]) => Outcome) {
  const standIn = await StandIn.start();
  const calls: Array<{ method: string; params: unknown[] }> = [];
  standIn.answer = ({ method: verb, path, headers, body }) => {
    const { jsonrpc, id, method, params } = JSON.parse(body.toString()) as Rpc;
    if (
      verb !== "POST" ||
      path !== "/" ||
      headers["content-type"] !== "application/json" ||
      jsonrpc !== "2.0"
    ) {
      return { status: 400, body: "" };
    }
    calls.push({ method, params });
    return { status: 200, body: { jsonrpc, id, ...answer(method, params) } };
  };
  return { standIn, calls };
}
