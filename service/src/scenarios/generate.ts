import type {
  Address,
  Channel,
  ChannelEvent,
  Confidence,
  Network,
  Watcher,
} from "../../../src/protocol/index.ts";
import { logStatement } from "../../../src/testing/statements.ts";
import { eventsOf } from "../chain/demo/contracts.ts";
import type { ReadLog } from "../lifecycles/logs/findings.ts";
import type { OracleNetwork } from "../oracles/network.ts";
import { runOfWatcher, workflowOfWatcher } from "../oracles/workflows.ts";
import { type Account, CHANNEL, fileText, type Generated, headOf } from "./event-file.ts";
import { Randomness } from "./randomness.ts";
import { SCENARIOS, type ScenarioName } from "./stories.ts";
import {
  type Happening,
  HOUR,
  type Pause,
  readLogOf,
  STORY_CONTRACTS,
  type Story,
  type StoryContract,
} from "./story.ts";

/** The service that a file is of. */
export type Origin = {
  /** As the service shows it. */
  network: Network;
  /** Levels at which each log is reported, weakest first. */
  confidences: readonly Confidence[];
  contracts: Readonly<Record<StoryContract, Address>>;
  /** The account that owns the contracts. */
  admin: Address;
  oracles: OracleNetwork;
  /** The base URL. */
  service: string;
  verification: Account;
};

type Wanted = {
  name: string;
  seed: number;
  /** Unix seconds: the last event is not later. Default: a time in 2025 that the seed decides. */
  until?: number | undefined;
};

/** How long after its block a log is reported at a level, in seconds. */
const REPORTED_AFTER: Readonly<Record<Confidence, number>> = { latest: 1, safe: 60, finalized: 120 };
/** Noon of the first day of 2025, in UTC. */
const FIRST_NOON = 1_735_732_800;
const DAY = 24 * HOUR;
/** The block of the first event, and its time apart: the chain makes a block each second. */
const FIRST_BLOCK = 1_000;

/** The names of the watchers of the example flows, and the events that these watch. */
const WATCHERS: Readonly<Record<StoryContract, { name: string; events?: readonly string[] }>> = {
  DemoToken: { name: "quickstart-transfers", events: ["Transfer"] },
  GuardedToken: { name: "guarded-token" },
  SensorRegistry: { name: "sensor-readings", events: ["SensorReading"] },
};

type Told = Happening & { reported: number; confidence: Confidence; order: number };

/** The end of a scenario for which no time is given. */
function endOf(seed: number): number {
  return FIRST_NOON + (seed % 365) * DAY;
}

/**
 * The text of a file: signed past events of a scenario, with the labels of those that should be noticed. It comes in
 * pieces, each made when it is taken.
 */
export async function* scenarioText(
  wanted: Wanted & { name: ScenarioName },
  origin: Origin,
  pause: Pause,
): AsyncGenerator<string, void> {
  yield* fileText(await generate(SCENARIOS[wanted.name], wanted, origin, pause));
}

/**
 * Past events that tell a story: the same for the same seed, end and service, byte for byte.
 *
 * @param pause is awaited so often that no work between takes long; what it throws ends the work
 */
async function generate(
  story: Story,
  { name, seed, until = endOf(seed) }: Wanted,
  origin: Origin,
  pause: Pause,
): Promise<Generated> {
  const random = new Randomness(`${name} ${seed}`);
  const { confidences, admin } = origin;
  const last = until - Math.max(...confidences.map((level) => REPORTED_AFTER[level]));
  const told = (await story.tell({ random, until: last, admin, reports: confidences.length, pause }))
    .filter(({ at }) => at <= last)
    .toSorted((one, other) => one.at - other.at);
  const first = told[0]?.at ?? last;
  const channel: Channel = {
    channel_id: random.uuid(),
    ...{ name: CHANNEL, status: "active", created_at: first - HOUR },
  };
  const watchers = new Map(
    STORY_CONTRACTS.filter((contract) => told.some((one) => one.contract === contract)).map((contract) => [
      contract,
      watcherOf(contract, origin, { channel_id: channel.channel_id, created_at: first - HOUR, random }),
    ]),
  );
  const logs = await logsOf(told, { origin, random, first, pause });
  const reports = told
    .flatMap((one, order) => {
      return confidences.map((confidence): Told => {
        return { ...one, order, confidence, reported: one.at + REPORTED_AFTER[confidence] };
      });
    })
    .toSorted((one, other) => one.reported - other.reported);
  // Its own sequence of rounds: the real network's goes on meanwhile.
  const oracles = origin.oracles.another();
  const eventOf = async ({ contract, order, confidence, reported, at }: Told, offset: number) => {
    const watcher = watchers.get(contract);
    const read = logs[order];
    if (watcher === undefined || read === undefined) return undefined;
    const statement = logStatement(origin.network, read, { timestamp: at, confidence });
    const run = runOfWatcher(watcher, `${read.log.blockHash} ${read.log.logIndex} ${confidence}`);
    const { text, hash, proof } = await oracles.attest(statement, run, reported);
    return {
      event_id: random.uuid(),
      headers: { type: "watcher.event", offset, proofs: [proof] },
      payload: {
        ...{ watcher_id: watcher.watcher_id, chain_selector: watcher.chain_selector },
        ...{ event_hash: hash, verifiable_event: text, timestamp: reported, ...run },
      },
      ...{ channel_id: channel.channel_id, created_at: reported },
    } satisfies ChannelEvent;
  };
  async function* signed() {
    for (const [index, report] of reports.entries()) {
      await pause();
      const event = await eventOf(report, index + 1);
      if (event !== undefined) yield event;
    }
  }
  const labels = reports.flatMap(({ label }, index) => (label === undefined ? [] : [[index + 1, label]]));
  const head = headOf({
    ...{ service: origin.service, account: origin.verification, oracles, channel },
    ...{ networks: [origin.network], watchers: [...watchers.values()] },
    scenario: { name, seed, text: story.text, labels: Object.fromEntries(labels) },
  });
  return { head, events: signed() };
}

/** A block each second: logs of the same second are in one block. */
async function logsOf(
  told: readonly Happening[],
  { origin, random, first, pause }: { origin: Origin; random: Randomness; first: number; pause: Pause },
): Promise<ReadLog[]> {
  let block = { number: 0, hash: random.hash(), logs: 0 };
  const logs: ReadLog[] = [];
  for (const one of told) {
    await pause();
    const number = FIRST_BLOCK + one.at - first;
    if (block.number !== number) block = { number, hash: random.hash(), logs: 0 };
    block.logs += 1;
    const place = {
      address: origin.contracts[one.contract],
      blockNumber: number,
      blockHash: block.hash,
      logIndex: block.logs - 1,
      transactionHash: random.hash(),
    };
    logs.push(readLogOf(one, place));
  }
  return logs;
}

function watcherOf(
  contract: StoryContract,
  { network, contracts }: Origin,
  { random, ...rest }: { channel_id: string; created_at: number; random: Randomness },
): Watcher {
  const { name, events } = WATCHERS[contract];
  const abi = eventsOf(contract);
  const watcher_id = random.uuid();
  return {
    ...{ watcher_id, name, ...rest, status: "active" },
    ...{ chain_selector: network.chain_selector, address: contracts[contract] },
    events: [...(events ?? abi.map((fragment) => fragment.name))],
    ...{ abi, don_family: "local" },
    ...workflowOfWatcher({ watcher_id, fromBlock: 0 }),
    ...(network.default_confidence_level === undefined
      ? {}
      : { confidence_level: network.default_confidence_level }),
  };
}
