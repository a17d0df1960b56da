import should from "should";
import { isNamespace, isSentinelList } from "../../nodes/fleet/checks.ts";
import { type Borrowed, borrowNodeRed } from "../support/borrowed-node-red.ts";
import { fleetNode } from "../support/fleet-harness.ts";
import { type FlowNode, freshId } from "../support/node-red.ts";
import { hasPostgres, PostgresServer } from "../support/postgres.ts";

const PASSWORD = "test-secret-that-must-not-leave";
/** Nothing listens there. */
const NOWHERE = `redis://:${PASSWORD}@127.0.0.1:9`;
const SENTINELS = { servers: "sentinel", sentinels: "127.0.0.1:9", master: "mymaster" };

describe("the fields of a shared state", () => {
  const other = () => "";
  it("take sentinels with or without a port, one per line or with commas", () => {
    for (const text of ["a", "a:26379", "a:1, b.example:2\n[::1]:3", "10.0.0.1:26379"])
      should(isSentinelList(text, other)).be.true();
    for (const text of ["", ",", "a:0", "a:65536", "a:b", "redis://a", "user@a:1", "a:1:2"])
      should(isSentinelList(text, other)).be.false();
  });

  it("take a namespace that is a name in every engine", () => {
    for (const text of ["crec", "a", "flow_2"]) should(isNamespace(text, other)).be.true();
    for (const text of ["", "Crec", "2", "a-b", "a".repeat(32)]) should(isNamespace(text, other)).be.false();
  });
});

describe("a shared state in the flow", function () {
  this.timeout(120_000);

  let borrowed: Borrowed;
  before(async () => {
    borrowed = await borrowNodeRed();
  });
  after(async () => {
    for (const text of [borrowed.nodeRed.log, borrowed.nodeRed.heard]) should(text).not.containEql(PASSWORD);
    await borrowed.giveBack();
  });

  /** Each test its own, so that nothing is known about it. */
  let id: string;
  beforeEach(() => {
    id = freshId();
  });
  const flow = (properties: Partial<FlowNode>): FlowNode[] => [
    { id: "fleet-tab", type: "tab", label: "fleet" },
    fleetNode(NOWHERE, { id, ...properties }),
  ];
  const post = async (body: object) => {
    const headers = { "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify({ id, ...body }) };
    return (await (await borrowed.nodeRed.fetch("crec/fleet/test", init)).json()) as Record<string, unknown>;
  };
  const needsConfirmation = async () =>
    ((await (await borrowed.nodeRed.fetch(`crec/fleet/${id}/secrets`)).json()) as Record<string, unknown>)
      .needsConfirmation;

  it("says what is missing or wrong", async () => {
    for (const [properties, sentence] of [
      [{ credentials: { url: "" } }, /The shared state has no URL, and .* CREC_FLEET_URL is not set/],
      [{ credentials: { url: "mysql://host" } }, /does not begin with postgres:\/\//],
      [{ servers: "sentinel" }, /sentinels of the shared state, or the name of the master, are missing/],
      [{ ...SENTINELS, credentials: { url: "postgres://host/db" } }, /Only Redis has sentinels/],
      [{ namespace: "Not One" }, /namespace of the shared state must begin/],
      [{ lease: "0.1" }, /"Lease" cannot be "0.1"/],
    ] as const) {
      const before = borrowed.nodeRed.log.length;
      await borrowed.nodeRed.deploy(flow(properties));
      should(borrowed.nodeRed.log.slice(before)).match(sentence);
    }
  });

  it("keeps what is stored at the servers it was entered for", async () => {
    await borrowed.nodeRed.deploy(flow({ ...SENTINELS, credentials: { url: `${NOWHERE} typed-1` } }));
    should(await needsConfirmation()).be.false();
    const { credentials: _own, ...elsewhere } = fleetNode(NOWHERE, {
      ...{ id, ...SENTINELS, sentinels: "attacker.example:26379" },
    });
    const moved = [{ id: "fleet-tab", type: "tab", label: "fleet" }, elsewhere];
    await borrowed.nodeRed.deploy(moved);
    should(await needsConfirmation()).be.true();
    should(borrowed.nodeRed.log).match(/was entered for the sentinel 127\.0\.0\.1:9 and the master mymaster/);
    // Entered again, for these servers.
    await borrowed.nodeRed.deploy(
      moved.map((node) => (node.id === id ? { ...node, credentials: { url: `${NOWHERE} typed-2` } } : node)),
    );
    should(await needsConfirmation()).be.false();
  });

  it("keeps that whatever the id of a connection is", async () => {
    await borrowed.nodeRed.deploy(flow({ ...SENTINELS, credentials: { url: `${NOWHERE} typed-6` } }));
    const { credentials: _own, ...here } = fleetNode(NOWHERE, { id, ...SENTINELS });
    const elsewhere = { ...here, sentinels: "attacker.example:26379" };
    const tab = { id: "fleet-tab", type: "tab", label: "fleet" };
    const twin = {
      ...{ id: `${id} url`, type: "crec-connection", baseUrl: "http://127.0.0.1:9" },
      credentials: { apiKey: "another" },
    };
    await borrowed.nodeRed.deploy([tab, here, twin]);
    should(await needsConfirmation()).be.false();
    await borrowed.nodeRed.deploy([tab, twin, elsewhere]);
    should(await needsConfirmation()).be.true();
  });

  it("tests with what is stored only at the deployed servers", async () => {
    const stored = { url: "__PWRD__", sentinelPassword: "", namespace: "", lease: "15" };
    await borrowed.nodeRed.deploy(flow({ ...SENTINELS, credentials: { url: `${NOWHERE} typed-3` } }));
    for (const servers of [{ servers: "url" }, { ...SENTINELS, sentinels: "attacker.example:26379" }])
      should(await post({ ...stored, ...servers })).have.property("code", "KEY_MISSING");
    const asked = await post({ ...stored, ...SENTINELS });
    should(asked).have.property("code", "SHARED_STATE_UNREACHABLE");
    should(JSON.stringify(asked)).not.containEql(PASSWORD);
    const variable = await post({ ...stored, url: "${CREC_API_KEY}", servers: "url" });
    should(variable).have.property("code", "DEPLOY_FIRST");
  });

  it("never sends the password of sentinels without TLS that was entered with it", async () => {
    const secure = { url: `${NOWHERE.replace("redis:", "rediss:")} typed-4`, sentinelPassword: "a typed-4" };
    await borrowed.nodeRed.deploy(flow({ ...SENTINELS, credentials: secure }));
    const readable = { ...SENTINELS, url: "redis://127.0.0.1:9", namespace: "" };
    should(await post({ ...readable, sentinelPassword: "__PWRD__" })).have.property("code", "KEY_MISSING");
    const readableFlow = flow({ ...SENTINELS, credentials: { ...secure, url: `${NOWHERE} typed-5` } });
    await borrowed.nodeRed.deploy(readableFlow);
    should(await needsConfirmation()).be.true();
    should(await post({ ...readable, sentinelPassword: "__PWRD__" })).have.property(
      "code",
      "KEY_NEEDS_CONFIRMATION",
    );
    // Typed again, it can be tested before the deploy.
    const typed = await post({ ...readable, sentinelPassword: "b" });
    should(typed).have.property("code", "SHARED_STATE_UNREACHABLE");
  });

  it("says in its test which server it is, and what is wrong with the password", async function () {
    if (!hasPostgres()) return this.skip();
    const server = await PostgresServer.start();
    const typed = (url: string) => post({ url, servers: "url", namespace: "tested", lease: "15" });
    const answer = await typed(server.url);
    should(String(answer.engine)).startWith("PostgreSQL");
    should(answer.roundTripMs).be.a.Number();
    const refused = await typed(server.urlAt(server.port, { password: "wrong" }));
    should(refused).have.property("code", "SHARED_STATE_REFUSED");
    await server.remove();
  });
});
