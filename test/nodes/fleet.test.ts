import should from "should";
import { ackingNode, ackNode } from "../support/event-harness.ts";
import { eventually } from "../support/eventually.ts";
import { type FleetCopy, FleetHarness, fleetNode } from "../support/fleet-harness.ts";
import { ask, type Message, refuse } from "../support/flow-harness.ts";
import type { FlowNode, NodeStatus } from "../support/node-red.ts";
import { hasPostgres, PostgresServer } from "../support/postgres.ts";
import { hasRedis, RedisServer } from "../support/redis.ts";
import { describeWide, itWide } from "../support/wide.ts";

const EVENTS = 60;
/** Long enough that a busy machine hands over in order before it is over. */
/** A busy machine needs seconds to hand over what was released. */
const LEASE_MS = 8_000;
/** The status of the copy that reads, while the event waits for its acknowledgement, also after a takeover. */
const READS = /^(?:waiting for 1 ack|attempt \d+ of event)/;

type Server = PostgresServer | RedisServer;

const ENGINES = [
  { name: "PostgreSQL", isThere: hasPostgres, start: (): Promise<Server> => PostgresServer.start() },
  { name: "Redis", isThere: hasRedis, start: (): Promise<Server> => RedisServer.start() },
];

for (const engine of ENGINES) {
  const describeEngine = engine === ENGINES[0] ? describe : describeWide;
  /** Copies of one flow, each a Node-RED of its own, with a real server between them. */
  describeEngine(`copies that share their state in ${engine.name}`, function () {
    this.timeout(120_000);

    let server: Server;
    let harness: FleetHarness;

    before(async function () {
      if (!engine.isThere()) return this.skip();
      [server, harness] = await Promise.all([engine.start(), FleetHarness.start(EVENTS)]);
      await harness.deploy(
        [
          [ackingNode({ id: "events", consumer: "shared", fleet: "fleet", inputs: 1 }), 2],
          [ackNode(), 2],
          [ackNode({ id: "retry", action: "retry", delay: "0.1" }), 2],
        ],
        [fleetNode(server.url, { lease: String(LEASE_MS / 1000) })],
        (copy) => copy.nodeRed.status("events", /^waiting for 1 ack|^reading/),
      );
    });
    after(async () => {
      for (const { nodeRed } of harness?.copies ?? []) {
        // The URL with its password is only in the encrypted credentials.
        const flows = await (await nodeRed.fetch("flows")).text();
        for (const text of [nodeRed.log, nodeRed.heard, flows]) should(text).not.containEql(server.password);
      }
      await harness?.close();
      await server?.remove();
    });

    const statusOf = ({ nodeRed }: FleetCopy): Partial<NodeStatus> => nodeRed.statuses("events").at(-1) ?? {};
    /** The copy that reads now, and the other one. */
    const roles = (): { reader: FleetCopy; other: FleetCopy } => {
      const [a, b] = harness.copies as [FleetCopy, FleetCopy];
      return statusOf(a).text?.startsWith("standby") ? { reader: b, other: a } : { reader: a, other: b };
    };
    const isStandby = ({ fill, shape, text }: Partial<NodeStatus>, reader: string): boolean =>
      Boolean(fill === "grey" && shape === "ring" && text?.startsWith(`standby (read by ${reader}`));
    const standsBy = (copy: FleetCopy, reader: FleetCopy) =>
      copy.nodeRed.status("events", (status) => isStandby(status, reader.name));
    /** Once one of them reads, and the other one knows it. Before, a takeover may be under way, from either. */
    const settled = async (): Promise<void> => {
      await eventually(
        "one copy that reads and one that stands by",
        () => {
          const { reader, other } = roles();
          return { name: reader.name, reading: statusOf(reader), standing: statusOf(other) };
        },
        ({ name, reading, standing }) => READS.test(reading.text ?? "") && isStandby(standing, name),
      );
    };
    const panel = async (copy: FleetCopy, path = "", init: RequestInit = {}) => {
      const headers = { "content-type": "application/json" };
      const answer = await copy.nodeRed.fetch(`crec/events-in/events${path}`, { headers, ...init });
      return (await answer.json()) as Record<string, unknown>;
    };
    const lastOf = async (copy: FleetCopy): Promise<Message> => {
      await copy.arrived("events", 1);
      return copy.sent("events").at(-1) as Message;
    };
    const acknowledge = async (copy: FleetCopy): Promise<Message> => {
      const msg = await lastOf(copy);
      const next = copy.sent("events").length + 1;
      await ask(copy.nodeRed, "ack", msg);
      return copy.arrived("events", next);
    };

    beforeEach(settled);

    it("are read by one of them, while the other stands by", async () => {
      const { reader, other } = roles();
      const before = other.sent("events").length;
      const { crec } = await lastOf(reader);
      should(crec).have.property("consumer", "shared");
      should(crec?.epoch).be.a.Number();
      const next = await acknowledge(reader);
      should(next.crec).have.properties({ offset: Number(crec?.offset) + 1, epoch: crec?.epoch });
      should(other.sent("events")).have.length(before);
    });

    it("say in the log who reads", () => {
      const { reader, other } = roles();
      should(reader.nodeRed.log).containEql('This copy reads the channel of "shared".');
      should(other.nodeRed.log).containEql(`This copy is the standby of "shared": the copy ${reader.name} (`);
    });

    itWide("say in the form who reads", async () => {
      const { reader, other } = roles();
      const { epoch } = (await lastOf(reader)).crec ?? {};
      const reading = (await panel(reader)).fleet as Record<string, unknown>;
      should(reading).have.properties({ state: "reading", epoch, leaseMs: LEASE_MS });
      should(String(reading.copy)).startWith(reader.name);
      const standing = (await panel(other)).fleet as Record<string, unknown>;
      should(standing).have.properties({ state: "standby", epoch });
      should(String(standing.reader)).startWith(reader.name);
      should(JSON.stringify([reading, standing])).not.containEql(server.password);
    });

    it("refuse on a standby what only the copy that reads can do, and name that copy", async () => {
      const { reader, other } = roles();
      const seek = { method: "POST", body: JSON.stringify({ to: "now" }) };
      for (const answer of [await panel(other, "/seek", seek), await panel(other, "/cursor")]) {
        should(answer).have.property("code", "READ_BY_ANOTHER_COPY");
        should(String(answer.problem)).containEql(reader.name);
      }
      const { error } = await refuse(other.nodeRed, "events", { topic: "pause" });
      should(error).have.property("code", "READ_BY_ANOTHER_COPY");
      should(await panel(reader, "/cursor")).have.property("cursor");
    });

    it("hand over in order, without waiting for the lease, where the first one stopped", async () => {
      const { reader, other } = roles();
      const open = await lastOf(reader);
      const before = other.sent("events").length;
      await reader.nodeRed.stop();
      const stopped = performance.now();
      const next = await other.arrived("events", before + 1);
      should(performance.now() - stopped).be.below(LEASE_MS);
      should(next.crec).have.properties({ offset: open.crec?.offset, redelivered: true });
      should(next.crec?.epoch).be.above(Number(open.crec?.epoch));
      await reader.restart();
      await standsBy(reader, other);
    });

    // The core of it is in the example of several copies.
    itWide("take over from one that was killed, after its lease", async () => {
      const { reader, other } = roles();
      const open = await acknowledge(reader);
      const saved = Number(open.crec?.offset) - 1;
      await eventually(
        "the acknowledgement in the database",
        () => panel(reader),
        ({ cursor }) => cursor === saved,
      );
      const before = other.sent("events").length;
      await reader.nodeRed.kill();
      const killed = performance.now();
      const next = await other.arrived("events", before + 1);
      should(performance.now() - killed).be.below(2 * LEASE_MS);
      should(next.crec).have.properties({ offset: open.crec?.offset, redelivered: true });
      await reader.restart();
      await standsBy(reader, other);
    });

    itWide("take no acknowledgement of an event that another one reads by now", async () => {
      const { reader, other } = roles();
      const late = await lastOf(reader);
      const before = other.sent("events").length;
      reader.nodeRed.suspend();
      const next = await other.arrived("events", before + 1);
      should(next.crec?.eventId).equal(late.crec?.eventId);
      reader.nodeRed.goOn();
      await standsBy(reader, other);
      for (const id of ["ack", "retry"]) {
        const { payload, crec } = await ask(reader.nodeRed, id, late, 1);
        should(payload).deepEqual(late.payload);
        should(crec?.error).have.property("code", "CONSUMER_MOVED");
        should(reader.nodeRed.statuses(id).at(-1)).have.properties({
          fill: "grey",
          code: "moved",
        });
        should(reader.sent(id)).matchEach((msg: Message) => msg.crec?.eventId !== late.crec?.eventId);
      }
      // The other one still waits for it.
      await ask(other.nodeRed, "ack", next);
      should((await other.arrived("events", before + 2)).crec?.offset).equal(Number(late.crec?.offset) + 1);
    });

    itWide("stop reading while the server is gone, and go on when it is back", async () => {
      const { reader, other } = roles();
      await server.kill();
      const unreachable = /^shared state unreachable: /;
      for (const { nodeRed } of [reader, other]) {
        const { fill, shape } = await nodeRed.status("events", unreachable);
        should({ fill, shape }).deepEqual({ fill: "red", shape: "ring" });
      }
      const sent = harness.copies.map((copy) => copy.sent("events").length);
      await server.restart();
      await settled();
      const after = harness.copies.map((copy) => copy.sent("events").length);
      should(after.filter((count, index) => count > (sent[index] ?? 0))).have.length(1);
    });

    itWide("read again after a redeploy of the one that reads", async () => {
      const { reader } = roles();
      const open = await lastOf(reader);
      const flows = (await (await reader.nodeRed.fetch("flows", V2)).json()) as { flows: FlowNode[] };
      await reader.nodeRed.deploy(flows.flows);
      await settled();
      const next = await lastOf(roles().reader);
      should(next.crec).have.properties({ offset: open.crec?.offset, redelivered: true });
      should(next.crec?.epoch).be.above(Number(open.crec?.epoch));
    });
  });
}

const V2 = { headers: { "Node-RED-API-Version": "v2" } };
