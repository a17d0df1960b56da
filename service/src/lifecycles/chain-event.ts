import { checksumAddress } from "viem";
import { logParams, signatureOf } from "../../../src/abi/index.ts";
import type { Confidence, EventFragment, Network, VerifiableEvent } from "../../../src/protocol/index.ts";
import type { RawLog } from "../chain/chain.ts";
import { rfc3339 } from "../time.ts";

/**
 * What the oracles say about a log.
 *
 * @throws CrecError `LOG_MISMATCH` when the log does not decode by the fragment.
 */
export function chainEventStatement(
  network: Network,
  source: { fragment: EventFragment; log: RawLog; timestamp: number; confidence: Confidence },
): VerifiableEvent {
  const { fragment, log } = source;
  return {
    name: fragment.name,
    timestamp: rfc3339(source.timestamp),
    chain_family: network.chain_family,
    chain_selector: network.chain_selector,
    chain_event: {
      chain_id: network.chain_id,
      block_number: log.blockNumber,
      block_timestamp: source.timestamp,
      confidence: source.confidence,
      tx_hash: log.transactionHash,
      address: checksumAddress(log.address),
      topic_hash: log.topics[0] ?? "0x",
      log_index: log.logIndex,
      event_signature: signatureOf(fragment),
      params: logParams(fragment, log),
    },
  };
}
