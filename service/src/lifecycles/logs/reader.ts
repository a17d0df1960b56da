import type { Confidence } from "../../../../src/protocol/index.ts";
import type { Block, Heads, RawLog } from "../../chain/chain-data.ts";
import type { Context } from "../../context.ts";
import { messageOf } from "../../errors.ts";
import type { Positions } from "../../store/chain-progress.ts";
import { provisionWatchers } from "../watcher.ts";
import { type Findings, findingsIn } from "./findings.ts";
import { report } from "./reporting.ts";
import { ChainMoved } from "./skipped.ts";

/** Blocks whose hashes are remembered: the depth of a reorganization that can be followed exactly. */
const REMEMBERED = 512;
/** How long logs are read at one confidence level before other work of the tick runs. */
const SLICE_MS = 500;
/** How often the progress is logged while many blocks are read. */
const PROGRESS_MS = 10_000;
/** How long the node's blocks may form no chain, and in how many looks in a row. */
const STUCK = { ms: 60_000, looks: 10 };

/**
 * Reads the chain's logs for all watchers, by ranges of blocks, and remembers the hashes of the newest blocks. When the
 * chain replaces blocks, it continues after the last common block. Logs that were reported from a block that is still
 * there are not reported twice. Where the node's blocks form no chain for a minute, all remembered blocks are read again,
 * and those that the node lacks are passed over.
 */
export class LogReader {
  readonly #context: Context;
  readonly #onRewind: () => Promise<void>;
  readonly #positions: Positions;
  readonly #chainSelector: string;
  /** Whether the chain was rewound and `onRewind` has not run yet. */
  #rewound = false;
  /** When the progress was logged last, while reading is behind. */
  #loggedProgressAt: number | undefined;
  readonly #stuckMs: number;
  /** Since when, and in how many looks, the node's blocks form no chain. */
  #moved: { since: number; looks: number } | undefined;
  /** Up to this block, blocks that the node lacks are passed over. */
  #mayLackUpTo = -1;

  /** `onRewind` runs when the chain has replaced blocks, before its new blocks are read. */
  constructor(
    context: Context,
    { onRewind, stuckMs = STUCK.ms }: { onRewind: () => Promise<void>; stuckMs?: number | undefined },
  ) {
    this.#context = context;
    this.#onRewind = onRewind;
    this.#stuckMs = stuckMs;
    this.#chainSelector = context.chain.network.chain_selector;
    this.#positions = context.store.positions(this.#chainSelector);
  }

  /**
   * Reads all new blocks or a part of them; then another tick follows soon. Throws when the chain replaced blocks
   * meanwhile or does not answer, and continues at the next call.
   */
  async read(heads: Heads): Promise<void> {
    const { following } = this.#context;
    try {
      await this.#read(heads);
      this.#moved = undefined;
      if (this.#isBeyondLacking()) this.#mayLackUpTo = -1;
      following.succeeded();
    } catch (error) {
      following.failed(messageOf(error));
      if (!this.#isStuck(error)) throw error;
      this.#readAllAgain(heads);
    }
  }

  #isStuck(error: unknown): boolean {
    if (!(error instanceof ChainMoved)) {
      this.#moved = undefined;
      return false;
    }
    const { since, looks } = this.#moved ?? { since: performance.now(), looks: 0 };
    this.#moved = { since, looks: looks + 1 };
    return looks + 1 >= STUCK.looks && performance.now() - since >= this.#stuckMs;
  }

  #isBeyondLacking(): boolean {
    const levels = ["latest", ...this.#context.confidences] as const;
    return levels.every((level) => this.#position(level) >= this.#mayLackUpTo);
  }

  async #read(heads: Heads): Promise<void> {
    if (this.#positions.get("latest") === undefined) this.#startAt(heads);
    await this.#goBackToCommonBlock(heads);
    if (this.#rewound) await this.#onRewind();
    this.#rewound = false;
    await this.#readNewest(heads);
    const latest = this.#position("latest");
    // Never ahead of the weaker level: an event is reported as `latest` first.
    await this.#readSettled("safe", Math.min(heads.safe, latest));
    await this.#readSettled("finalized", Math.min(heads.finalized, latest, this.#position("safe")));
    this.#logProgress(heads);
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
    // Deeper than the remembered blocks: older blocks count as read.
    const oldest = remembered.at(-1)?.number ?? 0;
    const lastCommon = common ?? Math.min(oldest - 1, heads.latest.number);
    this.#logReplaced({ lastCommon, newest: newest.number, heads, everythingReplaced: common === undefined });
    this.#rewind({ lastCommon, newest: newest.number, everythingReplaced: common === undefined });
  }

  #rewind(to: { lastCommon: number; newest: number; everythingReplaced: boolean }): void {
    const { store } = this.#context;
    const { lastCommon, newest, everythingReplaced } = to;
    store.transaction(() => {
      store.timeline.add({
        kind: "reorganization",
        facts: { after_block: lastCommon, up_to_block: newest },
      });
      this.#positions.forgetAbove(lastCommon);
      store.watchers.rewind(this.#chainSelector, lastCommon);
      // Of a chain that is another one nothing can be taken for granted.
      store.executions(this.#chainSelector).setMissingAfter(everythingReplaced ? -1 : lastCommon);
      for (const confidence of ["latest", "safe", "finalized"] as const) {
        this.#positions.set(confidence, Math.min(this.#position(confidence), lastCommon));
      }
    });
    this.#rewound = true;
  }

  /** What the node has now is taken as it is, once. */
  #readAllAgain({ latest }: Heads): void {
    const blocks = this.#positions.blocks();
    const newest = blocks[0]?.number ?? latest.number;
    const lastCommon = Math.min((blocks.at(-1)?.number ?? latest.number) - 1, latest.number);
    this.#context.log.error(
      `The node's blocks have formed no chain for ${Math.round(this.#stuckMs / 1000)} s: it lacks some, or they name other parents. They are read again after block ${lastCommon}; those that it lacks up to ${latest.number} are passed over. Restart the node, or start over with another one, if it happens again.`,
    );
    this.#rewind({ lastCommon, newest, everythingReplaced: true });
    this.#mayLackUpTo = latest.number;
    this.#moved = undefined;
    this.#context.ticker.wake();
  }

  /** A chain may replace its newest blocks, but never finalized ones. */
  #logReplaced(found: {
    lastCommon: number;
    newest: number;
    heads: Heads;
    everythingReplaced: boolean;
  }): void {
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
      ? `it has none of the blocks that were read last, up to ${newest}`
      : `its blocks after ${lastCommon} are gone, though those up to ${finalized} were finalized`;
    log.error(
      `The chain was rolled back: ${what}; it is at block ${heads.latest.number} now. Events that were sent stay valid; reading continues after block ${lastCommon}, and lost contracts, wallets and operations are restored where possible. To start over, stop the service and remove ${store.dataDir}.`,
    );
  }

  async #readNewest(heads: Heads): Promise<void> {
    const sliceEnds = performance.now() + SLICE_MS;
    for (let from = this.#position("latest") + 1; from <= heads.latest.number; ) {
      from = 1 + (await this.#readNewestFrom(from, heads));
      if (performance.now() > sliceEnds) return;
    }
  }

  /**
   * Reads a part and returns its last block. The newest blocks may still be replaced: their hashes must form one chain
   * with the remembered ones.
   */
  async #readNewestFrom(from: number, heads: Heads): Promise<number> {
    const findings = await this.#findings(from, heads.latest.number);
    const { to } = findings;
    const nearTip = heads.latest.number - REMEMBERED + 1;
    const { blocks, lacking } = await this.#blocks(Math.min(Math.max(from, nearTip), to), to);
    // Several calls see one chain only if it did not replace blocks meanwhile.
    const { number, hash } = heads.latest;
    if ((await this.#context.chain.block(number))?.hash !== hash) throw new ChainMoved();
    const previous = this.#positions.blocks().find((block) => block.number === from - 1);
    const hashes = new Map(previous === undefined ? [] : [[previous.number, previous.hash]]);
    for (const { number, hash, parentHash } of blocks) {
      const isNext = (hashes.get(number - 1) ?? parentHash) === parentHash;
      if (!isNext && number > this.#mayLackUpTo) throw new ChainMoved();
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
    this.#passOver(lacking);
    return to;
  }

  async #readSettled(confidence: "safe" | "finalized", head: number): Promise<void> {
    if (!this.#context.confidences.includes(confidence)) {
      if (this.#position(confidence) !== head) this.#positions.set(confidence, head);
      return;
    }
    const sliceEnds = performance.now() + SLICE_MS;
    for (let from = this.#position(confidence) + 1; from <= head; ) {
      const findings = await this.#findings(from, head);
      await report(this.#context, this.#positions, { confidence, findings });
      from = findings.to + 1;
      if (performance.now() > sliceEnds) {
        this.#context.ticker.wake();
        return;
      }
    }
  }

  #findings(from: number, to: number): Promise<Findings> {
    return findingsIn(this.#context, { from, to, choose: (logs) => this.#ofBlocksThatAreThere(logs) });
  }

  /** A node that lacks a block may still have its logs. */
  async #ofBlocksThatAreThere(logs: RawLog[]): Promise<RawLog[]> {
    const hashes = new Map<number, string | undefined>();
    for (const { blockNumber } of logs) {
      if (blockNumber > this.#mayLackUpTo || hashes.has(blockNumber)) continue;
      hashes.set(blockNumber, (await this.#context.chain.block(blockNumber))?.hash);
    }
    return logs.filter(
      ({ blockNumber, blockHash }) => !hashes.has(blockNumber) || hashes.get(blockNumber) === blockHash,
    );
  }

  /** @throws ChainMoved when the node lacks a block that it must have. */
  async #blocks(from: number, to: number): Promise<{ blocks: Block[]; lacking: number[] }> {
    const { chain } = this.#context;
    const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index);
    const found = await Promise.all(numbers.map((number) => chain.block(number)));
    const lacking = numbers.filter((_, index) => found[index] === undefined);
    if (lacking.some((number) => number > this.#mayLackUpTo)) throw new ChainMoved();
    return { blocks: found.filter((block) => block !== undefined), lacking };
  }

  #passOver(lacking: readonly number[]): void {
    if (lacking.length === 0) return;
    const { following, log } = this.#context;
    following.passOver(lacking);
    log.warn(
      `The node lacks ${lacking.length} of its blocks from ${lacking[0]} to ${lacking.at(-1)}. They are passed over.`,
    );
  }

  /** Logs nothing where reading takes only a moment. */
  #logProgress(heads: Heads): void {
    const { log } = this.#context;
    const position = this.#position("latest");
    if (position >= heads.latest.number) {
      if (this.#loggedProgressAt !== undefined) log.info(`All blocks up to ${position} are read.`);
      this.#loggedProgressAt = undefined;
    } else if (performance.now() - (this.#loggedProgressAt ?? Number.NEGATIVE_INFINITY) > PROGRESS_MS) {
      log.info(`Reading logs up to block ${heads.latest.number}; they are read up to block ${position}.`);
      this.#loggedProgressAt = performance.now();
    }
  }
}
