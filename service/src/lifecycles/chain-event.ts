import { checksumAddress } from "viem";
import { signatureHash, signatureOf } from "../../../src/abi/index.ts";
import type { Confidence, EventFragment, Network, VerifiableEvent } from "../../../src/protocol/index.ts";
import type { RawLog } from "../chain/chain-data.ts";
import { rfc3339 } from "../time.ts";

/** A log as a watcher reports it. A watcher of a service adds `service` and `data`. */
export type ReadLog = {
  fragment: EventFragment;
  log: RawLog;
  params: Record<string, unknown>;
  service?: string;
  data?: Record<string, unknown>;
};

/** The statement that the oracles sign about a log. */
export function chainEventStatement(
  network: Network,
  { fragment, log, params, service, data }: ReadLog,
  { timestamp, confidence }: { timestamp: number; confidence: Confidence },
): VerifiableEvent {
  const signature = signatureOf(fragment);
  return {
    ...(service === undefined ? {} : { service }),
    name: fragment.name,
    timestamp: rfc3339(timestamp),
    chain_family: network.chain_family,
    chain_selector: network.chain_selector,
    chain_event: {
      chain_id: network.chain_id,
      block_number: log.blockNumber,
      block_timestamp: timestamp,
      confidence,
      tx_hash: log.transactionHash,
      address: checksumAddress(log.address),
      // The first topic of an anonymous event is a value, not its signature.
      topic_hash: signatureHash(signature),
      log_index: log.logIndex,
      event_signature: signature,
      params,
    },
    ...(data === undefined ? {} : { data }),
  };
}
