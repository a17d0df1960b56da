import { type CrecClient, CrecError, type Verifier } from "../../src/index.ts";
import type { Job } from "../shared/job.ts";
import type { CallAnswer, CallToAsk } from "../shared/messages.ts";

/** How long a call may take. Milliseconds. */
const TIMEOUT_MS = 60_000;

/** Asks a call of today. Rejects only when the signal ends it: a call that fails is an answer, too. */
export type Ask = (call: CallToAsk, signal: AbortSignal) => Promise<CallAnswer>;

/**
 * Asks calls by `evm_call` queries at the newest block. A query is written to its channel, and counts as any other one.
 * @param verifier checks the proofs of the answers; without it, the service is believed
 */
export function askNewestBlock(client: Pick<CrecClient, "queries">, verifier?: Verifier): Ask {
  return async ({ channelId, chainSelector, from, to, data, value = "0" }, signal) => {
    if (BigInt(value) !== 0n)
      return {
        error: "The call pays an amount, which a query cannot. See the operation for what would be sent.",
      };
    const params = {
      contract_address: to,
      call_data: data,
      block_selection: { type: "latest" } as const,
      ...(from === undefined ? {} : { from_address: from }),
    };
    try {
      const { data: result, block } = await client.queries.run(
        channelId,
        { chain_selector: chainSelector, params },
        { signal, timeoutMs: TIMEOUT_MS, ...(verifier ? { verifier } : {}) },
      );
      return { result, ...(block ? { block: block.number } : {}) };
    } catch (error) {
      if (signal.aborted || !(error instanceof CrecError)) throw error;
      return { error: error.message };
    }
  };
}

/** Of the data of a call, in characters. */
const LONGEST_TEXT = 2 ** 18;

/** The call, if it is one. It is asked with the key of the parent: a channel that the flow does not use is not reached. */
export function callOf(call: CallToAsk, { snapshot }: Job): CallToAsk | undefined {
  const { channelId, chainSelector, from, to, data, value } = call;
  const texts: unknown[] = [channelId, chainSelector, to, data];
  const others: unknown[] = [from, value].filter((each) => each !== undefined);
  const areTexts = [...texts, ...others].every(
    (each) => typeof each === "string" && each.length <= LONGEST_TEXT,
  );
  const isKnown = snapshot.channels.some(({ channel }) => channel.channel_id === channelId);
  if (!areTexts || !isKnown) return undefined;
  return {
    ...{ channelId, chainSelector, to, data },
    ...(from === undefined ? {} : { from }),
    ...(value === undefined ? {} : { value }),
  };
}
