import should from "should";
import { ackingNode, ackNode } from "../../support/event-harness.ts";
import { eventually } from "../../support/eventually.ts";
import { type FleetCopy, FleetHarness, fleetNode } from "../../support/fleet-harness.ts";
import { hasRedis, RedisServer } from "../../support/redis.ts";

const EVENTS = 20;
const TOKEN = "a-token-that-is-long-enough";
const LEASE_MS = 3_000;
const LONGEST_MS = 60_000;

/** What probes and Prometheus see of two copies, of which one reads. */
describe("metrics and health of copies that share their state", function () {
  this.timeout(120_000);

  let server: RedisServer;
  let harness: FleetHarness;

  before(async function () {
    if (!hasRedis()) return this.skip();
    const env = { CREC_MONITORING_TOKEN: TOKEN };
    [server, harness] = await Promise.all([RedisServer.start(), FleetHarness.start(EVENTS, { env })]);
    // Nothing acknowledges: the flow stands still from its first event on.
    await harness.deploy(
      [
        [ackingNode({ id: "events", consumer: "shared", fleet: "fleet" }), 2],
        [ackNode(), 2],
      ],
      [fleetNode(server.url, { lease: String(LEASE_MS / 1_000) })],
      (copy) => becomes(copy, ({ reading }) => reading === 1),
    );
  });
  after(async () => {
    await harness?.close();
    await server?.remove();
  });

  const headers = { authorization: `Bearer ${TOKEN}` };
  const healthOf = async ({ nodeRed }: FleetCopy) => {
    const response = await nodeRed.fetch("crec/health", { headers });
    const { status, reasons } = (await response.json()) as {
      status: string;
      reasons: Array<{ code: string }>;
    };
    return { http: response.status, status, codes: reasons.map(({ code }) => code) };
  };
  const measured = async ({ nodeRed }: FleetCopy) => {
    const text = await (await nodeRed.fetch("crec/metrics", { headers })).text();
    const value = (name: string) => {
      const [, found] = new RegExp(`^${name}\\{consumer="shared"\\} (\\S+)$`, "m").exec(text) ?? [];
      return found === undefined ? undefined : Number(found);
    };
    return {
      reading: value("crec_reader_reading"),
      lag: value("crec_reader_lag_seconds"),
      lagEvents: value("crec_reader_lag_events"),
      epoch: value("crec_reader_lease_epoch"),
    };
  };
  type Measured = Awaited<ReturnType<typeof measured>>;
  async function becomes(copy: FleetCopy, accept: (one: Measured) => boolean): Promise<Measured> {
    return eventually("other figures", () => measured(copy), accept, { withinMs: LONGEST_MS });
  }

  it("have the growing lag of a flow that stands still only at the copy that reads", async () => {
    const [reader, other] = harness.copies as [FleetCopy, FleetCopy];
    const { lag = 0, lagEvents } = await becomes(reader, (one) => (one.lag ?? 0) > 0);
    should(lagEvents).be.aboveOrEqual(EVENTS);
    await becomes(reader, (one) => (one.lag ?? 0) > lag + 1);
    const standby = await becomes(other, ({ reading }) => reading === 0);
    should(standby.lag).be.undefined();
    should(standby.lagEvents).be.undefined();
    await other.nodeRed.status("events", /^standby/);
    should(await healthOf(other)).deepEqual({ http: 200, status: "ok", codes: [] });
  });

  it("leave all copies ready and alive while the shared state is stopped", async () => {
    const all = <T>(look: (copy: FleetCopy) => Promise<T>) => Promise.all(harness.copies.map(look));
    const answers = () => all(healthOf);
    await server.stop();
    const stopped = await eventually(
      "all copies without shared state",
      answers,
      (seen) => seen.every(({ codes }) => codes.includes("shared_state_retrying")),
      { withinMs: LONGEST_MS },
    );
    // The standby cannot look, and the reader may not go on without its lease.
    const retrying = await eventually(
      "all readers that try again",
      answers,
      (seen) => seen.every(({ codes }) => codes.includes("reader_retrying")),
      { withinMs: LONGEST_MS },
    );
    for (const { http, status } of [...stopped, ...retrying])
      should({ http, status }).deepEqual({ http: 200, status: "degraded" });
    should(await all(async ({ nodeRed }) => (await nodeRed.fetch("crec/health/live")).status)).deepEqual([
      ...[200, 200],
    ]);
    should(harness.copies.every(({ nodeRed }) => nodeRed.running)).be.true();
    await server.restart();
    await eventually(
      "all copies with shared state",
      answers,
      (seen) => seen.every(({ codes }) => !codes.some((code) => code.endsWith("_retrying"))),
      { withinMs: LONGEST_MS },
    );
  });

  it("move with the lease, whose number rises, when the reader ends", async () => {
    const isReading = async (copy: FleetCopy) => (await measured(copy)).reading === 1;
    const reader = await eventually("a copy that reads", async () => {
      const reading = await Promise.all(harness.copies.map(isReading));
      return harness.copies[reading.indexOf(true)];
    });
    const other = harness.copies.find((copy) => copy !== reader) as FleetCopy;
    const { epoch = 0 } = await measured(reader);
    await reader.nodeRed.kill();
    const after = await becomes(other, ({ reading, lag = 0 }) => reading === 1 && lag > 0);
    should(after.epoch).be.above(epoch);
  });
});
