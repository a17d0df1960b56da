import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import { openSharedState } from "../../../src/index.ts";
import { EVERYTHING } from "../../support/borrowed-node-red.ts";
import { ackingNode, ackNode } from "../../support/event-harness.ts";
import { eventually } from "../../support/eventually.ts";
import { fleetNode } from "../../support/fleet-harness.ts";
import { functionNode, harnessFlow, type Message } from "../../support/flow-harness.ts";
import { type FlowNode, NodeRed, UserDir } from "../../support/node-red.ts";
import { channelNode, connectionNode } from "../../support/nodes.ts";
import { hasPostgres, PostgresServer } from "../../support/postgres.ts";
import { hasRedis, RedisServer } from "../../support/redis.ts";
import { type Seeded, startSeededService } from "../../support/seeded-service.ts";

/** The folder of an earlier version of this package, built. */
const OLDER = process.env.CREC_OLDER;
const OLDER_SETTINGS = fileURLToPath(new URL("older-settings.cjs", import.meta.url));

const EVENTS = 500;
const WORK_MS = 400;
const IN_FLIGHT = 3;
/** How many events leave the flow before each step of an update. */
const STEP = 20;

type Library = typeof import("../../../src/index.ts");
type Version = "older" | "newer";

/** One Node-RED whose package is updated, and set back. */
class Copy {
  readonly version: Version;
  readonly nodeRed: NodeRed;
  readonly #place: Place;

  private constructor(version: Version, nodeRed: NodeRed, place: Place) {
    this.version = version;
    this.nodeRed = nodeRed;
    this.#place = place;
  }

  static async start(version: Version, place: Place): Promise<Copy> {
    const settings = version === "older" ? { settings: OLDER_SETTINGS } : {};
    const nodeRed = await NodeRed.start(place.userDir, place.env, { ...EVERYTHING, ...settings });
    return new Copy(version, nodeRed, place);
  }

  done(): Message[] {
    return this.nodeRed.shown("ack:0").map(({ value }) => value as Message);
  }

  /** Ends it as `SIGTERM` or a crash does, and starts it with this version. */
  async becomes(version: Version, how: "stop" | "kill"): Promise<Copy> {
    await this.nodeRed[how]();
    return Copy.start(version, this.#place);
  }
}

type Place = { userDir: UserDir; env: Record<string, string> };
type Shared = { env: Record<string, string>; url: string | undefined; remove(): Promise<void> };

const PLACES: ReadonlyArray<{ name: string; isThere(): boolean; start(): Promise<Shared> }> = [
  { name: "Redis", isThere: hasRedis, start: () => engine(RedisServer.start()) },
  { name: "PostgreSQL", isThere: hasPostgres, start: () => engine(PostgresServer.start()) },
  { name: "a folder", isThere: () => true, start: folder },
];

async function engine(starting: Promise<{ url: string; remove(): Promise<void> }>): Promise<Shared> {
  const server = await starting;
  return { env: {}, url: server.url, remove: () => server.remove() };
}

async function folder(): Promise<Shared> {
  const path = await mkdtemp(join(tmpdir(), "crec-upgrade-"));
  return {
    ...{ env: { CREC_STATE_DIR: path }, url: undefined },
    remove: () => rm(path, { recursive: true, force: true, maxRetries: 10 }),
  };
}

describe("an update while copies of both versions run", function () {
  this.timeout(600_000);

  before(function () {
    // Without the earlier version there is nothing to update from.
    if (OLDER === undefined) this.skip();
  });

  for (const { name, isThere, start } of PLACES) {
    it(`loses no event, forward and back, with state in ${name}`, async function () {
      if (!isThere()) return this.skip();
      const shared = await start();
      const service = await startSeededService(EVENTS);
      const userDirs = await Promise.all([UserDir.make(), UserDir.make()]);
      const env = { CREC_OLDER: OLDER as string, ...shared.env };
      const [a, b] = [
        { userDir: userDirs[0], env: { ...env, FF_INSTANCE_NAME: "a" } },
        { userDir: userDirs[1], env: { ...env, FF_INSTANCE_NAME: "b" } },
      ];
      const copies: Copy[] = [];
      const past: number[] = [];
      const add = (copy: Copy): Copy => {
        copies.push(copy);
        return copy;
      };
      const offsets = () => copies.flatMap((copy) => copy.done()).map(({ crec }) => Number(crec?.offset));
      const more = async (count: number) => {
        const before = new Set(offsets()).size;
        await eventually(
          "events in the flow",
          () => new Set(offsets()).size >= Math.min(EVENTS, before + count),
        );
        past.push(new Set(offsets()).size);
      };
      try {
        let first = add(await Copy.start("older", a));
        let second = add(await Copy.start("older", b));
        const flow = flowOf(service, shared.url);
        await first.nodeRed.deploy(flow);
        await more(STEP);
        await second.nodeRed.deploy(flow);
        // The standby first, then the one that reads, as a rolling update does; once by a crash.
        second = add(await second.becomes("newer", "stop"));
        await more(STEP);
        first = add(await first.becomes("newer", "kill"));
        await more(STEP);
        // Back again, one by one.
        second = add(await second.becomes("older", "kill"));
        await more(STEP);
        first = add(await first.becomes("older", "stop"));
        await more(STEP);
        second = add(await second.becomes("newer", "stop"));
        first = add(await first.becomes("newer", "stop"));
        should(new Set(offsets()).size).be.below(EVENTS, "events that are left for the last step");
        await more(EVENTS);
        const seen = offsets();
        should(new Set(seen).size).equal(EVENTS);
        // What was in flight at each step may come again, and nothing else.
        should(seen.length - EVENTS).be.belowOrEqual(past.length * IN_FLIGHT);
        for (const { nodeRed, version } of copies)
          should(nodeRed.log).not.match(/CURSOR_|SHARED_STATE_|damaged|newer version/, version);
      } finally {
        await Promise.all(copies.map(({ nodeRed }) => nodeRed.kill()));
        await Promise.all([service.close(), shared.remove(), ...userDirs.map((one) => one.remove())]);
      }
    });
  }

  for (const { name, isThere, start } of PLACES.slice(0, 2)) {
    it(`keeps marks and records of each version for the other, in ${name}`, async function () {
      if (!isThere()) return this.skip();
      const shared = await start();
      const older = createRequire(import.meta.url)(join(OLDER as string, "dist/index.js")) as Library;
      const url = shared.url as string;
      const [old, now] = [await older.openSharedState(url), await openSharedState(url)];
      try {
        for (const [key, writer, reader] of [["old", old, now] as const, ["new", now, old] as const]) {
          const mark = { scope: "s", key, ttlMs: 60_000 };
          should(await writer.once(mark)).equal("new");
          should(await reader.once(mark)).not.equal("new");
          const write = { scope: "r", key, ttlMs: 60_000 };
          should(await writer.writeRecord({ ...write, revision: 0, value: 1 })).be.Number();
          const { revision, value } = (await reader.readRecord("r", key)) ?? {
            revision: 0,
            value: undefined,
          };
          should(value).equal(1);
          should(await reader.writeRecord({ ...write, revision, value: 2 })).be.Number();
          should(await writer.readRecord("r", key)).have.property("value", 2);
        }
      } finally {
        await Promise.all([old.close(), now.close()]);
        await shared.remove();
      }
    });
  }
});

function flowOf(service: Seeded, url: string | undefined): FlowNode[] {
  const config = [
    connectionNode(service.ready),
    channelNode({ channel: service.channelName }),
    ...(url === undefined ? [] : [fleetNode(url, { lease: "4" })]),
    functionNode("work", `setTimeout(() => node.send(msg), ${WORK_MS});`, ["ack"]),
  ];
  const events = ackingNode({
    ...{ id: "events", consumer: "upgrade", start: "beginning", inFlight: String(IN_FLIGHT) },
    ...(url === undefined ? {} : { fleet: "fleet" }),
    wires: [["work"], []],
  });
  return harnessFlow(config, [
    [events, 2],
    [ackNode(), 2],
  ]);
}
