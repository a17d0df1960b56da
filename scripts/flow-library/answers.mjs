// @ts-check
// Answers what the tool asks the web, as its proxy: the client that the tool uses sends a proxy its whole requests, those
// to https too.
import { createServer } from "node:http";

/**
 * @param {Record<string, unknown>} answers by address
 * @returns {Promise<{ url: string, unknown: string[], close: () => Promise<void> }>} `unknown` lists what was asked for
 *   and has no answer
 */
export async function startAnswers(answers) {
  /** @type {string[]} */
  const unknown = [];
  const server = createServer(({ url = "" }, response) => {
    const answer = answers[url];
    if (answer === undefined) unknown.push(url);
    response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(answer ?? {}));
  });
  server.on("connect", ({ url = "" }, socket) => {
    unknown.push(url);
    socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const close = () =>
    new Promise((resolve) => {
      server.close(() => resolve(undefined));
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}`, unknown, close };
}
