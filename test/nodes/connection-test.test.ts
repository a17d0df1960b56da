import { once } from "node:events";
import { request as forward, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import should from "should";
import { thresholdWarnings } from "../../nodes/connection/threshold.ts";
import type { Answer, Owner, Tested } from "../../nodes/lib/shared/form-types.ts";
import type { RunningService } from "../../service/src/index.ts";
import { workflowOwnerFromOrgId } from "../../src/index.ts";
import { sendJson, startServer, startTcpServer } from "../http/support.ts";
import { type Certificate, selfSigned } from "../support/certificates.ts";
import { type FlowNode, NodeRed, UserDir } from "../support/node-red.ts";
import { connectionNode } from "../support/nodes.ts";
import { ServiceProxy } from "../support/proxy.ts";
import { startTestService } from "../support/service.ts";

const STORED = "__PWRD__";
const KEY = "typed-key-0123456789";
const SIGNER_KEY = `0x${"5e".repeat(32)}`;
const NETWORKS = [{ id: "1", name: "Somewhere", chain_selector: "42", chain_id: "42", type: "testnet" }];

type Closing = { close(): Promise<unknown> };

/** The result of "Test connection" for connections that work, and for each way in which one fails. */
describe("the connection's form", function () {
  this.timeout(120_000);

  let service: RunningService;
  let proxy: ServiceProxy;
  let userDir: UserDir;
  let nodeRed: NodeRed;
  const open: Closing[] = [];
  const said: string[] = [];
  const good = selfSigned();
  const expired = selfSigned({ from: 2020, until: 2021 });
  const elsewhere = selfSigned({ host: "elsewhere.example" });

  before(async () => {
    [service, userDir] = await Promise.all([startTestService(), UserDir.make()]);
    proxy = await ServiceProxy.before(service.ready.base_url);
    const env = {
      CREC_BASE_URL: service.ready.base_url,
      CREC_GRAPHQL_URL: service.ready.graphql_url,
      CREC_API_KEY: service.ready.api_key,
      CREC_ORG_ID: service.ready.org_id,
      CREC_TENANT_ID: service.ready.cre_tenant_id,
      CREC_SIGNER_KEY: SIGNER_KEY,
      CREC_SIGNER: SIGNER_KEY,
      CREC_PRIVATE_THING: SIGNER_KEY,
      CREC_EVIL_URL: proxy.baseUrl,
      OTHER_KEY: service.ready.api_key,
      OTHER_URL: service.ready.base_url,
    };
    const settings = fileURLToPath(new URL("admin-auth-settings.cjs", import.meta.url));
    nodeRed = await NodeRed.start(userDir, env, { settings, token: "admin" });
    await nodeRed.deploy(config());
  });

  const config = () => [
    connectionNode(service.ready),
    connectionNode(service.ready, { id: "by-other-names", baseUrl: "${OTHER_URL}", graphqlUrl: "" }),
    connectionNode(service.ready, { id: "graphql-only", graphqlUrl: "${OTHER_URL}" }),
    ...[good, expired, elsewhere].map(({ cert }, index) =>
      tlsNode(["good", "expired", "elsewhere"][index], cert),
    ),
    proxyNode("no-proxy-there", "http://127.0.0.1:1"),
    proxyNode("no-proxy-name", "http://no-such-host.invalid:3128"),
  ];

  after(async () => {
    await nodeRed?.kill();
    await proxy?.close();
    await service?.close();
    await userDir?.remove();
  });

  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
  });

  const post = async (path: string, body: unknown, who: string | undefined = "admin") =>
    nodeRed.fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json", ...(who ? { Authorization: `Bearer ${who}` } : {}) },
      body: JSON.stringify(body),
    });
  const test = async (body: Record<string, unknown>): Promise<Answer<Tested>> => {
    const response = await post("crec/connection/test", { id: "new", apiKey: KEY, ...body });
    should(response.status).equal(200);
    const text = await response.text();
    said.push(text);
    return JSON.parse(text) as Answer<Tested>;
  };
  const fails = async (body: Record<string, unknown>, code: string, message: RegExp) => {
    const answer = await test(body);
    if (answer.problem === undefined) throw new Error("It works.");
    should(answer.code).equal(code, answer.problem);
    should(answer.problem).match(message);
    should(answer.problem).match(/^[A-Za-z0-9].*[.)]( It (said|begins): .*)?$/s);
  };
  const works = async (body: Record<string, unknown>) => {
    const answer = await test(body);
    if (answer.problem !== undefined) throw new Error(`${answer.code}: ${answer.problem}`);
    return answer;
  };
  const serve = async (listener: RequestListener) => {
    const server = await startServer(listener);
    open.push(server);
    return server.url;
  };
  const serveTls = async (certificate: Certificate) => {
    const server = createTlsServer(certificate, (_request, response) => sendJson(response, 200, NETWORKS));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    open.push({
      close: async () => {
        server.close();
        server.closeAllConnections();
        await once(server, "close");
      },
    });
    return `https://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  };
  /** A way to the outside, which passes requests on for whom it lets pass. */
  const startProxy = async (status: number) => {
    const server = await startServer((request, response) => {
      if (status !== 200) response.writeHead(status).end();
      else {
        const { method, headers, url = "" } = request;
        const onward = forward(url, { ...(method ? { method } : {}), headers }, (answer) => {
          response.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(response);
        });
        onward.on("error", () => response.destroy());
        request.pipe(onward);
      }
    });
    open.push(server);
    return server.url;
  };

  describe("if it works", () => {
    it("shows the networks, the account of the key, and its organization", async () => {
      const { base_url: baseUrl, graphql_url: graphqlUrl, api_key: apiKey, ...ready } = service.ready;
      const answer = await works({ baseUrl, graphqlUrl, apiKey });
      should(answer).deepEqual({
        networks: [{ name: "Local anvil", type: "testnet", chainSelector: ready.chain_selector }],
        account: "Local developer",
        organization: { organizationId: ready.org_id, tenantId: ready.cre_tenant_id },
      });
    });

    it("works with the stored key, and without an account service", async () => {
      const answer = await works({ id: "connection", apiKey: STORED, baseUrl: service.ready.base_url });
      should(answer).not.have.any.keys("account", "organization", "warning");
    });

    const warned: Array<[string, string | RequestListener, string, RegExp]> = [
      [
        "cannot be reached",
        "http://127.0.0.1:1/graphql",
        "SERVICE_UNREACHABLE",
        /nothing listens.*account URL/,
      ],
      [
        "refuses the key",
        (_request, response) => sendJson(response, 200, { errors: [{ message: "Unauthorized" }] }),
        "KEY_REFUSED",
        /account service refused/,
      ],
      [
        "is another service",
        (_request, response) => response.writeHead(404).end("<html>nothing"),
        "NO_SUCH_SERVICE",
        /is not an account service \(HTTP 404\).*\/graphql.*It begins: <html>nothing/,
      ],
      [
        "knows another schema",
        (_request, response) => sendJson(response, 400, { errors: [{ message: "Cannot query field" }] }),
        "GRAPHQL_ERROR",
        /Cannot query field/,
      ],
    ];
    for (const [what, where, code, message] of warned) {
      it(`warns of an account service that ${what}`, async () => {
        const graphqlUrl = typeof where === "string" ? where : await serve(where);
        const { base_url: baseUrl, api_key: apiKey } = service.ready;
        const { warning, networks } = await works({ baseUrl, graphqlUrl, apiKey });
        should(networks).have.length(1);
        should(warning?.code).equal(code);
        should(warning?.message).match(message);
      });
    }

    it("answers an empty account if the account service names none", async () => {
      const graphqlUrl = await serve((_request, response) =>
        sendJson(response, 200, { data: { getAccountDetails: null, getOrganization: null } }),
      );
      const { base_url: baseUrl, api_key: apiKey } = service.ready;
      should(await works({ baseUrl, graphqlUrl, apiKey })).have.property("account", "");
    });
  });

  describe("if it fails, it recognizes", () => {
    it("a refused key, and a key without an organization", async () => {
      await fails({ baseUrl: service.ready.base_url }, "KEY_REFUSED", /refused the API key/);
      const baseUrl = await serve((_request, response) =>
        sendJson(response, 401, { type: "ORGANIZATION_NOT_FOUND", message: "no" }),
      );
      await fails({ baseUrl }, "ORGANIZATION_NOT_FOUND", /no organization for this API key/);
    });

    it("an unknown host name, a closed port, and a service that does not answer in time", async () => {
      const unknown = { baseUrl: "http://no-such-host.invalid/v1" };
      await fails(unknown, "SERVICE_UNREACHABLE", /its name (cannot be resolved|could not be resolved)/);
      await fails({ baseUrl: "http://127.0.0.1:1/v1" }, "SERVICE_UNREACHABLE", /nothing listens there/);
      const silent = await startTcpServer(() => {});
      open.push(silent);
      const quick = { baseUrl: `${silent.url}/v1`, timeout: "0.3" };
      await fails(quick, "TIMEOUT", /did not finish its answer within 300 ms/);
    });

    it("certificates that are self-signed, expired or for another name; and a port without TLS", async () => {
      const baseUrl = await serveTls(good);
      await fails({ baseUrl }, "TLS_ERROR", /self-signed.*TLS configuration.*SELF_SIGNED/);
      should((await works({ baseUrl, tls: "good" })).networks).match([{ name: "Somewhere" }]);
      const old = { baseUrl: await serveTls(expired), tls: "expired" };
      await fails(old, "TLS_ERROR", /has expired.*CERT_HAS_EXPIRED/);
      const foreign = { baseUrl: await serveTls(elsewhere), tls: "elsewhere" };
      await fails(foreign, "TLS_ERROR", /is for another host name.*ALTNAME/);
      const plain = service.ready.base_url.replace("http:", "https:");
      await fails({ baseUrl: plain }, "TLS_ERROR", /does not use TLS on this port.*http:\/\//);
    });

    it("proxies that are unreachable, unknown, require a password or refuse; and one that works", async () => {
      const { base_url: baseUrl, api_key: apiKey } = service.ready;
      const through = (id: string) => ({ baseUrl, apiKey, proxy: id });
      await fails(
        through("no-proxy-there"),
        "PROXY_UNREACHABLE",
        /proxy cannot be reached: it refuses the connection/,
      );
      await fails(through("no-proxy-name"), "PROXY_UNREACHABLE", /proxy cannot be reached: its host name/);
      await deployProxies(await startProxy(407), await startProxy(502), await startProxy(200));
      await fails(through("proxy-0"), "PROXY_REFUSED", /user name and a password.*HTTP 407/);
      await fails(through("proxy-1"), "PROXY_REFUSED", /does not connect to the service.*HTTP 502/);
      should((await works(through("proxy-2"))).networks).have.length(1);
    });

    const deployProxies = (...urls: string[]) =>
      nodeRed.deploy([...config(), ...urls.map((url, index) => proxyNode(`proxy-${index}`, url))]);

    it("an address of another service, with the right address if there is one", async () => {
      const { base_url: baseUrl, api_key: apiKey } = service.ready;
      const tooMuch = { baseUrl: `${baseUrl}/v1`, apiKey };
      await fails(
        tooMuch,
        "NO_SUCH_SERVICE",
        /v1 answers, but is not the channel service\. http:[^ ]*:\d+ is: use/,
      );
      const behind = await serve(({ url }, response) => {
        const found = url === "/v1/health-check";
        sendJson(response, found ? 200 : 404, found ? { status: "ok" } : { error: "nothing here" });
      });
      await fails({ baseUrl: behind }, "NO_SUCH_SERVICE", / http:.*\/v1 is: use it/);
      const page = await serve((_request, response) => response.end("<html>Welcome"));
      await fails(
        { baseUrl: page },
        "NO_SUCH_SERVICE",
        /HTTP 200.*must end with \/v1.*It begins: <html>Welcome/,
      );
      await fails({ baseUrl: `${page}/v1` }, "NO_SUCH_SERVICE", /must not end with \/v1/);
      const moved = await serve((_request, response) => response.writeHead(302, { location: "/" }).end());
      await fails({ baseUrl: moved }, "NO_SUCH_SERVICE", /redirects to another address.*HTTP 302/);
      const list = await serve((_request, response) => sendJson(response, 200, { hello: "world" }));
      await fails({ baseUrl: list }, "NO_SUCH_SERVICE", /is not the channel service/);
    });

    it("the right address without sending a key there", async () => {
      const keys: unknown[] = [];
      const baseUrl = await serve(({ url, headers }, response) => {
        if (url?.startsWith("/v1")) keys.push(headers.authorization);
        response.end("<html>");
      });
      await fails({ baseUrl }, "NO_SUCH_SERVICE", /must end with \/v1/);
      should(keys).deepEqual([undefined]);
    });

    it("TLS and proxy that are not deployed yet", async () => {
      const { base_url: baseUrl, api_key: apiKey } = service.ready;
      await fails({ baseUrl, apiKey, tls: "undeployed" }, "DEPLOY_FIRST", /TLS configuration.*not deployed/);
      await fails({ baseUrl, apiKey, proxy: "undeployed" }, "DEPLOY_FIRST", /proxy.*not deployed/);
      await works({ baseUrl, apiKey, tls: "_ADD_", proxy: "_ADD_" });
    });
  });

  describe("its key", () => {
    const local = {
      baseUrl: "${CREC_BASE_URL}",
      graphqlUrl: "${CREC_GRAPHQL_URL}",
      apiKey: "${CREC_API_KEY}",
    };

    it("comes from the environment before the first deploy, if all addresses do", async () => {
      should(await works(local)).have.property("account", "Local developer");
      await works({ ...local, graphqlUrl: "" });
      await works({ ...local, apiKey: service.ready.api_key });
    });

    it("is never sent from the environment to a typed address, or to one of another variable", async () => {
      const { baseUrl } = proxy;
      for (const typed of [
        { baseUrl },
        { graphqlUrl: baseUrl },
        { baseUrl, graphqlUrl: "" },
        { id: "by-other-names", baseUrl: "${OTHER_URL}" },
        { id: "graphql-only", graphqlUrl: "${OTHER_URL}" },
      ]) {
        await fails(
          { ...local, ...typed },
          "DEPLOY_FIRST",
          /only tested if base URL and account URL come from/,
        );
      }
      should(proxy.passed).be.empty();
    });

    it("is never another secret of the environment, and a secret is never an address", async () => {
      const { passed } = proxy;
      for (const typed of [
        { apiKey: "${OTHER_KEY}" },
        { apiKey: "${CREC_SIGNER_KEY}", baseUrl: "${CREC_EVIL_URL}" },
        { baseUrl: "${CREC_SIGNER_KEY}" },
        { baseUrl: "${OTHER_URL}" },
        { graphqlUrl: "${PATH}" },
      ]) {
        await fails({ ...local, ...typed }, "DEPLOY_FIRST", /deploy/);
      }
      await fails({ ...local, baseUrl: "${CREC_NOWHERE}" }, "VARIABLE_MISSING", /CREC_NOWHERE is not set/);
      should(passed).be.empty();
    });

    it("is only sent from the store to the stored addresses, including the account URL", async () => {
      const { base_url: baseUrl, graphql_url: graphqlUrl } = service.ready;
      const stored = { id: "connection", apiKey: STORED, baseUrl, graphqlUrl };
      should(await works(stored)).have.property("account", "Local developer");
      await works({ ...stored, graphqlUrl: "${CREC_GRAPHQL_URL}" });
      for (const changed of [
        { baseUrl: proxy.baseUrl },
        { graphqlUrl: proxy.baseUrl },
        { graphqlUrl: "${CREC_EVIL_URL}" },
        { baseUrl: graphqlUrl, graphqlUrl: baseUrl },
      ]) {
        await fails({ ...stored, ...changed }, "KEY_MISSING", /Enter the API key again/);
      }
      should(proxy.passed).be.empty();
    });
  });

  describe("its owner", () => {
    const ownerOf = async (body: Record<string, unknown>) =>
      (await (await post("crec/connection/owner", body)).json()) as Answer<Owner>;

    it("is derived from organization and tenant, and compared with the one in the form", async () => {
      const asked = { orgId: "org_1", creTenantId: "1" };
      const owner = workflowOwnerFromOrgId("org_1", "1");
      should(await ownerOf(asked)).deepEqual({ owner, differs: false });
      should(await ownerOf({ ...asked, workflowOwner: owner.toLowerCase() })).deepEqual({
        owner,
        differs: false,
      });
      should(await ownerOf({ ...asked, workflowOwner: `0x${"1".repeat(40)}` })).deepEqual({
        owner,
        differs: true,
      });
    });

    it("is known before a deploy for variables of this package, and for no others", async () => {
      const local = { orgId: "${CREC_ORG_ID}", creTenantId: "${CREC_TENANT_ID}" };
      should(await ownerOf(local)).deepEqual({ owner: service.ready.workflow_owner, differs: false });
      const nobody = { owner: "", differs: false };
      for (const orgId of ["", 1, null]) should(await ownerOf({ ...local, orgId })).deepEqual(nobody);
      for (const name of ["OTHER_KEY", "CREC_API_KEY", "CREC_SIGNER", "CREC_PRIVATE_THING"]) {
        const { code } = (await ownerOf({ ...local, orgId: `\${${name}}` })) as { code?: string };
        should(code).equal("DEPLOY_FIRST", name);
      }
      should(await ownerOf({})).deepEqual(nobody);
    });
  });

  describe("its permissions", () => {
    it("are required: write to test, read to see the owner", async () => {
      const body = { id: "connection", baseUrl: service.ready.base_url, apiKey: STORED };
      const statuses = async (path: string) =>
        Promise.all(
          ["", "nobody", "reader", "admin"].map(async (who) => (await post(path, body, who)).status),
        );
      should(await statuses("crec/connection/test")).deepEqual([401, 401, 401, 200]);
      should(await statuses("crec/connection/owner")).deepEqual([401, 401, 200, 200]);
    });
  });

  describe("its threshold", () => {
    const addresses = (count: number) =>
      Array.from({ length: count }, (_, index) => `0x${String(index).padStart(40, "0")}`).join("\n");
    const keysOf = (signers: string, threshold: string) =>
      thresholdWarnings(signers, threshold).map(({ key }) => key.split(".").at(-1));

    it("has a warning if reports never carry as many signatures", () => {
      for (const [count, usual] of [
        [1, 1],
        [4, 2],
        [7, 3],
        [10, 4],
      ] as const) {
        should(keysOf(addresses(count), String(usual))).deepEqual([]);
        if (usual < count) should(keysOf(addresses(count), String(usual + 1))).deepEqual(["above-usual"]);
        should(keysOf(addresses(count), String(count + 1))).deepEqual(["unreachable"]);
      }
      should(thresholdWarnings(addresses(7), "4")).match([{ values: { threshold: 4, count: 7, usual: 3 } }]);
    });

    it("counts a signer once, and names one that is there twice", () => {
      const twice = `${addresses(4)}\n0x${"0".repeat(40)},0X${"0".repeat(40)}`;
      should(keysOf(twice, "2")).deepEqual(["twice"]);
      should(keysOf(twice, "5")).deepEqual(["unreachable", "twice"]);
    });

    it("is not checked if it is empty or comes from the environment", () => {
      should(keysOf(addresses(4), "${CREC_MIN_SIGNATURES}")).deepEqual([]);
      should(keysOf("${CREC_VALID_SIGNERS}", "9")).deepEqual([]);
      should(keysOf("", "")).deepEqual([]);
    });
  });

  describe("every answer", () => {
    it("contains no key", () => {
      const captured = [...said, nodeRed.heard, nodeRed.log].join("\n");
      should(said.length).be.above(20);
      for (const key of [KEY, service.ready.api_key, SIGNER_KEY]) should(captured.includes(key)).be.false();
    });
  });
});

function tlsNode(id: string | undefined, cadata: string): FlowNode {
  const files = { cert: "", key: "", ca: "", certname: "", keyname: "", caname: "", servername: "" };
  return { ...files, id: String(id), type: "tls-config", verifyservercert: true, credentials: { cadata } };
}

function proxyNode(id: string, url: string): FlowNode {
  return { id, type: "http proxy", url, noproxy: [] };
}
