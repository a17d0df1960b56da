import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A server for JSON-RPC requests, on a free port; its address and its end. */
export async function startRpcServer(
  answer: (body: string, response: ServerResponse) => Promise<void>,
): Promise<{ url: string; close: () => void }> {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => void answer(body, response).catch(() => request.socket.destroy()));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, close };
}

/** What a node answers to a call, whole. */
export async function forwarded(node: string, call: object): Promise<object> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(node, { method: "POST", headers, body: JSON.stringify(call) });
  return (await response.json()) as object;
}
