import { setImmediate as turn } from "node:timers/promises";
import type { Confidence } from "../../../src/protocol/index.ts";
import { type Block, type Heads, isRefusal, isUnreachable } from "../chain/chain.ts";
import type { Context } from "../context.ts";
import type { Attestation } from "../oracles/network.ts";
import { messageOf } from "../problem.ts";
import type { Positions } from "../store/positions.ts";
import type { StoredWatcher } from "../store/watchers.ts";
import { now } from "../time.ts";
import { chainEventStatement, type ReadLog } from "./chain-event.ts";
import { readLog } from "./match.ts";
import { failWatcher, provisionWatchers } from "./watcher.ts";

/** Blocks read in one go, unless the node gives less at once. */
const RANGE = 500;
/** Blocks whose hashes are remembered: how deep a reorganization can be followed exactly. */
const REMEMBERED = 512;
/** Logs read and signed before others get a turn. */
const BATCH = 16;

type Match = ReadLog & { watcher: StoredWatcher };

/** What watchers find in a range of blocks, and those whose ABI does not fit what they found. */
type Findings = { matches: Match[]; misfits: Map<string, string> };

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
  #range = RANGE;
  /** Whether the chain went back, and what it lost has not been seen to. */
  #rewound = false;

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
    if (this.#rewound) await this.#onRewind();
    this.#rewound = false;
    let position = this.#position("latest");
    while (position < heads.latest.number) {
      const from = position + 1;
      position = await this.#inRange(from, heads.latest.number, (to) => this.#readNewest(from, to));
    }
    for (const confidence of ["safe", "finalized"] as const) {
      await this.#readSettled(confidence, heads[confidence]);
    }
    await provisionWatchers(this.#context, this.#position("latest"));
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
    this.#tell({ lastCommon, newest: newest.number, heads, everythingReplaced: common === undefined });
    this.#context.store.transaction(() => {
      this.#positions.forgetAbove(lastCommon);
      this.#context.store.watchers.rewind(this.#chainSelector, lastCommon);
      for (const confidence of ["latest", "safe", "finalized"] as const) {
        this.#positions.set(confidence, Math.min(this.#position(confidence), lastCommon));
      }
    });
    this.#rewound = true;
  }

  /** Names what happened: near its tip a chain replaces blocks every now and then, finalized ones it must not. */
  #tell(found: { lastCommon: number; newest: number; heads: Heads; everythingReplaced: boolean }): void {
    const { log, store } = this.#context;
    const { lastCommon, newest, heads } = found;
    const finalized = this.#position("finalized");
    if (lastCommon >= finalized && !found.everythingReplaced) {
      log.warn(
        `The chain was reorganized: it replaced its blocks after ${lastCommon}, up to ${newest}. Reading them again.`,
      );
      return;
    }
    const what = found.everythingReplaced
      ? `none of the blocks read last, up to ${newest}, is on it any more`
      : `its blocks after ${lastCommon} are gone, though those up to ${finalized} were finalized`;
    log.error(
      `The chain was rolled back: ${what}; it is at block ${heads.latest.number} now. What was reported stays reported; everything goes on from block ${lastCommon}, and what is missing there is brought back where it can be. To start over with nothing, stop the service and remove ${store.dataDir}.`,
    );
  }

  /** Reads blocks at the chain's tip, which may still be replaced: their hashes must form one chain with what is remembered. */
  async #readNewest(from: number, to: number): Promise<number> {
    const findings = await this.#findings(from, to);
    const blocks = await this.#blocks(Math.max(from, to - REMEMBERED + 1), to);
    const previous = this.#positions.blocks().find((block) => block.number === from - 1);
    let parent = previous?.hash;
    for (const block of blocks.values()) {
      if (parent !== undefined && block.parentHash !== parent) throw new Error(MOVED);
      parent = block.hash;
    }
    for (const { log } of findings.matches) {
      const block = blocks.get(log.blockNumber);
      if (block !== undefined && block.hash !== log.blockHash) throw new Error(MOVED);
    }
    const isReported = this.#context.confidences.includes("latest");
    await this.#report("latest", isReported ? findings : { ...findings, matches: [] }, to, () => {
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
    for (let from = this.#position(confidence) + 1; from <= head; ) {
      const read = await this.#inRange(from, head, async (to) => {
        await this.#report(confidence, await this.#findings(from, to), to);
        return to;
      });
      from = read + 1;
    }
  }

  /** Reads up to `last`, or as far as the node gives at once: many nodes refuse a range that is long, or full of logs. */
  async #inRange(from: number, last: number, read: (to: number) => Promise<number>): Promise<number> {
    for (;;) {
      const to = Math.min(from + this.#range - 1, last);
      try {
        return await read(to);
      } catch (error) {
        if (!isRefusal(error) || to === from) throw error;
        this.#range = Math.ceil((to - from + 1) / 2);
      }
    }
  }

  async #findings(from: number, to: number): Promise<Findings> {
    const { store, chain } = this.#context;
    const findings: Findings = { matches: [], misfits: new Map() };
    const watchers = store.watchers.withStatus(this.#chainSelector, "active");
    if (watchers.length === 0) return findings;
    const addresses = [...new Set(watchers.map((watcher) => watcher.address))];
    const logs = await chain.logs({ from, to, addresses });
    for (const [index, log] of logs.entries()) {
      if (index % BATCH === BATCH - 1) await turn();
      for (const watcher of watchers) {
        // One in trouble holds up no other.
        if (findings.misfits.has(watcher.watcher_id)) continue;
        try {
          const read = await readLog(chain, watcher, log);
          if (read !== undefined) findings.matches.push({ ...read, watcher });
        } catch (error) {
          if (isRefusal(error) || isUnreachable(error)) throw error;
          findings.misfits.set(watcher.watcher_id, messageOf(error));
        }
      }
    }
    return findings;
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
    { matches, misfits }: Findings,
    position: number,
    remember?: () => void,
  ): Promise<void> {
    const { store, chain, oracles } = this.#context;
    const attested: Array<Match & { attestation: Attestation }> = [];
    const timestamps = new Map<number, number>();
    for (const [index, match] of matches.entries()) {
      if (index % BATCH === BATCH - 1) await turn();
      const { log, watcher } = match;
      if (this.#positions.isReported(watcher.watcher_id, log.blockHash, log.logIndex, confidence)) continue;
      const timestamp = timestamps.get(log.blockNumber) ?? (await chain.block(log.blockNumber))?.timestamp;
      if (timestamp === undefined) throw new Error(MOVED);
      timestamps.set(log.blockNumber, timestamp);
      const statement = chainEventStatement(chain.network, match, { timestamp, confidence });
      attested.push({ ...match, attestation: await oracles.attest(statement) });
    }
    store.transaction(() => {
      for (const match of attested) this.#append(confidence, match);
      for (const [watcherId, reason] of misfits) failWatcher(store, watcherId, reason);
      this.#positions.set(confidence, position);
      remember?.();
    });
  }

  #append(
    confidence: Confidence,
    { watcher, fragment, log, service, attestation }: Match & { attestation: Attestation },
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
      found: {
        address: log.address,
        event_name: fragment.name,
        ...(service === undefined ? {} : { service }),
      },
    });
  }
}

const MOVED = "the chain replaced blocks while they were read; reading them again";
