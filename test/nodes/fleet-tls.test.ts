import { createPrivateKey } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import should from "should";
import { fleetOfEnvironment, inPlace, tlsOfEnvironment, tlsProblem } from "../../nodes/common/fleet/fleet.ts";
import { nodeError } from "../../nodes/common/shared/errors.ts";
import { networkProblem } from "../../src/fleet/network-reason.ts";
import { selfSigned } from "../support/certificates.ts";
import { eventually } from "../support/eventually.ts";
import { FleetCopy, fleetNode } from "../support/fleet-harness.ts";
import { harnessFlow } from "../support/flow-harness.ts";
import { type FlowNode, freshId } from "../support/node-red.ts";
import { channelNode, connectionNode, eventsInNode } from "../support/nodes.ts";
import { hasRedis, RedisServer } from "../support/redis.ts";
import { type Seeded, startSeededService } from "../support/seeded-service.ts";
import { describeWide } from "../support/wide.ts";

const VARIABLES = ["CREC_FLEET_URL", "CREC_FLEET_CA", "CREC_FLEET_CERT", "CREC_FLEET_KEY"] as const;
const PASSPHRASE = "a-passphrase-that-must-not-leave";
const LOCK = { type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: PASSPHRASE } as const;
const INCOMPLETE = { code: "FLEET_INCOMPLETE" };
const authority = selfSigned();
const other = selfSigned();

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "crec-fleet-tls-"));
});
after(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
const file = async (name: string, text: string): Promise<string> => {
  await writeFile(join(folder, name), text);
  return join(folder, name);
};

describe("TLS of a shared state, before anything is sent", () => {
  const known = new Map(VARIABLES.map((name) => [name, process.env[name]]));
  const set = (values: Partial<Record<(typeof VARIABLES)[number], string>>): void => {
    for (const name of VARIABLES) {
      const value = values[name];
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
  afterEach(() => set(Object.fromEntries([...known].filter(([, value]) => value !== undefined))));

  it("is that of the files which the environment names", async () => {
    set({});
    should(tlsOfEnvironment()).be.undefined();
    set({
      CREC_FLEET_CA: await file("ca.pem", `${authority.cert}${other.cert}`),
      CREC_FLEET_CERT: await file("cert.pem", other.cert),
      CREC_FLEET_KEY: ` ${await file("key.pem", other.key)} `,
    });
    const tls = tlsOfEnvironment();
    should(tls).deepEqual({ ca: `${authority.cert}${other.cert}`, ...other });
    should(tlsProblem("rediss://host", tls)).be.undefined();
  });

  it("names the variable of a file that cannot be used, and not its value", async () => {
    const secret = await file("secret-name.pem", "no certificate");
    const torn = await file("torn.pem", authority.cert.replace(/.{40}\n-----END/s, "\n-----END"));
    for (const [values, sentence] of [
      [{ CREC_FLEET_CA: join(folder, "missing.pem") }, /CREC_FLEET_CA names cannot be read \(ENOENT\)/],
      [{ CREC_FLEET_CA: folder }, /CREC_FLEET_CA names cannot be read \(EISDIR\)/],
      [{ CREC_FLEET_CA: secret }, /CREC_FLEET_CA names is not a certificate in PEM/],
      [{ CREC_FLEET_CA: torn }, /CREC_FLEET_CA names is not a certificate in PEM/],
      [{ CREC_FLEET_KEY: secret }, /CREC_FLEET_KEY names is not a private key in PEM/],
      [{ CREC_FLEET_CERT: await file("cert.pem", other.cert) }, /Only one of .*CREC_FLEET_CERT and/],
    ] as const) {
      set({ CREC_FLEET_URL: "rediss://host", ...values });
      should(tlsOfEnvironment).throw(INCOMPLETE);
      const { problem } = fleetOfEnvironment() ?? {};
      should(problem?.message).match(sentence);
      should(problem?.message).not.containEql(folder);
    }
  });

  it("is refused for a URL without TLS, and with a key that cannot be opened", () => {
    const tls = { ca: authority.cert };
    for (const url of [
      "redis://h",
      "postgres://h/d?sslmode=disable",
      "postgres://h/d?a=b&sslmode=disable&c=d",
    ])
      should(tlsProblem(url, tls)).match({
        ...INCOMPLETE,
        message: /URL is one without TLS\. Nothing was sent/,
      });
    for (const url of ["rediss://h", "postgres://h/d", "postgres://h/d?sslmode=disabled"])
      should(tlsProblem(url, tls)).be.undefined();
    should(tlsProblem("redis://h", undefined)).be.undefined();
    const locked = { cert: other.cert, key: createPrivateKey(other.key).export(LOCK) as string };
    should(tlsProblem("rediss://h", { ...locked, passphrase: PASSPHRASE })).be.undefined();
    for (const wrong of [locked, { ...locked, passphrase: "wrong" }, { ...other, key: authority.key }])
      should(tlsProblem("rediss://h", wrong)).match({
        ...INCOMPLETE,
        message: /passphrase is wrong \(ERR_OSSL/,
      });
  });

  it("has its place in sentences: a field or a variable instead of an option", () => {
    const said = (code: string, isOfEnvironment: boolean) =>
      inPlace(nodeError("X", networkProblem(code)?.reason ?? ""), isOfEnvironment).message;
    const [untrusted, required] = ["SELF_SIGNED_CERT_IN_CHAIN", "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED"];
    for (const code of [untrusted, required, "ERR_OSSL_BAD_DECRYPT"])
      should(said(code, false)).match(/under TLS in the shared state$/);
    should(said(untrusted, true)).match(/in a file that the environment variable CREC_FLEET_CA names$/);
    should(said(required, true)).match(/in files that .* CREC_FLEET_CERT and CREC_FLEET_KEY name$/);
    should(said("ECONNREFUSED", true)).match(/nothing listens/);
  });
});

describeWide("a shared state behind a private certificate authority", function () {
  this.timeout(120_000);

  let service: Seeded;
  let server: RedisServer;
  let url: string;
  let copy: FleetCopy;
  const client = selfSigned();

  before(async function () {
    if (!hasRedis()) return this.skip();
    [service, server] = await Promise.all([
      startSeededService(2),
      RedisServer.start({ certificate: authority, clientAuthority: client.cert }),
    ]);
    url = server.url.replace("redis:", "rediss:");
    copy = await FleetCopy.start("pod-a", {
      CREC_FLEET_URL: url,
      CREC_FLEET_CA: await file("ca.pem", authority.cert),
      CREC_FLEET_CERT: await file("cert.pem", client.cert),
      CREC_FLEET_KEY: await file("key.pem", client.key),
    });
  });
  after(async () => {
    for (const text of [copy?.nodeRed.log, copy?.nodeRed.heard]) {
      should(text ?? "").not.containEql(PASSPHRASE);
      should(text ?? "").not.containEql(server?.password ?? PASSPHRASE);
    }
    await copy?.close();
    await Promise.all([service?.close(), server?.remove()]);
  });

  const locked = createPrivateKey(client.key).export(LOCK) as string;
  const TRUST = { cadata: authority.cert, certdata: client.cert, keydata: locked, passphrase: PASSPHRASE };
  const tlsNode = (credentials: object, properties: Partial<FlowNode> = {}): FlowNode => ({
    ...{ id: "tls", type: "tls-config", cert: "", key: "", ca: "", certname: "c", keyname: "k", caname: "a" },
    ...{ servername: "", verifyservercert: true, alpnprotocol: "", credentials, ...properties },
  });
  const flowWith = (fleet: FlowNode | undefined, more: readonly FlowNode[]): FlowNode[] => {
    const config = [connectionNode(service.ready), channelNode({ channel: service.channelName })];
    const reader = eventsInNode({ id: "reader", verify: false, fleet: fleet?.id ?? "" });
    return harnessFlow([...config, ...(fleet ? [fleet] : []), ...more], [[reader, 3]]);
  };
  /** Each reader is a new one, and begins with the first event. */
  const reads = async (fleet?: FlowNode, ...more: FlowNode[]): Promise<void> => {
    const before = copy.sent("reader").length;
    await copy.nodeRed.deploy(flowWith(fleet, more));
    await copy.arrived("reader", before + 1);
  };
  const says = async (sentence: RegExp, fleet?: FlowNode, ...more: FlowNode[]): Promise<void> => {
    const told = () => [copy.nodeRed.log, copy.nodeRed.heard];
    const before = told().map(({ length }) => length);
    await copy.nodeRed.deploy(flowWith(fleet, more));
    await eventually(String(sentence), () =>
      told().some((text, index) => sentence.test(text.slice(before[index]))),
    );
  };
  const post = async (body: object) => {
    const headers = { "content-type": "application/json" };
    const asked = { id: "fleet", servers: "url", namespace: "tested", lease: "15", tls: "tls", ...body };
    const init = { method: "POST", headers, body: JSON.stringify(asked) };
    return (await (await copy.nodeRed.fetch("crec/fleet/test", init)).json()) as Record<string, unknown>;
  };

  it("is read with a TLS configuration, which the test uses too", async () => {
    await reads(fleetNode(`${url} typed-1`, { tls: "tls" }), tlsNode(TRUST));
    should(await post({ url })).have.property("engine", `Redis at 127.0.0.1:${server.port}`);
    should(await post({ url: "__PWRD__" })).have.property("engine");
    // What is stored goes nowhere with another trust.
    should(await post({ url: "__PWRD__", tls: "" })).have.property("code", "KEY_MISSING");
    should(await post({ url, tls: "undeployed" })).have.property("code", "DEPLOY_FIRST");
    should(await post({ url: server.url })).have.property("code", "FLEET_INCOMPLETE");
    const untrusted = await post({ url, tls: "_ADD_" });
    should(untrusted).have.property("code", "SHARED_STATE_REFUSED");
    should(untrusted.problem).match(/certificate of its authority under TLS in the shared state/);
  });

  it("says without one what to choose, and where", async () => {
    const plain = fleetNode(`${url} typed-2`, { id: "plain" });
    await says(/not trusted \([A-Z_]+\); give .* authority under TLS in the shared state/, plain);
    const { certdata: _cert, keydata: _key, ...unknown } = TRUST;
    const nameless = fleetNode(`${url} typed-3`, { id: "nameless", tls: "tls" });
    await says(/requires a client certificate.*under TLS in the shared state/, nameless, tlsNode(unknown));
  });

  it("uses no TLS configuration by halves", async () => {
    const fleet = (given = url) => fleetNode(given, { id: freshId(), tls: "tls" });
    await says(/passphrase is wrong/, fleet(), tlsNode({ ...TRUST, passphrase: "wrong" }));
    await says(/chosen TLS configuration of the shared state is not in the flows any more/, fleet());
    await says(
      /files of the TLS configuration of the shared state cannot be read/,
      fleet(),
      tlsNode({}, { ca: join(folder, "missing.pem") }),
    );
    await says(/URL is one without TLS\. Nothing was sent/, fleet(server.url), tlsNode(TRUST));
  });

  it("gets what is stored only with the trust it was entered for", async () => {
    const bound = fleetNode(`${url} typed-4`, { id: "bound", tls: "tls" });
    await reads(bound, tlsNode(TRUST));
    const { credentials: _own, ...stored } = bound;
    for (const changed of [
      tlsNode({ ...TRUST, cadata: authority.cert + other.cert }),
      tlsNode(TRUST, { verifyservercert: false }),
      tlsNode(TRUST, { servername: "attacker.example" }),
    ])
      await says(/was entered for the host of its URL and TLS: .*Nothing was sent/, stored, changed);
    should(await (await copy.nodeRed.fetch("crec/fleet/bound/secrets")).json()).deepEqual({
      needsConfirmation: true,
    });
    await reads(stored, tlsNode(TRUST));
    // PostgreSQL would get the password without a checked certificate.
    const lax = fleetNode("postgres://u:p@127.0.0.1:9/d typed-5", { id: "lax", tls: "tls" });
    await says(/nothing listens/, lax, tlsNode(TRUST));
    const { credentials: _also, tls: _tls, ...without } = lax;
    await says(/would now be sent to the host of its URL\. Nothing was sent/, without as FlowNode);
  });

  it("is read by the files that the environment names, as they are at a deploy", async () => {
    // A new reader begins after a lease: that it has one is enough.
    const isReading = /This copy reads the channel/;
    await says(isReading);
    await file("ca.pem", other.cert);
    await says(/not trusted .* in a file that the environment variable CREC_FLEET_CA names/);
    await file("ca.pem", "torn");
    await says(/CREC_FLEET_CA names is not a certificate in PEM format/);
    await file("ca.pem", authority.cert);
    await says(isReading);
    // A shared state without a URL has them too, and a TLS configuration takes their place.
    await says(isReading, fleetNode("", { id: "empty" }));
    const { certdata: _cert, keydata: _key, ...unknown } = TRUST;
    await says(/requires a client certificate/, fleetNode("", { id: "own", tls: "tls" }), tlsNode(unknown));
  });
});
