import type { Confidence } from "../../../src/protocol/index.ts";
import type { Block, Heads } from "../chain/chain-data.ts";
import type { Context } from "../context.ts";
import type { Positions } from "../store/positions.ts";
import { findingsIn } from "./findings.ts";
import { ChainMoved, report } from "./reporting.ts";
import { provisionWatchers } from "./watcher.ts";

/** Blocks whose hashes are remembered: how deep a reorganization can be followed exactly. */
const REMEMBERED = 512;
/** So long in a row at one confidence; then it is the turn of what else follows the chain. */
const TURN_MS = 500;
/** While many blocks are read, how far it has come is said so often. */
const PROGRESS_MS = 10_000;

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
  /** Whether the chain went back, and what it lost has not been seen to. */
  #rewound = false;
  /** When it was last said how far reading has come; while it is behind. */
  #saidProgressAt: number | undefined;

  /** `onRewind` is told when the chain went back, before its new blocks are read. */
  constructor(context: Context, onRewind: () => Promise<void>) {
    this.#context = context;
    this.#onRewind = onRewind;
    this.#chainSelector = context.chain.network.chain_selector;
    this.#positions = context.store.positions(this.#chainSelector);
  }

  /**
   * One round: all that is new, or a part of it, and soon another round. Throws when the chain moved meanwhile or
   * does not answer, and goes on at the next.
   */
  async read(heads: Heads): Promise<void> {
    if (this.#positions.get("latest") === undefined) this.#startAt(heads);
    await this.#goBackToCommonBlock(heads);
    if (this.#rewound) await this.#onRewind();
    this.#rewound = false;
    await this.#readNewest(heads);
    const latest = this.#position("latest");
    // Never ahead of the weaker level: an event is reported as `latest` first.
    await this.#readSettled("safe", Math.min(heads.safe, latest));
    await this.#readSettled("finalized", Math.min(heads.finalized, latest, this.#position("safe")));
    this.#sayProgress(heads);
    await provisionWatchers(this.#context, heads.latest.number);
    if (latest < heads.latest.number) this.#context.ticker.wake();
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
      // Of a chain that is another one nothing can be taken for granted.
      this.#context.store.executions(this.#chainSelector).setMissingAfter(common ?? -1);
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

  async #readNewest(heads: Heads): Promise<void> {
    const turnEnds = performance.now() + TURN_MS;
    for (let from = this.#position("latest") + 1; from <= heads.latest.number; ) {
      from = 1 + (await this.#readNewestFrom(from, heads));
      if (performance.now() > turnEnds) return;
    }
  }

  /**
   * Reads a part; its last block. Blocks near the tip may still be replaced: their hashes must form one chain with
   * what is remembered.
   */
  async #readNewestFrom(from: number, heads: Heads): Promise<number> {
    const findings = await findingsIn(this.#context, { from, to: heads.latest.number });
    const { to } = findings;
    const nearTip = heads.latest.number - REMEMBERED + 1;
    const blocks = await this.#blocks(Math.min(Math.max(from, nearTip), to), to);
    // What was asked for one after the other is of one chain only when that has not moved meanwhile.
    const { number, hash } = heads.latest;
    if ((await this.#context.chain.block(number))?.hash !== hash) throw new ChainMoved();
    const previous = this.#positions.blocks().find((block) => block.number === from - 1);
    const hashes = new Map(previous === undefined ? [] : [[previous.number, previous.hash]]);
    for (const { number, hash, parentHash } of blocks) {
      if ((hashes.get(number - 1) ?? parentHash) !== parentHash) throw new ChainMoved();
      hashes.set(number, hash);
    }
    for (const { log } of findings.matches) {
      if ((hashes.get(log.blockNumber) ?? log.blockHash) !== log.blockHash) throw new ChainMoved();
    }
    const isReported = this.#context.confidences.includes("latest");
    await report(this.#context, this.#positions, {
      confidence: "latest",
      findings: isReported ? findings : { ...findings, matches: [] },
      remember: () => {
        for (const block of blocks) this.#positions.remember(block);
        this.#positions.forgetBelow(to - REMEMBERED + 1);
      },
    });
    return to;
  }

  async #readSettled(confidence: "safe" | "finalized", head: number): Promise<void> {
    if (!this.#context.confidences.includes(confidence)) {
      if (this.#position(confidence) !== head) this.#positions.set(confidence, head);
      return;
    }
    const turnEnds = performance.now() + TURN_MS;
    for (let from = this.#position(confidence) + 1; from <= head; ) {
      const findings = await findingsIn(this.#context, { from, to: head });
      await report(this.#context, this.#positions, { confidence, findings });
      from = findings.to + 1;
      if (performance.now() > turnEnds) {
        this.#context.ticker.wake();
        return;
      }
    }
  }

  async #blocks(from: number, to: number): Promise<Block[]> {
    const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index);
    const blocks = await Promise.all(numbers.map((number) => this.#context.chain.block(number)));
    return blocks.map((block) => {
      if (block === undefined) throw new ChainMoved();
      return block;
    });
  }

  /** Nothing where it takes a moment. */
  #sayProgress(heads: Heads): void {
    const { log } = this.#context;
    const position = this.#position("latest");
    if (position >= heads.latest.number) {
      if (this.#saidProgressAt !== undefined) log.info(`All blocks up to ${position} are read.`);
      this.#saidProgressAt = undefined;
    } else if (performance.now() - (this.#saidProgressAt ?? Number.NEGATIVE_INFINITY) > PROGRESS_MS) {
      log.info(`Reading logs up to block ${heads.latest.number}; they are read up to block ${position}.`);
      this.#saidProgressAt = performance.now();
    }
  }
}
