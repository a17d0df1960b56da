import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import should from "should";
import { WIDE_ONLY } from "../../scripts/test/selection.mjs";
import type { TlsSettings } from "../../src/http/socket-pool.ts";
import { openPlainPool } from "../../src/http/socket-pool.ts";
import { Transport } from "../../src/http/transport.ts";
import { selfSigned } from "../support/certificates.ts";
import { eventually } from "../support/eventually.ts";
import { itWide } from "../support/wide.ts";
import { errorOf, KEY, sendJson, startTcpServer } from "./support.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const SETTINGS = { connectTimeoutMs: 5_000, maxResponseBytes: 1_000_000 };

/** How calls are sent where WebAssembly is off. */
describe("Node.js's own HTTP client instead of undici", () => {
  itWide("passes the tests of the transport, where WebAssembly is taken away", async () => {
    const files = ["transport", "unreadable-answers", "compressed", "network-errors"];
    // These two are other, and below.
    const others = ["--invert", "--grep", "a proxy that|100 Continue"];
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [
        ...["--import", "./test/support/without-web-assembly.mjs", "node_modules/mocha/bin/mocha.js"],
        ...["--reporter", "dot", ...others, ...files.map((name) => `test/http/${name}.test.ts`)],
      ],
      // From a cache the TypeScript would come ready, and what reads it would be loaded too late.
      { cwd: root, env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: "1", [WIDE_ONLY]: undefined } },
    ).catch((error: { stdout: string; stderr: string }) => {
      throw new Error(error.stdout + error.stderr);
    });
    should(Number(/(\d+) passing/.exec(stdout)?.[1])).be.above(100);
  });

  it("reads the answer behind a 100 Continue that was not requested", async () => {
    const server = await startTcpServer((socket) => {
      socket.once("data", () => {
        const answer = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";
        socket.write(`HTTP/1.1 100 Continue\r\n\r\n${answer}`);
      });
    });
    await withTransport(server.url, undefined, async (transport) => {
      should(await transport.get("/x")).deepEqual({});
    });
    await server.close();
  });

  it("trusts the authority it is given, and shows its own certificate", async () => {
    const [own, callers] = [selfSigned(), selfSigned()];
    const server = createServer(
      { ...own, ca: callers.cert, requestCert: true, rejectUnauthorized: true },
      (_request, response) => sendJson(response, 200, { ok: true }),
    );
    await once(server.listen(0, "127.0.0.1"), "listening");
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const asked = (tls: TlsSettings) =>
      withTransport(url, tls, async (transport) => {
        try {
          return await transport.get("/x");
        } catch (error) {
          return error;
        }
      });
    should(await asked({ ca: own.cert, ...callers })).deepEqual({ ok: true });
    should(await asked({ ca: own.cert })).match({
      code: "TLS_ERROR",
      message: /requires a client certificate/,
    });
    should(await asked(callers)).match({ code: "TLS_ERROR", message: /No trusted connection/ });
    server.closeAllConnections();
    server.close();
  });

  it("refuses a proxy by name", () => {
    should(() => openPlainPool({ ...SETTINGS, proxy: "http://user:secret@127.0.0.1:1" })).throw({
      code: "INVALID_ARGUMENT",
      path: "proxy",
      message: /^Proxies need WebAssembly, .* Start it with WebAssembly, or use no proxy\.$/,
    });
  });

  it("keeps no socket once it is closed", async () => {
    const server = await startTcpServer(() => {});
    const pool = openPlainPool(SETTINGS);
    const transport = new Transport({ baseUrl: server.url, apiKey: KEY, dispatcher: pool.dispatcher });
    const call = errorOf(transport.get("/x"));
    await server.nextConnection();
    await transport.close();
    await pool.destroy();
    should(await call).have.property("code", "CLIENT_CLOSED");
    await eventually("no open socket", () => server.openSockets() === 0);
    await server.close();
  });
});

async function withTransport<T>(
  baseUrl: string,
  tls: TlsSettings | undefined,
  use: (transport: Transport) => Promise<T>,
): Promise<T> {
  const pool = openPlainPool({ ...SETTINGS, tls });
  const transport = new Transport({ baseUrl, apiKey: KEY, maxAttempts: 1, dispatcher: pool.dispatcher });
  try {
    return await use(transport);
  } finally {
    await transport.close();
    await pool.destroy();
  }
}
