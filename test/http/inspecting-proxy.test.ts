import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, request as forward, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSecureContext, TLSSocket } from "node:tls";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import should from "should";
import { CrecClient } from "../../src/resources/index.ts";
import { ownAuthority } from "../support/certificates.ts";
import { errorOf, KEY, sendJson, startServer, type TestServer } from "./support.ts";

const HOST = "crec.example";
const NETWORKS = { data: [{ name: "local", chain_selector: "1" }], has_more: false };

/** A proxy that reads along: it ends TLS itself, with a certificate for each host by an authority of its own. */
describe("a TLS-inspecting proxy", () => {
  const authority = ownAuthority();
  let service: TestServer;
  let proxy: Server;
  let proxyUrl = "";
  const tunnels: string[] = [];

  before(async () => {
    service = await startServer((request, response) =>
      sendJson(response, 200, request.headers.authorization === `Apikey ${KEY}` ? NETWORKS : { data: [] }),
    );
    // What it reads, it passes on.
    const inside = createServer(({ method, url, headers }, response) => {
      const onward = forward(service.url + url, { method: method ?? "GET", headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      onward.end();
    });
    proxy = createServer().on("connect", (asked: IncomingMessage, socket: Socket) => {
      const [host = ""] = (asked.url ?? "").split(":");
      tunnels.push(host);
      socket.on("error", () => {});
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      const secureContext = createSecureContext(authority.issue(host));
      const secure = new TLSSocket(socket, { isServer: true, secureContext });
      secure.on("error", () => {});
      inside.emit("connection", secure);
    });
    await once(proxy.listen(0, "127.0.0.1"), "listening");
    proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  });
  after(async () => {
    proxy.close();
    proxy.closeAllConnections();
    await service.close();
  });

  const listed = async (options: { tls?: { ca: string }; host?: string }) => {
    const { host = HOST, ...others } = options;
    const client = new CrecClient({
      ...{ baseUrl: `https://${host}/v1`, apiKey: KEY, proxy: proxyUrl, ...others },
    });
    try {
      return await client.networks.list();
    } finally {
      await client.close();
    }
  };

  it("is trusted with its authority in the option tls", async () => {
    should((await listed({ tls: { ca: authority.cert } })).map(({ name }) => name)).deepEqual(["local"]);
    should(tunnels.at(-1)).equal(HOST);
    should(service.requests.at(-1)).equal("GET /v1/networks");
  });

  it("is not trusted without: nothing is sent, and the sentence names the option", async () => {
    const before = service.requests.length;
    const error = await errorOf(listed({}));
    should(error).match({ code: "TLS_ERROR", retryable: false, hop: "service", host: `${HOST}:443` });
    should(error.message).startWith(
      `No trusted connection to ${HOST}:443 (through the proxy ${new URL(proxyUrl).host}): this machine does not trust who issued its certificate. Check whether that is an authority of your own, or a proxy or virus scanner that reads along.`,
    );
    should(error.message).containEql(
      "If you trust it, add its certificate to the TLS settings of the connection (in code: tls.ca), or name its file in NODE_EXTRA_CA_CERTS.",
    );
    should(await errorOf(listed({ tls: { ca: ownAuthority().cert } }))).have.property("code", "TLS_ERROR");
    should(service.requests).have.length(before);
  });

  it("is trusted with its authority in NODE_EXTRA_CA_CERTS", async () => {
    const folder = await mkdtemp(join(tmpdir(), "crec-authority-"));
    const library = new URL("../../src/resources/index.ts", import.meta.url).href;
    const code = `
      import { CrecClient } from ${JSON.stringify(library)};
      const client = new CrecClient(${JSON.stringify({ baseUrl: `https://${HOST}/v1`, apiKey: KEY, proxy: proxyUrl })});
      console.log((await client.networks.list()).length);
      await client.close();`;
    try {
      const file = join(folder, "authority.pem");
      await writeFile(file, authority.cert);
      const run = promisify(execFile);
      const { stdout } = await run(process.execPath, ["--input-type=module", "-e", code], {
        cwd: fileURLToPath(new URL("../..", import.meta.url)),
        env: { ...process.env, NODE_EXTRA_CA_CERTS: file },
      });
      should(stdout.trim()).equal("1");
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
