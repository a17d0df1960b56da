import { Redis } from "ioredis";
import postgres from "postgres";
import should from "should";
import { alertNode } from "../../support/alert-harness.ts";
import { selfSigned } from "../../support/certificates.ts";
import { eventually } from "../../support/eventually.ts";
import { FleetCopy, fleetNode } from "../../support/fleet-harness.ts";
import { harnessFlow } from "../../support/flow-harness.ts";
import type { FlowNode } from "../../support/node-red.ts";
import { channelNode, connectionNode, eventsInNode, verifyEventNode } from "../../support/nodes.ts";
import { submitNode } from "../../support/operation-nodes.ts";
import { hasPostgres, PostgresServer } from "../../support/postgres.ts";
import { hasRedis, RedisServer } from "../../support/redis.ts";
import { type Seeded, startSeededService } from "../../support/seeded-service.ts";

const TOKEN = "a-token-that-is-long-enough";
const headers = { authorization: `Bearer ${TOKEN}` };

type Reason = { code: string; message: string; node: string };
type Seen = { http: number; live: number; reasons: Reason[] };

/** What a readiness probe sees of a copy whose shared state does not do what it is asked for. */
describe("the health of a copy with a shared state", function () {
  this.timeout(120_000);

  let service: Seeded;
  let copy: FleetCopy;

  before(async () => {
    [service, copy] = await Promise.all([
      startSeededService(1),
      FleetCopy.start("pod-a", { CREC_MONITORING_TOKEN: TOKEN }),
    ]);
  });
  after(async () => {
    await copy?.close();
    await service?.close();
  });

  const deploy = (node: FlowNode, url: string, more: Partial<FlowNode> = {}) => {
    const config = [connectionNode(service.ready), channelNode({ channel: service.channelName })];
    return copy.nodeRed.deploy(
      harnessFlow([...config, fleetNode(url, more)], [[{ ...node, fleet: "fleet" }, 3]]),
    );
  };
  const health = async (): Promise<Seen> => {
    const response = await copy.nodeRed.fetch("crec/health", { headers });
    const { reasons } = (await response.json()) as { reasons: Reason[] };
    return { http: response.status, live: (await copy.nodeRed.fetch("crec/health/live")).status, reasons };
  };
  const becomes = (http: number, codes: string[]) =>
    eventually(
      `the answer ${http} with ${codes.join(", ")}`,
      health,
      (seen) => seen.http === http && codes.every((one) => seen.reasons.some(({ code }) => code === one)),
    );
  const reader = () => eventsInNode({ id: "node" });

  describe("in Redis", () => {
    let server: RedisServer;
    let admin: Redis;

    before(async function () {
      if (!hasRedis()) return this.skip();
      server = await RedisServer.start({ settings: ["--maxmemory", "100mb"] });
      admin = new Redis(server.url);
      admin.on("error", () => {});
    });
    after(async () => {
      admin?.disconnect();
      await server?.remove();
    });

    for (const [what, node] of [
      ["events in", reader()],
      ["verify event", verifyEventNode({ id: "node", firstTimeOnly: true })],
      ["alert", alertNode({ id: "node" })],
      ["submit operation", submitNode({ id: "node" })],
    ] as const)
      it(`fails at once with a wrong password, also where only ${what} uses it`, async () => {
        await deploy(node, server.urlAt(server.port, { password: "not-this-one" }));
        const { live, reasons } = await becomes(503, ["shared_state_refused"]);
        const found = reasons.find(({ code }) => code === "shared_state_refused");
        should(found?.node).equal("fleet");
        should(found?.message).match(/until a person corrects the cause.*password is wrong \(WRONGPASS\)/);
        should(JSON.stringify(reasons)).not.containEql("not-this-one");
        should(live).equal(200);
      });

    it("fails at once with a Redis that may remove leases, and recovers by itself", async () => {
      await admin.config("SET", "maxmemory-policy", "allkeys-lru");
      await deploy(reader(), server.url, { namespace: "evicted" });
      const { reasons } = await becomes(503, ["shared_state_refused", "reader_blocked"]);
      should(JSON.stringify(reasons)).match(/maxmemory-policy allkeys-lru/);
      await admin.config("SET", "maxmemory-policy", "noeviction");
      should((await becomes(200, [])).reasons.filter(({ code }) => code !== "reader_waiting")).deepEqual([]);
    });

    it("fails at once with a certificate that is not trusted", async () => {
      const secure = await RedisServer.start({ certificate: selfSigned() });
      try {
        await deploy(reader(), secure.url.replace("redis:", "rediss:"));
        const { reasons } = await becomes(503, ["shared_state_refused", "reader_blocked"]);
        should(JSON.stringify(reasons)).match(/certificate is not trusted .* under TLS in the shared state/);
      } finally {
        await secure.remove();
      }
    });

    it("stays ready while the memory is full, and while it is a replica", async () => {
      await admin.config("SET", "maxmemory", "1");
      await deploy(reader(), server.url, { namespace: "full" });
      const full = await becomes(200, ["shared_state_retrying", "reader_retrying"]);
      should(JSON.stringify(full.reasons)).match(/memory is full \(OOM\)/);
      await admin.config("SET", "maxmemory", "100mb");
      await admin.replicaof("127.0.0.1", "1");
      await deploy(reader(), server.url, { namespace: "replica" });
      const replica = await becomes(200, ["shared_state_retrying", "reader_retrying"]);
      should(JSON.stringify(replica.reasons)).match(/replica/);
      await admin.replicaof("NO", "ONE");
    });

    it("stays ready at first where it has worked, and the password changes", async () => {
      const changed = await RedisServer.start();
      const other = new Redis(changed.url);
      try {
        await deploy(reader(), changed.url);
        await copy.nodeRed.status("node", /reading|connected/);
        await becomes(200, []);
        await other.config("SET", "requirepass", "another-one");
        await other.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
        const { live, reasons } = await becomes(200, ["shared_state_retrying"]);
        should(JSON.stringify(reasons)).match(/WRONGPASS/);
        should(live).equal(200);
      } finally {
        other.disconnect();
        await changed.remove();
      }
    });
  });

  describe("in PostgreSQL", () => {
    let server: PostgresServer;
    let admin: postgres.Sql;

    before(async function () {
      if (!hasPostgres()) return this.skip();
      server = await PostgresServer.start();
      admin = postgres(server.url, { max: 1, onnotice: () => {} });
    });
    after(async () => {
      await admin?.end();
      await server?.remove();
    });

    it("fails at once without rights, and with tables of a newer version", async () => {
      await admin`CREATE ROLE limited LOGIN PASSWORD 'limited-4711'`;
      const url = server.urlAt(server.port, { user: "limited", password: "limited-4711" });
      await deploy(reader(), url, { namespace: "limited" });
      const limited = await becomes(503, ["shared_state_refused", "reader_blocked"]);
      should(JSON.stringify(limited.reasons)).match(/too few rights \(42501\)/);

      await deploy(reader(), server.url, { namespace: "newer" });
      await becomes(200, []);
      await deploy(reader(), server.url, { namespace: "other" });
      await admin`UPDATE newer.version SET version = 2`;
      await deploy(verifyEventNode({ id: "node", firstTimeOnly: true }), server.url, { namespace: "newer" });
      const newer = await becomes(503, ["shared_state_refused"]);
      should(JSON.stringify(newer.reasons)).match(/version 2.*Update this copy to that version/);
      should(JSON.stringify(newer.reasons)).not.match(/another namespace/);
    });
  });
});
