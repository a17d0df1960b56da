import { signatureHash, signatureOf } from "../../../src/abi/index.ts";
import type { Confidence, EventFragment, Hex } from "../../../src/protocol/index.ts";
import type { Block, Heads, RawLog } from "../chain/chain.ts";
import type { Context } from "../context.ts";
import type { Attestation } from "../oracles/network.ts";
import { messageOf } from "../problem.ts";
import type { Positions } from "../store/positions.ts";
import type { StoredWatcher } from "../store/watchers.ts";
import { now } from "../time.ts";
import { chainEventStatement } from "./chain-event.ts";
import { provisionWatchers } from "./watcher.ts";

/** Blocks read in one go. */
const RANGE = 500;
/** Blocks whose hashes are remembered: how deep a reorganization can be followed exactly. */
const REMEMBERED = 512;

type Match = { watcher: StoredWatcher; fragment: EventFragment; log: RawLog };

/**
 * Follows the chain's logs for all watchers: by ranges of blocks, with the hashes of the newest blocks
 * remembered. When the chain replaces blocks it goes back to the last common one and reads again from there;
 * what has been reported from a block that still stands is not reported twice.
 */
export class LogReader {
  readonly #context: Context;
  readonly #onRewind: () => Promise<void>;
  readonly #positions: Positions;
  readonly #chainSelector: string;

  /** `onRewind` is told when the chain went back, before its new blocks are read. */
  constructor(context: Context, onRewind: () => Promise<void>) {
    this.#context = context;
    this.#onRewind = onRewind;
    this.#chainSelector = context.chain.network.chain_selector;
    this.#positions = context.store.positions(this.#chainSelector);
  }

  /** One round; throws when the chain moved meanwhile or does not answer, and goes on at the next. */
  async read(heads: Heads): Promise<void> {
    if (this.#positions.get("latest") === undefined) this.#startAt(heads);
    await this.#goBackToCommonBlock(heads);
    let position = this.#position("latest");
    while (position < heads.latest.number) {
      position = await this.#readNewest(position + 1, Math.min(position + RANGE, heads.latest.number));
    }
    for (const confidence of ["safe", "finalized"] as const) {
      await this.#readSettled(confidence, heads[confidence]);
    }
    provisionWatchers(this.#context.store, this.#chainSelector, this.#position("latest"));
  }

  #position(confidence: Confidence): number {
    return this.#positions.get(confidence) ?? 0;
  }

  #startAt(heads: Heads): void {
    this.#context.store.transaction(() => {
      this.#positions.remember(heads.latest);
      this.#positions.set("latest", heads.latest.number);
      this.#positions.set("safe", heads.safe);
      this.#positions.set("finalized", heads.finalized);
    });
  }

  async #goBackToCommonBlock(heads: Heads): Promise<void> {
    const remembered = this.#positions.blocks();
    const newest = remembered[0];
    if (newest === undefined || newest.hash === heads.latest.hash) return;
    let common: number | undefined;
    for (const block of remembered) {
      if ((await this.#context.chain.block(block.number))?.hash !== block.hash) continue;
      common = block.number;
      break;
    }
    if (common === newest.number) return;
    // Deeper than we remember: what lies below is taken as read.
    const oldest = remembered.at(-1)?.number ?? 0;
    const lastCommon = common ?? Math.min(oldest - 1, heads.latest.number);
    this.#context.log.warn(
      common === undefined
        ? `None of the last ${remembered.length} known blocks is on the chain any more: it was replaced. Reading on from block ${lastCommon}.`
        : `The chain went back: its blocks after ${lastCommon} are not those read before (up to ${newest.number}). Reading them again.`,
    );
    this.#context.store.transaction(() => {
      this.#positions.forgetAbove(lastCommon);
      this.#context.store.watchers.rewind(this.#chainSelector, lastCommon);
      for (const confidence of ["latest", "safe", "finalized"] as const) {
        this.#positions.set(confidence, Math.min(this.#position(confidence), lastCommon));
      }
    });
    await this.#onRewind();
  }

  /** Reads blocks at the chain's tip, which may still be replaced: their hashes must form one chain with what is remembered. */
  async #readNewest(from: number, to: number): Promise<number> {
    const matches = await this.#matches(from, to);
    const blocks = await this.#blocks(Math.max(from, to - REMEMBERED + 1), to);
    const previous = this.#positions.blocks().find((block) => block.number === from - 1);
    let parent = previous?.hash;
    for (const block of blocks.values()) {
      if (parent !== undefined && block.parentHash !== parent) throw new Error(MOVED);
      parent = block.hash;
    }
    for (const { log } of matches) {
      const block = blocks.get(log.blockNumber);
      if (block !== undefined && block.hash !== log.blockHash) throw new Error(MOVED);
    }
    const reported = this.#context.confidences.includes("latest") ? matches : [];
    await this.#report("latest", reported, to, () => {
      for (const block of blocks.values()) this.#positions.remember(block);
      this.#positions.forgetBelow(to - REMEMBERED + 1);
    });
    return to;
  }

  async #readSettled(confidence: "safe" | "finalized", head: number): Promise<void> {
    if (!this.#context.confidences.includes(confidence)) {
      if (this.#position(confidence) !== head) this.#positions.set(confidence, head);
      return;
    }
    for (let from = this.#position(confidence) + 1; from <= head; from += RANGE) {
      const to = Math.min(from + RANGE - 1, head);
      await this.#report(confidence, await this.#matches(from, to), to);
    }
  }

  async #matches(from: number, to: number): Promise<Match[]> {
    const watchers = this.#context.store.watchers.withStatus(this.#chainSelector, "active");
    if (watchers.length === 0) return [];
    const addresses = [...new Set(watchers.map((watcher) => watcher.address))];
    const logs = await this.#context.chain.logs({ from, to, addresses });
    return logs.flatMap((log) =>
      watchers.flatMap((watcher) => {
        const fragment = this.#unlessInTrouble(watcher, () => matchingFragment(watcher, log));
        return fragment === undefined ? [] : [{ watcher, fragment, log }];
      }),
    );
  }

  async #blocks(from: number, to: number): Promise<Map<number, Block>> {
    const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index);
    const blocks = await Promise.all(numbers.map((number) => this.#context.chain.block(number)));
    return new Map(
      blocks.map((block) => {
        if (block === undefined) throw new Error(MOVED);
        return [block.number, block];
      }),
    );
  }

  /** Attests what matched, then stores events and position together. */
  async #report(
    confidence: Confidence,
    matches: Match[],
    position: number,
    remember?: () => void,
  ): Promise<void> {
    const attested: Array<Match & { attestation: Attestation }> = [];
    const timestamps = new Map<number, number>();
    for (const match of matches) {
      const { blockNumber } = match.log;
      const timestamp =
        timestamps.get(blockNumber) ?? (await this.#context.chain.block(blockNumber))?.timestamp;
      if (timestamp === undefined) throw new Error(MOVED);
      timestamps.set(blockNumber, timestamp);
      const statement = this.#unlessInTrouble(match.watcher, () =>
        chainEventStatement(this.#context.chain.network, { ...match, timestamp, confidence }),
      );
      if (statement === undefined) continue;
      attested.push({ ...match, attestation: await this.#context.oracles.attest(statement) });
    }
    const { store } = this.#context;
    store.transaction(() => {
      for (const match of attested) this.#append(confidence, match);
      this.#positions.set(confidence, position);
      remember?.();
    });
  }

  /** A log that cannot be read by the watcher's ABI is skipped: one watcher must not hold up the others. */
  #unlessInTrouble<T>(watcher: StoredWatcher, read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      this.#context.log.warn(`Watcher ${watcher.watcher_id} skips a log: ${messageOf(error)}`);
      return undefined;
    }
  }

  #append(
    confidence: Confidence,
    { watcher, fragment, log, attestation }: Match & { attestation: Attestation },
  ): void {
    const { store } = this.#context;
    // It may have been archived while the oracles signed.
    if (store.watchers.get(watcher.watcher_id)?.status !== "active") return;
    if (!this.#positions.report(watcher.watcher_id, log.blockHash, log.logIndex, confidence)) return;
    store.events.append({
      channelId: watcher.channel_id,
      type: "watcher.event",
      payload: {
        watcher_id: watcher.watcher_id,
        chain_selector: watcher.chain_selector,
        event_hash: attestation.hash,
        verifiable_event: attestation.text,
        timestamp: now(),
      },
      proof: attestation.proof,
      found: { address: log.address, event_name: fragment.name },
    });
  }
}

const MOVED = "the chain replaced blocks while they were read; reading them again";

/** The event of the watcher's ABI that this log is, when the watcher asks for it. */
function matchingFragment(watcher: StoredWatcher, log: RawLog): EventFragment | undefined {
  if (watcher.address.toLowerCase() !== log.address.toLowerCase()) return undefined;
  if (watcher.fromBlock === undefined || log.blockNumber < watcher.fromBlock) return undefined;
  return watcher.abi.find(
    (fragment) =>
      watcher.events.includes(fragment.name) &&
      topicOf(fragment) === log.topics[0] &&
      fragment.inputs.filter((input) => input.indexed === true).length === log.topics.length - 1,
  );
}

const topics = new Map<string, Hex>();

function topicOf(fragment: EventFragment): Hex {
  const signature = signatureOf(fragment);
  const known = topics.get(signature);
  if (known !== undefined) return known;
  const topic = signatureHash(signature);
  topics.set(signature, topic);
  return topic;
}
