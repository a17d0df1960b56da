import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { Redis } from "ioredis";
import postgres from "postgres";
import should from "should";
import { ackingNode, ackNode } from "../support/event-harness.ts";
import { eventually } from "../support/eventually.ts";
import { type FleetCopy, FleetHarness, fleetNode } from "../support/fleet-harness.ts";
import { functionNode, type Message } from "../support/flow-harness.ts";
import type { FlowNode } from "../support/node-red.ts";
import { hasPostgres, PostgresServer } from "../support/postgres.ts";
import { hasRedis, RedisServer } from "../support/redis.ts";
import { describeWide, itWide } from "../support/wide.ts";

const EVENTS = 80;
const LEASE_MS = 4_000;
/** So that events are in flight when the data are lost. */
const WORK_MS = 100;
const BEFORE = 10;

type Server = {
  url: string;
  /** Keeps what is there now, for `lose`. */
  backUp(): Promise<void>;
  /** Everything that was saved since `backUp`, which may be all, is gone. */
  lose(): Promise<void>;
  remove(): Promise<void>;
};

async function redisServer(): Promise<Server> {
  const server = await RedisServer.start();
  const admin = new Redis(server.url);
  return {
    url: server.url,
    backUp: async () => {},
    lose: async () => {
      await admin.flushall();
    },
    remove: async () => {
      admin.disconnect();
      await server.remove();
    },
  };
}

async function postgresServer(): Promise<Server> {
  const server = await PostgresServer.start();
  const sql = postgres(server.url, { max: 1, onnotice: () => {} });
  const tables = ["lease", "once", "record"];
  return {
    url: server.url,
    backUp: async () => {
      await sql`CREATE SCHEMA IF NOT EXISTS backup`;
      for (const table of tables) {
        await sql`DROP TABLE IF EXISTS ${sql(`backup.${table}`)}`;
        await sql`CREATE TABLE ${sql(`backup.${table}`)} AS SELECT * FROM ${sql(`crec.${table}`)}`;
      }
      // As of the lease before.
      await sql`UPDATE backup.lease SET epoch = epoch - 1`;
    },
    lose: async () => {
      await sql.begin(async (all) => {
        for (const table of tables) {
          await all`DELETE FROM ${all(`crec.${table}`)}`;
          await all`INSERT INTO ${all(`crec.${table}`)} SELECT * FROM ${all(`backup.${table}`)}`;
        }
      });
    },
    remove: async () => {
      await sql.end();
      await server.remove();
    },
  };
}

const LOSES_ALL = "Redis that loses its data";
const ENGINES = [
  { name: LOSES_ALL, isThere: hasRedis, start: redisServer },
  { name: "PostgreSQL restored from an older backup", isThere: hasPostgres, start: postgresServer },
];

for (const { name, isThere, start } of ENGINES) {
  const describeEngine = name === LOSES_ALL ? describe : describeWide;
  /** Counted at the last node of the flow, on all copies together. */
  describeEngine(`copies that share their state in ${name}`, function () {
    this.timeout(90_000);

    let server: Server;
    let harness: FleetHarness;
    before(async function () {
      if (!isThere()) return this.skip();
      [server, harness] = await Promise.all([start(), FleetHarness.start(EVENTS)]);
    });
    after(async () => {
      await harness?.close();
      await server?.remove();
    });

    const flow = (consumer: string): Array<[FlowNode, number]> => [
      [
        ackingNode({
          ...{ id: "events", consumer, fleet: "fleet", start: "now", inFlight: "3", inputs: 1 },
          wires: [["work"], []],
        }),
        2,
      ],
      [ackNode(), 2],
    ];
    const work = functionNode("work", `setTimeout(() => node.send(msg), ${WORK_MS});`, ["ack"]);
    const done = (copies: readonly FleetCopy[]): Message[] => copies.flatMap((copy) => copy.sent("ack"));
    const offsetsOf = (messages: readonly Message[]) => messages.map(({ crec }) => Number(crec?.offset));
    const panel = async (copy: FleetCopy, path = "", body?: unknown) => {
      const headers = { "content-type": "application/json" };
      const post = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
      const answer = await copy.nodeRed.fetch(`crec/events-in/events${path}`, { headers, ...post });
      return (await answer.json()) as Record<string, unknown>;
    };
    const reads = async (copy: FleetCopy): Promise<boolean> =>
      ((await panel(copy)).fleet as { state?: string } | undefined)?.state === "reading";
    const remembers = async ({ userDir }: FleetCopy, consumer: string): Promise<boolean> => {
      const folder = join(userDir.path, "crec-started");
      const names = await readdir(folder).catch(() => []);
      const files = names.filter((file) => file.endsWith(".json"));
      const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
      return texts.some((text) => text.includes(consumer) && text.includes('"epoch"'));
    };
    const standsBy = (copy: FleetCopy) =>
      eventually(
        "a standby",
        async () => (await panel(copy)).fleet as { state?: string } | undefined,
        (fleet) => fleet?.state === "standby",
      );
    /** Deploys the flow on two copies, and has the first one send events from the beginning. Gives both. */
    const running = async (consumer: string, leaseMs = LEASE_MS): Promise<[FleetCopy, FleetCopy]> => {
      const [first, second] = harness.copies as [FleetCopy, FleetCopy];
      for (const copy of [first, second]) {
        // As a failed test may have left it.
        if (!copy.nodeRed.running) await copy.restart();
        await copy.nodeRed.clear();
      }
      await harness.deploy(
        flow(consumer),
        [work, fleetNode(server.url, { lease: String(leaseMs / 1000) })],
        (copy) =>
          eventually(
            "a start after the newest event",
            () => panel(copy),
            ({ cursor }) => Number(cursor) >= EVENTS,
          ),
      );
      await standsBy(second);
      should(first.nodeRed.log).containEql("no copy remembers one");
      should(second.nodeRed.log).not.containEql("no copy remembers one");
      await eventually("a standby that remembers", () => remembers(second, consumer));
      await server.backUp();
      await panel(first, "/seek", { to: 1 });
      await eventually("events that were done", () => done([first]).length >= BEFORE);
      return [first, second];
    };
    /** Once every event has left the last node. What has left it `before` the loss comes a second time with a mark only. */
    const allDone = async (copies: readonly FleetCopy[], before: readonly number[]): Promise<void> => {
      const missing = () => EVENTS - new Set(offsetsOf(done(copies))).size;
      await eventually("all events at the last node", missing, (count) => count === 0);
      const seen = new Map<number, number>();
      for (const offset of offsetsOf(done(copies))) seen.set(offset, (seen.get(offset) ?? 0) + 1);
      for (const offset of before.filter((one) => (seen.get(one) ?? 0) > 1))
        should(done(copies).filter(({ crec }) => crec?.offset === offset)).matchAny(
          ({ crec }: Message) => crec?.restored === true,
        );
    };

    it("lose no event where the standby takes the lease", async () => {
      const [first, second] = await running("standby-wins");
      first.nodeRed.suspend();
      await server.lose();
      await eventually("the standby to have the lease", () => reads(second));
      first.nodeRed.goOn();
      await allDone([first, second], offsetsOf(done([first])));
    });

    itWide("lose no event where the same copy takes the lease again", async () => {
      const [first, second] = await running("holder-wins");
      second.nodeRed.suspend();
      await server.lose();
      const before = offsetsOf(done([first]));
      second.nodeRed.goOn();
      await allDone([first, second], before);
    });

    itWide("lose no event where all copies are started again", async () => {
      const copies = await running("restarted");
      const before = done(copies);
      await Promise.all(copies.map(({ nodeRed }) => nodeRed.kill()));
      await server.lose();
      await Promise.all(copies.map((copy) => copy.restart()));
      const missing = () => {
        const seen = new Set([...before, ...done(copies)].map(({ crec }) => crec?.offset));
        return EVENTS - seen.size;
      };
      await eventually("all events at the last node", missing, (count) => count === 0);
    });

    itWide("lose no event where a new copy takes the lease", async () => {
      const [first, second] = await running("third-new", 12_000);
      await second.nodeRed.kill();
      await rm(join(second.userDir.path, "crec-started"), { recursive: true });
      // Within a lease of the new copy's, the other one says what it remembers. The new copy cannot know that it is given an older backup: it goes on there.
      await server.backUp();
      first.nodeRed.suspend();
      await server.lose();
      await second.restart();
      await eventually("the new copy to have the lease", () => reads(second));
      first.nodeRed.goOn();
      await allDone([first, second], []);
    });

    if (name !== LOSES_ALL) return;
    const LOST = "cursor-lost";

    itWide("wait if no position is known, and go on once a copy comes that knows one", async () => {
      const [first, second] = await running("late");
      const before = done([first]);
      await first.nodeRed.kill();
      await server.lose();
      await second.nodeRed.status("events", LOST);
      should(done([second])).be.empty();
      await first.restart();
      const missing = () =>
        EVENTS - new Set([...before, ...done([second])].map(({ crec }) => crec?.offset)).size;
      await eventually("all events at the last node", missing, (count) => count === 0);
      should(done([second])[0]?.crec).have.property("restored", true);
    });

    itWide("are moved from any copy then", async () => {
      const [first, second] = await running("moved");
      await first.nodeRed.kill();
      await rm(join(first.userDir.path, "crec-started"), { recursive: true });
      await server.lose();
      await second.nodeRed.status("events", LOST);
      await first.restart();
      await standsBy(first);
      should(await panel(first, "/seek", { to: "elsewhere" })).have.property("code", "INVALID_FIELD");
      should(await panel(first, "/seek", { to: "5" })).deepEqual({});
      await second.arrived("ack", 1);
      should(offsetsOf(done([second]))[0]).equal(5);
    });
  });
}
