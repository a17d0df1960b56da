import { setTimeout as sleep } from "node:timers/promises";
import type {
  Channel,
  ChannelEvent,
  Network,
  VerifiableEvent,
  Watcher,
} from "../../../src/protocol/index.ts";
import { eventsOf } from "../chain/demo/contracts.ts";
import { callGuardedToken } from "../chain/demo/transactions.ts";
import type { Context } from "../context.ts";
import { conflict } from "../errors.ts";
import { createChannel, updateChannel } from "../lifecycles/channel.ts";
import { createWatcher, updateWatcher } from "../lifecycles/watcher.ts";
import { bytesOf } from "../store/events/pages.ts";
import type { StoredWatcher } from "../store/watchers.ts";
import { type Account, type EventFile, headOf } from "./event-file.ts";
import { Randomness } from "./randomness.ts";
import { tokens } from "./story.ts";

export const REORGANIZATION = {
  name: "reorg",
  text: "Ordinary mints of the guarded token. Then 60,000 tokens are minted, and reported as soon as they are in a block. A reorganization replaces this block by one without the mint; further mints follow, until all are final.",
} as const;

type Recording = {
  seed: number;
  /** The base URL. */
  service: string;
  verification: Account;
  /** As the API shows them. */
  show: { networks: readonly Network[]; watcher(stored: StoredWatcher): Watcher };
};

/** What the example of the pause guardian takes for dangerous is 50,000. */
const LARGE = 60_000;
const WATCHER = "guarded-token";
/** Until anvil calls a block finalized. */
const FINALITY_BLOCKS = 20;
const PAGE = 1_000;
const LONGEST_MS = 60_000;
const PAUSE_MS = 50;

/**
 * Makes the service's chain replace the block of a large mint after it was reported, and returns what the channel
 * reported. For a seed, what happens is the same, in the same order; block numbers, times, hashes, ids and so the
 * signatures are those of this run. It takes some seconds. The channel and its watcher are archived at the end, also
 * when it fails.
 *
 * @throws ApiError 409 when the chain does not get as far within a minute, or the network reports no `latest`.
 * @throws TransactionRefused when the contract is paused, or the account has no coins.
 */
export async function recordReorganization(context: Context, recording: Recording): Promise<EventFile> {
  const { confidences } = context;
  if (!confidences.includes("latest") || confidences.length < 2) {
    throw conflict(
      "A reorganization can be recorded only where events are reported at latest and at a later level. Start the service with --confidence latest --confidence finalized.",
    );
  }
  const channel = createChannel(context, { name: `reorganization ${crypto.randomUUID()}` });
  const file = await record(context, recording, channel).catch(async (error: unknown) => {
    // What failed first is what to say.
    await archive(context, channel.channel_id).catch(() => {});
    throw error;
  });
  await archive(context, channel.channel_id);
  return file;
}

async function record(context: Context, recording: Recording, channel: Channel): Promise<EventFile> {
  const { chain, confidences, oracles } = context;
  const { seed, show } = recording;
  const random = new Randomness(`${REORGANIZATION.name} ${seed}`);
  const watcher = await activeWatcher(context, channel.channel_id);
  const events = () => eventsOfChannel(context, channel.channel_id);
  const mint = (amount: number) =>
    callGuardedToken(context, { action: "mint", to: random.address(), amount: tokens(amount) });
  const ordinary = async (count: number) => {
    const hashes: string[] = [];
    for (let made = 0; made < count; made += 1) hashes.push((await mint(random.mostlySmall(20, 800))).hash);
    return hashes;
  };

  const before = await ordinary(random.whole(3, 6));
  const large = await mint(LARGE);
  const offset = await until(
    "the large mint to be reported",
    async () => (await events()).find((event) => logOf(event)?.tx_hash === large.hash)?.headers.offset,
  );
  await chain.reorganizeFrom(large.blockNumber);
  context.ticker.wake();
  const after = await ordinary(random.whole(3, 6));
  await chain.mine(FINALITY_BLOCKS);
  context.ticker.wake();
  const strongest = confidences.at(-1);
  const all = await until("the mints to be final", async () => {
    const found = await events();
    const settled = found.map(logOf).filter((log) => log?.confidence === strongest);
    const hashes = new Set(settled.map((log) => log?.tx_hash));
    return [...before, ...after].every((hash) => hashes.has(hash)) ? found : undefined;
  });
  const head = headOf({
    ...{ service: recording.service, account: recording.verification, oracles, channel },
    ...{ networks: show.networks, watchers: [show.watcher(watcher)] },
    scenario: { ...REORGANIZATION, seed, labels: { [offset]: "mint that a reorganization undid" } },
  });
  return { ...head, events: all };
}

async function activeWatcher(context: Context, channelId: string): Promise<StoredWatcher> {
  const { store, chain, contracts } = context;
  const abi = eventsOf("GuardedToken");
  const { watcher_id } = createWatcher(context, {
    ...{ channel_id: channelId, name: WATCHER, chain_selector: chain.network.chain_selector },
    ...{ address: contracts.GuardedToken, events: abi.map(({ name }) => name), abi },
  });
  await chain.mine();
  return await until("the watcher to be active", async () => {
    const found = store.watchers.get(watcher_id);
    if (found?.status === "failed") throw conflict("The watcher of the recording failed. Record again.");
    return found?.status === "active" ? found : undefined;
  });
}

async function archive(context: Context, channelId: string): Promise<void> {
  const { store } = context;
  await until("the watcher to be archived", async () => {
    const watcher = store.watchers.named(channelId, WATCHER);
    // One that is pending cannot be archived yet.
    if (watcher?.status === "active") updateWatcher(context, watcher, { name: WATCHER, archive: true });
    return store.watchers.anyRunning(channelId) ? undefined : true;
  });
  const channel = store.channels.get(channelId);
  if (channel !== undefined) updateChannel(context, channel, { status: "archived" });
}

async function eventsOfChannel({ store }: Context, channelId: string): Promise<ChannelEvent[]> {
  const page = await store.events.poll(channelId, { offset: 1, limit: PAGE });
  return (JSON.parse((await bytesOf(page)).toString("utf8")) as { events: ChannelEvent[] }).events;
}

/** The signed log of an event; undefined for other events. */
function logOf({ payload }: ChannelEvent): VerifiableEvent["chain_event"] | undefined {
  if (typeof payload !== "object" || !("verifiable_event" in payload)) return undefined;
  const text = Buffer.from(String(payload.verifiable_event), "base64").toString("utf8");
  return (JSON.parse(text) as VerifiableEvent).chain_event;
}

/** @throws ApiError 409 after a minute. */
async function until<T>(what: string, find: () => Promise<T | undefined>): Promise<T> {
  const ends = performance.now() + LONGEST_MS;
  while (performance.now() < ends) {
    const found = await find();
    if (found !== undefined) return found;
    await sleep(PAUSE_MS);
  }
  throw conflict(
    `Waiting for ${what} took more than a minute. Look at the log of the service, and try again.`,
  );
}
