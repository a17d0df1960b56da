import { wholeDigits } from "../../proofs/integer.ts";
import type { AlertEvidence, AlertOutcome } from "../types.ts";
import { doubtedByBlock, doubtedByLog, doubtedByTransaction } from "./doubts.ts";
import { cleanHash, cleanLevel, cleanPlace } from "./log-place.ts";
import { knownFrom, withJudged } from "./past.ts";
import { isEnd, isOtherReading, type Judged, ownerOf, sighted } from "./sighted.ts";
import { noteSource } from "./sources.ts";
import type { Learned, Moment, WatchedAlert, WatchState } from "./types.ts";

/**
 * What a piece of evidence shows about the watched alerts. Evidence has to be proven: give nothing that was not
 * verified. Invalid evidence, such as a block number that is not a number, changes nothing.
 */
export function learn(state: WatchState, evidence: AlertEvidence, moment: Moment): Learned {
  switch (evidence.kind) {
    case "log": {
      const log = cleanPlace(evidence.log);
      if (log === undefined) return { state, outcomes: [] };
      const sources = noteSource(state.sources, log);
      const clean = { ...evidence, log };
      const owner = ownerOf(state.watched, log);
      const among = { ...moment, sources, isOwned: owner !== undefined };
      const isLower = !state.hasLower && !isEnd(clean);
      const noted =
        sources === state.sources && !isLower
          ? state
          : { ...state, sources, ...(isLower && { hasLower: true as const }) };
      const judged = judgeAll(noted, (one) =>
        one === owner ? sighted(one, clean, moment) : doubtedByLog(one, clean, among),
      );
      const known = knownFrom(state.past, log, isEnd(clean));
      const contradicts = state.watched.some((one) => isOtherReading(one, clean));
      return {
        ...judged,
        ...known,
        ...(owner === undefined ? {} : { belongsTo: owner.alert.id }),
        ...(contradicts && { contradicts }),
      };
    }
    case "block": {
      const place = cleanBlock(evidence);
      if (place.blockNumber === undefined) return { state, outcomes: [] };
      const clean = { ...evidence, ...place, blockNumber: place.blockNumber };
      return judgeAll(state, (one) => doubtedByBlock(one, clean, moment));
    }
    case "transaction": {
      const { blockNumber, ...place } = cleanBlock(evidence);
      const transactionHash = cleanHash(evidence.transactionHash);
      if (transactionHash === undefined) return { state, outcomes: [] };
      const { blockNumber: _given, ...rest } = evidence;
      const clean = {
        ...rest,
        ...place,
        transactionHash,
        ...(blockNumber === undefined ? {} : { blockNumber }),
      };
      return judgeAll(state, (one) => doubtedByTransaction(one, clean, moment));
    }
  }
}

function cleanBlock({ chainSelector, blockNumber, confidence }: Exclude<AlertEvidence, { kind: "log" }>) {
  return {
    // An invalid selector matches no chain.
    chainSelector: wholeDigits(chainSelector) ?? "",
    blockNumber: wholeDigits(blockNumber),
    confidence: cleanLevel(confidence),
  };
}

/** `state` itself where no alert changed. */
function judgeAll(
  state: WatchState,
  judge: (one: WatchedAlert) => Judged,
): { state: WatchState; outcomes: AlertOutcome[] } {
  const judged = state.watched.map(judge);
  const outcomes = judged.flatMap((one) => one.outcomes ?? []);
  const isSame = judged.every(({ watched }, index) => watched === state.watched[index]);
  if (isSame) return { state, outcomes };
  const watched = judged.flatMap((one) => one.watched ?? []);
  return { state: { ...state, watched, past: withJudged(state.past, judged) }, outcomes };
}
