import { once } from "node:events";
import { request as forward, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import should from "should";
import type { Answer, Owner, ShownVariables, Tested } from "../../nodes/common/shared/form-types.ts";
import { thresholdWarnings } from "../../nodes/connection/signer-set.ts";
import type { RunningService } from "../../service/src/index.ts";
import {
  type Address,
  CrecClient,
  encodeFunctionCall,
  parseAbi,
  workflowOwnerFromOrgId,
} from "../../src/index.ts";
import { sendJson, startServer, startTcpServer } from "../http/support.ts";
import { type Certificate, selfSigned } from "../support/certificates.ts";
import { type FlowNode, NODES_OF_EXAMPLES, NodeRed, UserDir } from "../support/node-red.ts";
import { connectionNode } from "../support/nodes.ts";
import { ServiceProxy } from "../support/proxy.ts";
import { startTestService } from "../support/service.ts";

const STORED = "__PWRD__";
const KEY = "typed-key-0123456789";
const SIGNER_KEY = `0x${"5e".repeat(32)}`;
/** What only the environment says. */
const HIDDEN = "org_in_the_environment";
const HIDDEN_HOST = "host-in-the-environment.invalid";
/** As the preset for the local service fills them in. */
const VARIABLES = {
  baseUrl: "${CREC_BASE_URL}",
  graphqlUrl: "${CREC_GRAPHQL_URL}",
  orgId: "${CREC_ORG_ID}",
  creTenantId: "${CREC_TENANT_ID}",
  validSigners: "${CREC_VALID_SIGNERS}",
  minRequiredSignatures: "${CREC_MIN_SIGNATURES}",
};
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
      CREC_VALID_SIGNERS: service.ready.valid_signers.join(","),
      CREC_MIN_SIGNATURES: String(service.ready.min_required_signatures),
      HIDDEN_URL: `http://${HIDDEN_HOST}/v1`,
      HIDDEN_ORG: HIDDEN,
    };
    const settings = fileURLToPath(new URL("admin-auth-settings.cjs", import.meta.url));
    nodeRed = await NodeRed.start(userDir, env, { settings, token: "admin", define: [NODES_OF_EXAMPLES] });
    await nodeRed.deploy(config());
  });

  const config = () => [
    connectionNode(service.ready),
    connectionNode(service.ready, { id: "by-other-names", baseUrl: "${OTHER_URL}", graphqlUrl: "" }),
    connectionNode(service.ready, { id: "graphql-only", graphqlUrl: "${OTHER_URL}" }),
    connectionNode(service.ready, {
      id: "by-variables",
      ...VARIABLES,
      credentials: { apiKey: "${CREC_API_KEY}" },
    }),
    connectionNode(service.ready, {
      ...{ id: "moved-and-wrong", baseUrl: proxy.baseUrl, graphqlUrl: "", timeout: "0" },
      credentials: { apiKey: "${CREC_API_KEY}" },
    }),
    connectionNode(service.ready, { id: "hidden", baseUrl: "${HIDDEN_URL}", orgId: "${HIDDEN_ORG}" }),
    ...[good, expired, elsewhere].map(({ cert }, index) =>
      tlsNode(["good", "expired", "elsewhere"][index], cert),
    ),
    { id: "secrets-of-others", type: "http proxy", url: "${OTHER_URL}", noproxy: [] },
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
    should(answer.problem).match(/^[A-Za-z0-9].*[.)]( It said: .*)?$/s);
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
      should(answer).containDeep({
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
        /is not an account service \(HTTP 404\).*\/graphql.*It has 13 bytes\.$/,
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
      await fails({ baseUrl }, "TLS_ERROR", /self-signed.*TLS settings of the connection.*SELF_SIGNED/);
      should((await works({ baseUrl, tls: "good" })).networks).match([{ name: "Somewhere" }]);
      const old = { baseUrl: await serveTls(expired), tls: "expired" };
      await fails(old, "TLS_ERROR", /has expired.*CERT_HAS_EXPIRED/);
      const foreign = { baseUrl: await serveTls(elsewhere), tls: "elsewhere" };
      await fails(foreign, "TLS_ERROR", /is for another host name.*ALTNAME/);
      const plain = service.ready.base_url.replace("http:", "https:");
      await fails({ baseUrl: plain }, "TLS_ERROR", /does not use TLS on this port.*https or http/);
    });

    it("proxies that are unreachable, unknown, require a password or refuse; and one that works", async () => {
      const { base_url: baseUrl, api_key: apiKey } = service.ready;
      const through = (id: string) => ({ baseUrl, apiKey, proxy: id });
      await fails(
        through("no-proxy-there"),
        "PROXY_UNREACHABLE",
        /^The proxy at 127\.0\.0\.1:1 cannot be reached: nothing listens there.* the proxy of the connection/,
      );
      await fails(
        through("no-proxy-name"),
        "PROXY_UNREACHABLE",
        /^The proxy at no-such-host\.invalid:3128 cannot be reached: (?:its name cannot be resolved|DNS does not)/,
      );
      await deployProxies(await startProxy(407), await startProxy(502), await startProxy(200));
      await fails(
        through("proxy-0"),
        "PROXY_REFUSED",
        /refused the connection \(HTTP 407\): it requires a login/,
      );
      await fails(
        through("proxy-1"),
        "PROXY_REFUSED",
        /^The proxy at \S+ gets no answer of the service at \S+ \(HTTP 502\)\. .* and that the service runs/,
      );
      should((await works(through("proxy-2"))).networks).have.length(1);
      const busy = await serve((_request, response) =>
        sendJson(response, 503, { type: "UNAVAILABLE", message: "Later." }),
      );
      const own = { baseUrl: `${busy}/v1`, proxy: "proxy-2", timeout: "1" };
      await fails(
        own,
        "SERVICE_ERROR",
        /^The service failed \(HTTP 503\)\. Try again later\. It said: Later\.$/,
      );
    });

    it("proxies that are not trusted, or cut the connection: not the service is at fault", async () => {
      const baseUrl = "https://service.invalid/v1";
      const cutting = await startTcpServer((socket) => socket.once("data", () => socket.destroy()));
      open.push(cutting);
      const secure = new URL(await serveTls(selfSigned())).origin;
      await deployProxies(secure, cutting.url);
      await fails(
        { baseUrl, proxy: "proxy-0" },
        "PROXY_CERTIFICATE",
        /^No trusted connection to the proxy 127\.0\.0\.1:\d+: its certificate is self-signed.*NODE_EXTRA_CA_CERTS/,
      );
      await fails(
        { baseUrl, proxy: "proxy-1", timeout: "1" },
        "PROXY_REFUSED",
        /through the proxy 127\.0\.0\.1:\d+\) cannot be reached: the proxy closed the connection without an answer/,
      );
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
      await fails({ baseUrl: page }, "NO_SUCH_SERVICE", /HTTP 200.*must end with \/v1.*It has 13 bytes\.$/);
      await fails({ baseUrl: `${page}/v1` }, "NO_SUCH_SERVICE", /must not end with \/v1/);
      const moved = await serve((_request, response) => response.writeHead(302, { location: "/" }).end());
      await fails({ baseUrl: moved }, "NO_SUCH_SERVICE", /redirects to another address.*HTTP 302/);
      const secure = await serve((_request, response) =>
        response.writeHead(301, { location: "https://127.0.0.1/v1" }).end(),
      );
      await fails({ baseUrl: secure }, "NO_SUCH_SERVICE", /to https.* base URL .* begin with https:\/\/127/);
      const login = await serve((_request, response) => response.writeHead(401).end("<html>Log in"));
      await fails({ baseUrl: login }, "BAD_RESPONSE", /asks for another login than the API key/);
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
    const local = { id: "by-variables", ...VARIABLES, apiKey: "${CREC_API_KEY}" };

    it("comes from the environment as the deployed connection takes it from there", async () => {
      should(await works(local)).have.property("account", "Local developer");
      should(await works({ ...local, apiKey: STORED })).have.property("account", "Local developer");
      await works({ ...local, graphqlUrl: "" });
      await works({ ...local, apiKey: service.ready.api_key });
    });

    it("is not read from the environment before a deploy, and neither is an address", async () => {
      for (const apiKey of ["${CREC_API_KEY}", "${OTHER_KEY}", "${CREC_SIGNER_KEY}"]) {
        await fails({ baseUrl: service.ready.base_url, apiKey }, "DEPLOY_FIRST", /deploy/);
        await fails({ ...local, apiKey, id: "connection" }, "DEPLOY_FIRST", /deploy/);
      }
      for (const baseUrl of ["${CREC_BASE_URL}", "${OTHER_URL}", "${PATH}"]) {
        await fails({ baseUrl }, "DEPLOY_FIRST", /deploy/);
        await fails({ baseUrl: service.ready.base_url, graphqlUrl: baseUrl }, "DEPLOY_FIRST", /deploy/);
      }
    });

    it("is of no use in another field, and a variable of another field is not a key", async () => {
      for (const typed of [
        { baseUrl: "${CREC_API_KEY}", apiKey: KEY },
        { graphqlUrl: "${CREC_API_KEY}", apiKey: KEY },
        { graphqlUrl: "${CREC_BASE_URL}", apiKey: KEY },
        { baseUrl: proxy.baseUrl, apiKey: "${CREC_ORG_ID}" },
        { baseUrl: "${__proto__}" },
      ]) {
        await fails({ ...local, ...typed }, "DEPLOY_FIRST", /deploy/);
      }
      should(proxy.passed).be.empty();
    });

    it("is never sent from the environment to another address, or another way", async () => {
      for (const typed of [
        { baseUrl: proxy.baseUrl },
        { graphqlUrl: proxy.baseUrl },
        { baseUrl: proxy.baseUrl, graphqlUrl: "" },
        { proxy: "no-proxy-there" },
        { tls: "good" },
      ]) {
        await fails({ ...local, ...typed }, "DEPLOY_FIRST", /only sent to the addresses that it is deployed/);
      }
      should(proxy.passed).be.empty();
    });

    it("is not sent from the environment where another wrong field hides that the address is not from there", async () => {
      const moved = { id: "moved-and-wrong", baseUrl: proxy.baseUrl, graphqlUrl: "", timeout: "10" };
      await fails({ ...moved, apiKey: "${CREC_API_KEY}" }, "DEPLOY_FIRST", /only sent to the addresses/);
      await fails({ ...moved, apiKey: STORED }, "KEY_MISSING", /Enter the API key again/);
      should(proxy.passed).be.empty();
    });

    it("is never sent by an error that says what a variable stands for", async () => {
      const hidden = { id: "hidden", baseUrl: "${HIDDEN_URL}", graphqlUrl: "" };
      const { problem = "" } = await test(hidden);
      should(problem).containEql("${HIDDEN_URL}");
      should(problem).not.containEql(HIDDEN_HOST);
    });

    it("is only sent from the store to the stored addresses, including the account URL", async () => {
      const { base_url: baseUrl, graphql_url: graphqlUrl } = service.ready;
      const stored = { id: "connection", apiKey: STORED, baseUrl, graphqlUrl };
      should(await works(stored)).have.property("account", "Local developer");
      for (const changed of [
        { baseUrl: proxy.baseUrl },
        { graphqlUrl: proxy.baseUrl },
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

    it("is known for variables that the deployed connection has in the same fields, and for no others", async () => {
      const { orgId, creTenantId } = VARIABLES;
      const local = { id: "by-variables", orgId, creTenantId };
      should(await ownerOf(local)).deepEqual({ owner: service.ready.workflow_owner, differs: false });
      const nobody = { owner: "", differs: false };
      for (const orgId of ["", null]) should(await ownerOf({ ...local, orgId })).deepEqual(nobody);
      should(await ownerOf({})).deepEqual(nobody);
      for (const asked of [
        { ...local, id: "new" },
        { ...local, orgId: "${CREC_TENANT_ID}" },
        { ...local, orgId: "${CREC_API_KEY}" },
      ]) {
        should(((await ownerOf(asked)) as { code?: string }).code).equal("DEPLOY_FIRST");
      }
    });
  });

  describe("the settings that proofs are checked against", () => {
    const SOMEONE = `0x${"11".repeat(20)}`;
    const form = () => {
      const { ready } = service;
      return {
        ...{ baseUrl: ready.base_url, graphqlUrl: ready.graphql_url, apiKey: ready.api_key },
        ...{ orgId: ready.org_id, creTenantId: ready.cre_tenant_id, workflowOwner: "" },
        validSigners: ready.valid_signers.join("\n"),
        minRequiredSignatures: String(ready.min_required_signatures),
      };
    };
    /** As `ok organization`. */
    const found = async (typed: Record<string, unknown> = {}) => {
      const { checks } = await works({ ...form(), ...typed });
      return checks.map(({ state, text }) => `${state} ${text}`);
    };
    const sentence = async (text: string, typed: Record<string, unknown>) => {
      const { checks } = await works({ ...form(), ...typed });
      return checks.find((check) => check.text === text)?.values;
    };
    const FITS = ["ok organization", "ok tenant", "ok owner-of-organization", "ok signers"];

    before(() => askOneQuery(service));

    it("are compared with the account; without an event with a proof, signers are not checked", async () => {
      // The same service, as it answers before there is a channel.
      const empty = await ServiceProxy.before(service.ready.base_url);
      open.push(empty);
      empty.harm = ({ path }) =>
        path.endsWith("/channels")
          ? { kind: "answer", status: 200, body: JSON.stringify({ data: [], has_more: false }) }
          : undefined;
      const { baseUrl } = empty;
      should(await found({ baseUrl })).deepEqual(["ok organization", "ok tenant", "unchecked proof-none"]);
      should(await found({ baseUrl, graphqlUrl: "" })).deepEqual([
        "unchecked organization-without-account",
        "unchecked tenant-without-account",
        "unchecked proof-none",
      ]);
      should(await sentence("organization-differs", { orgId: "org_other" })).deepEqual({
        ...{ account: service.ready.org_id, form: "org_other" },
      });
      should(await found({ creTenantId: "99", orgId: "" })).containDeep([
        "problem organization-empty",
        "problem tenant-differs",
      ]);
    });

    it("are not checked where the account does not tell them", async () => {
      const graphqlUrl = await serve((_request, response) =>
        sendJson(response, 200, {
          data: { getAccountDetails: null, getOrganization: { organizationId: service.ready.org_id } },
        }),
      );
      should(await found({ graphqlUrl })).containDeep(["ok organization", "unchecked tenant-not-told"]);
    });

    it("are checked on a real proof, and what does not fit is said", async () => {
      should(await found()).deepEqual(FITS);
      should(await found({ orgId: "org_other" })).deepEqual([
        "problem organization-differs",
        "ok tenant",
        "problem owner-of-organization-differs",
        "ok signers",
      ]);
      should(await found({ orgId: "", workflowOwner: SOMEONE })).deepEqual([
        "unchecked organization-by-owner",
        "problem owner-differs",
        "ok signers",
      ]);
      should(await found({ validSigners: SOMEONE, minRequiredSignatures: "1" })).containDeep([
        "problem signers-unknown",
      ]);
      should(await found({ minRequiredSignatures: "5" })).containDeep(["problem signers-too-few"]);
      should(await found({ validSigners: "" })).containDeep([
        "unchecked owner-empty",
        "unchecked signers-empty",
      ]);
      const { valid_signers: all, min_required_signatures: threshold } = service.ready;
      const signed = await sentence("signers", {});
      should(signed).containDeep({ matching: threshold, threshold: String(threshold) });
      // One of those who signed is left out: the others are too few.
      const [left] = await Promise.all(
        all.map(async (signer) => ({
          signer,
          values: await sentence("signers-missing", {
            validSigners: all.filter((one) => one !== signer).join("\n"),
          }),
        })),
      ).then((tried) => tried.filter(({ values }) => values !== undefined));
      should(String(left?.values?.signer).toLowerCase()).equal(left?.signer.toLowerCase());
      should(left?.values).containDeep({ matching: threshold - 1, count: threshold });
    });

    it("are read from the environment as they are deployed, and never shown", async () => {
      const deployed = { id: "by-variables", ...VARIABLES, apiKey: STORED };
      should(await found(deployed)).deepEqual(FITS);
      const { checks } = await works({ ...form(), id: "hidden", orgId: "${HIDDEN_ORG}" });
      should(checks).containDeep([
        { text: "organization-differs", values: { account: service.ready.org_id, form: "${HIDDEN_ORG}" } },
      ]);
      should(JSON.stringify(checks)).not.containEql(HIDDEN);
      // Another variable, or that of another field, is not read.
      for (const orgId of ["${CREC_API_KEY}", "${HIDDEN_ORG}", "${CREC_TENANT_ID}"]) {
        const other = await found({ ...deployed, orgId });
        should(other).containDeep(["unchecked variable", "unchecked proof-variable"]);
      }
    });
  });

  describe("what its variables stand for", () => {
    const shown = async (id: string, fields: Record<string, unknown>) => {
      const answer = await (await post("crec/variables", { id, fields })).json();
      said.push(JSON.stringify(answer));
      return (answer as ShownVariables).variables;
    };

    it("is shown for a variable that the deployed node has in the same field; secrets are masked", async () => {
      const { ready } = service;
      const key = { name: "CREC_API_KEY", state: "secret", length: ready.api_key.length };
      should(await shown("by-variables", { ...VARIABLES, apiKey: STORED, timeout: "10" })).containDeep({
        baseUrl: { name: "CREC_BASE_URL", state: "set", value: ready.base_url },
        orgId: { name: "CREC_ORG_ID", state: "set", value: ready.org_id },
        minRequiredSignatures: { state: "set", value: String(ready.min_required_signatures) },
        apiKey: key,
      });
      should(await shown("by-variables", { apiKey: "${CREC_API_KEY}", timeout: "10" })).deepEqual({
        apiKey: key,
      });
      // A typed key is not a variable.
      should(await shown("connection", { apiKey: STORED, baseUrl: ready.base_url })).deepEqual({});
    });

    it("is not known for any other variable, field or node", async () => {
      for (const [id, fields] of [
        ["by-variables", { baseUrl: "${CREC_API_KEY}" }],
        ["by-variables", { orgId: "${HIDDEN_ORG}" }],
        ["by-variables", { graphqlUrl: "${CREC_BASE_URL}" }],
        ["by-variables", { apiKey: "${OTHER_KEY}" }],
        ["by-variables", { __proto__: "${CREC_API_KEY}", constructor: "${PATH}" }],
        ["connection", { apiKey: "${CREC_API_KEY}" }],
        ["new", { baseUrl: "${CREC_BASE_URL}" }],
      ] as const) {
        const states = Object.values(await shown(id, fields)).map(({ state }) => state);
        should(states).deepEqual(Object.keys(fields).map(() => "undeployed"));
      }
      should(await shown("secrets-of-others", { url: "${OTHER_URL}" })).deepEqual({});
      for (const nothing of [{}, [], { id: 1, fields: "x" }, { fields: [[]] }]) {
        should(await (await post("crec/variables", nothing)).json()).deepEqual({ variables: {} });
      }
    });

    it("is masked if its name or the flow says that it is a secret, and said to be missing if it is not set", async () => {
      const odd = {
        ...{
          orgId: "${CREC_SIGNER_KEY}",
          creTenantId: "${ODD_MISSING}",
          workflowOwner: "${FLOW_CREDENTIAL}",
        },
        baseUrl: "${FLOW_VARIABLE}",
      };
      const env = [
        { name: "FLOW_CREDENTIAL", type: "cred", value: "" },
        { name: "FLOW_VARIABLE", type: "str", value: "http://of-the-flow.invalid" },
      ];
      await nodeRed.deploy([
        ...config(),
        { id: "odd-tab", type: "tab", label: "odd", env, credentials: { FLOW_CREDENTIAL: HIDDEN } },
        { ...connectionNode(service.ready, { id: "odd", ...odd }), z: "odd-tab" },
      ]);
      const { orgId, creTenantId, workflowOwner, baseUrl } = await shown("odd", odd);
      should(orgId).have.property("state", "secret");
      should(creTenantId).have.property("state", "unset");
      should(workflowOwner).have.properties({ state: "secret", length: HIDDEN.length });
      should(baseUrl).have.properties({ state: "set", value: "http://of-the-flow.invalid" });
    });

    it("is masked if the value looks like a key or has a password, and two variables are not one", async () => {
      const odd = {
        ...{ orgId: "${CREC_SIGNER}", baseUrl: "${WITH_PASSWORD}", creTenantId: "${TOKEN_ADDRESS}" },
        ...{ graphqlUrl: "${CREC_ORG_ID}${HIDDEN_ORG}", workflowOwner: "${SESSION_TOKEN}" },
        minRequiredSignatures: "${CREC_MONITORING_TOKEN}",
      };
      const variable = (name: string, value: string) => ({ name, type: "str", value });
      const env = [
        variable("WITH_PASSWORD", "http://user:pass@of-the-flow.invalid/v1"),
        variable("TOKEN_ADDRESS", `0x${"ab".repeat(20)}`),
        variable("SESSION_TOKEN", "of a session"),
        variable("CREC_MONITORING_TOKEN", "of the metrics"),
      ];
      await nodeRed.deploy([
        ...config(),
        { id: "odd-tab", type: "tab", label: "odd", env },
        { ...connectionNode(service.ready, { id: "odd", ...odd }), z: "odd-tab" },
        {
          ...{ id: "of-others", type: "mqtt-broker", z: "odd-tab", d: true, broker: "h" },
          credentials: { password: "${CREC_EVIL_URL}" },
        },
      ]);
      const { orgId, baseUrl, creTenantId, graphqlUrl, workflowOwner, minRequiredSignatures } = await shown(
        "odd",
        odd,
      );
      should(orgId).have.property("state", "secret");
      should(minRequiredSignatures).have.property("state", "secret");
      should(baseUrl).have.property("state", "secret");
      should(workflowOwner).have.property("state", "secret");
      should(creTenantId).have.properties({ state: "set", value: `0x${"ab".repeat(20)}` });
      should(graphqlUrl).have.property("state", "unset");
      should(await shown("of-others", { password: STORED })).deepEqual({});
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
      should(await statuses("crec/variables")).deepEqual([401, 401, 401, 200]);
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
      for (const key of [KEY, service.ready.api_key, SIGNER_KEY, HIDDEN])
        should(captured.includes(key)).be.false();
    });
  });
});

/** Its signed result is an event with a proof. */
async function askOneQuery({ ready }: RunningService): Promise<void> {
  const client = new CrecClient({ baseUrl: ready.base_url, apiKey: ready.api_key });
  try {
    const { channel_id } = await client.channels.create({ name: "with a proof" });
    const { query_id } = await client.queries.create(channel_id, {
      chain_selector: ready.chain_selector,
      params: {
        contract_address: ready.contracts.Counter as Address,
        call_data: encodeFunctionCall({
          abi: parseAbi("function count() view returns (uint256)"),
          function: "count",
          args: [],
        }).data,
        block_selection: { type: "latest" },
      },
    });
    await client.queries.waitFor(channel_id, query_id);
  } finally {
    await client.close();
  }
}

function tlsNode(id: string | undefined, cadata: string): FlowNode {
  const files = { cert: "", key: "", ca: "", certname: "", keyname: "", caname: "", servername: "" };
  return { ...files, id: String(id), type: "tls-config", verifyservercert: true, credentials: { cadata } };
}

function proxyNode(id: string, url: string): FlowNode {
  return { id, type: "http proxy", url, noproxy: [] };
}
