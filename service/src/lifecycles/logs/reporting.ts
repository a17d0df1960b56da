import type { Confidence, WatcherEventPayload } from "../../../../src/protocol/index.ts";
import type { WorkflowRun } from "../../../../src/testing/oracle-round.ts";
import { logStatement } from "../../../../src/testing/statements.ts";
import type { Context } from "../../context.ts";
import type { Attestation } from "../../oracles/network.ts";
import { runOfWatcher } from "../../oracles/workflows.ts";
import type { Positions } from "../../store/chain-progress.ts";
import { Yielder } from "../../store/yielder.ts";
import { now } from "../../time.ts";
import type { Findings, Match } from "./findings.ts";
import { ChainMoved, isOfOneLog } from "./skipped.ts";

type Attested = Match & { attestation: Attestation; run: WorkflowRun };

/** Findings to report at a confidence level. */
type Report = {
  confidence: Confidence;
  findings: Findings;
  /** Stored together with the position. */
  remember?: () => void;
};

/** Logs whose events are stored in one transaction, and characters of their data: requests wait while it runs. */
const STORED_TOGETHER = { logs: 100, characters: 1_000_000 };

/**
 * Attests the matches and stores their events, then the position. After an interruption, stored events are not reported again.
 * A match that cannot be signed or stored is skipped.
 *
 * @throws ChainMoved when the block of a match was replaced.
 */
export async function report(context: Context, positions: Positions, what: Report): Promise<void> {
  const { store } = context;
  const { confidence, findings } = what;
  const isNew = ({ watcher, log }: Match) =>
    !positions.isReported(watcher.watcher_id, log.blockHash, log.logIndex, confidence);
  const matches = findings.matches.filter(isNew);
  const timestamps = await timestampsOf(context, matches);
  const yielder = new Yielder();
  for (const part of parts(matches)) {
    if (context.ticker.isStopped) throw new Error("the service is stopping");
    const attested = await attest(context, part, { confidence, timestamps, yielder });
    keep(context, attested, (match) => append(context, positions, confidence, match));
  }
  store.transaction(() => {
    positions.set(confidence, findings.to);
    what.remember?.();
  });
}

function* parts(matches: readonly Match[]): Generator<Match[]> {
  let part: Match[] = [];
  let characters = 0;
  for (const match of matches) {
    part.push(match);
    characters += match.log.data.length;
    if (part.length < STORED_TOGETHER.logs && characters < STORED_TOGETHER.characters) continue;
    yield part;
    part = [];
    characters = 0;
  }
  if (part.length > 0) yield part;
}

/** In one transaction, or one for each match where one of them cannot be stored. */
function keep(
  { store, skipped }: Context,
  matches: readonly Attested[],
  append: (match: Attested) => void,
): void {
  try {
    store.transaction(() => matches.forEach(append));
  } catch (error) {
    if (!isOfOneLog(error)) throw error;
    for (const match of matches) {
      try {
        store.transaction(() => append(match));
      } catch (error) {
        skipped.skip(match.watcher, match.log, error);
      }
    }
  }
}

async function timestampsOf(
  { chain }: Context,
  matches: readonly Match[],
): Promise<ReadonlyMap<string, number>> {
  const hashes = new Map(matches.map(({ log }) => [log.blockNumber, log.blockHash]));
  const found = await Promise.all(
    [...hashes].map(async ([number, hash]) => {
      const block = await chain.block(number);
      if (block?.hash !== hash) throw new ChainMoved();
      return [hash, block.timestamp] as const;
    }),
  );
  return new Map(found);
}

async function attest(
  { chain, oracles, skipped }: Context,
  matches: readonly Match[],
  how: { confidence: Confidence; timestamps: ReadonlyMap<string, number>; yielder: Yielder },
): Promise<Attested[]> {
  const { confidence, timestamps, yielder } = how;
  const attested: Attested[] = [];
  for (const match of matches) {
    // A large event takes some time to read and to hash.
    if (yielder.shouldYield()) await yielder.yield();
    const timestamp = timestamps.get(match.log.blockHash);
    if (timestamp === undefined) throw new ChainMoved();
    const { watcher, log } = match;
    try {
      const statement = logStatement(chain.network, match, { timestamp, confidence });
      const run = runOfWatcher(watcher, `${log.blockHash} ${log.logIndex} ${confidence}`);
      attested.push({ ...match, run, attestation: await oracles.attest(statement, run) });
    } catch (error) {
      skipped.skip(watcher, log, error);
    }
  }
  return attested;
}

function append(
  { store }: Context,
  positions: Positions,
  confidence: Confidence,
  { watcher, fragment, log, service, attestation, run }: Attested,
): void {
  // It may have been archived while the oracles signed.
  if (store.watchers.get(watcher.watcher_id)?.status !== "active") return;
  if (!positions.report(watcher.watcher_id, log.blockHash, log.logIndex, confidence)) return;
  const payload: WatcherEventPayload = {
    watcher_id: watcher.watcher_id,
    chain_selector: watcher.chain_selector,
    event_hash: attestation.hash,
    verifiable_event: attestation.text,
    timestamp: now(),
    ...run,
  };
  store.events.append({
    channelId: watcher.channel_id,
    type: "watcher.event",
    payload,
    proof: attestation.proof,
    found: {
      address: log.address,
      event_name: fragment.name,
      ...(service === undefined ? {} : { service }),
    },
  });
}
