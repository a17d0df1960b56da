import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import postgres from "postgres";
import { saveStatement } from "../src/fleet/postgres/statements.ts";
import { leaseKey } from "../src/fleet/redis/script.ts";
import { SAVE } from "../src/fleet/redis/statements.ts";
import { type CursorState, openSharedState, type SharedState } from "../src/index.ts";
import { PostgresServer } from "../test/support/postgres.ts";
import { RedisServer } from "../test/support/redis.ts";
import { type Measured, median, perSecond } from "./measured.ts";
import { skippedWithoutRedis } from "./redis.ts";
import { sized } from "./sized.ts";

const ROUNDS = sized(5, 1);
const COMMITS = sized(2_000, 64);
/** Cursors of as many channels, which are saved at the same time. */
const CHANNELS = [1, 16];
const LEASE_MS = 60_000;
const NAMESPACE = "crec";
/** As many as our client has. */
const CONNECTIONS = 4;
/** A state of a usual size: events that were delivered last. */
const DELIVERED = 50;

type Key = { key: string; epoch: number };
type Save = (key: Key, state: CursorState) => Promise<void>;
type Bare = { save: Save; close(): Promise<unknown> };

/** Saves of cursors, each committed to the disk, through our shared state and through a bare client. In turns. */
export async function benchCommits(): Promise<Measured[]> {
  const engines = [
    { name: "PostgreSQL", start: () => PostgresServer.start(), bare: barePostgres, skipped: undefined },
    { name: "Redis", start: () => RedisServer.start(), bare: bareRedis, skipped: skippedWithoutRedis() },
  ];
  const measured: Measured[] = [];
  for (const { name, start, bare, skipped } of engines) {
    if (skipped !== undefined) {
      measured.push(...CHANNELS.flatMap((channels) => rowsOf(name, channels, [skipped, skipped, skipped])));
      continue;
    }
    const server = await start();
    const shared = await openSharedState(server.url, { namespace: NAMESPACE });
    const plain = await bare(server.url);
    try {
      for (const channels of CHANNELS) {
        const taking = () => Promise.all(Array.from({ length: channels }, () => taken(shared)));
        const keys: [Key[], Key[]] = [await taking(), await taking()];
        const ours: Save = async ({ key, epoch }, state) => {
          if (!(await shared.save(key, epoch, state, LEASE_MS))) throw new Error("The lease is lost.");
        };
        const [oursMs, bareMs] = await inTurns([ours, plain.save], keys);
        const rates = [oursMs, bareMs].map((ms) => perSecond(COMMITS, ms, "commits"));
        measured.push(...rowsOf(name, channels, [...rates, (bareMs / oursMs).toFixed(2)]));
      }
    } finally {
      await plain.close();
      await shared.close();
      await server.remove();
    }
  }
  return measured;
}

function rowsOf(engine: string, channels: number, values: readonly string[]): Measured[] {
  const what = `${engine}, ${channels} at a time`;
  const lines = [
    `${what}: shared state`,
    `${what}: bare client`,
    "  the shared state against that (aim 0.8)",
  ];
  return lines.map((line, index) => ({ what: line, value: values[index] ?? "" }));
}

async function taken(shared: SharedState): Promise<Key> {
  const key = randomUUID();
  const lease = await shared.take(key, { id: randomUUID(), name: "bench" }, LEASE_MS);
  if (lease === undefined) throw new Error("The lease is not free.");
  return { key, epoch: lease.epoch };
}

/** Medians in milliseconds. The first round is not counted. */
async function inTurns([ours, bare]: [Save, Save], keys: [Key[], Key[]]): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [index, save] of [ours, bare].entries()) {
      const start = performance.now();
      const own = keys[index] ?? [];
      await Promise.all(own.map((key) => saveMany(save, key, COMMITS / own.length)));
      if (round > 0) times[index]?.push(performance.now() - start);
    }
  }
  return [median(times[0]), median(times[1])];
}

async function saveMany(save: Save, key: Key, count: number): Promise<void> {
  for (let offset = 1; offset <= count; offset += 1) await save(key, stateAt(key.key, offset));
}

function stateAt(channelId: string, offset: number): CursorState {
  const delivered = Array.from({ length: DELIVERED }, (_, index): [number, string] => [
    offset + index,
    `00000000-0000-4000-8000-${String(offset + index).padStart(12, "0")}`,
  ]);
  const identity = { consumer: "bench", channelId, service: "http://localhost" };
  const cursor = offset + DELIVERED;
  return { version: 1, identity, cursor, floor: 0, handedOut: cursor, delivered };
}

async function barePostgres(url: string): Promise<Bare> {
  const sql = postgres(url, { max: CONNECTIONS, fetch_types: false });
  const statement = saveStatement(NAMESPACE);
  let revision = 0;
  return {
    save: async ({ key, epoch }, state) => {
      revision += 1;
      const values = [key, epoch, JSON.stringify(state), LEASE_MS, revision];
      const rows = await sql.unsafe(statement, values, { prepare: true });
      if (rows.length !== 1) throw new Error("The lease is lost.");
    },
    close: () => sql.end(),
  };
}

async function bareRedis(url: string): Promise<Bare> {
  const redis = new Redis(url);
  const hash = String(await redis.script("LOAD", SAVE.text));
  let revision = 0;
  return {
    save: async ({ key, epoch }, state) => {
      revision += 1;
      const values = [epoch, JSON.stringify(state), LEASE_MS, revision];
      const saved = await redis.evalsha(hash, 1, leaseKey(NAMESPACE, key), ...values);
      if (saved !== 1) throw new Error("The lease is lost.");
    },
    close: () => redis.quit(),
  };
}
