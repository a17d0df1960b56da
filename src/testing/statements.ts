import * as Address from "ox/Address";
import { signatureHash, signatureOf } from "../abi/index.ts";
import type {
  Confidence,
  EventFragment,
  Network,
  OperationStatus,
  QueryParams,
  VerifiableEvent,
  VerifiableResult,
} from "../protocol/index.ts";
import { rfc3339 } from "../timing/index.ts";

// What oracles sign, in the form of the service. Times are Unix seconds.

/** A log as a watcher reports it. A watcher of a service adds `service` and `data`. */
export type ReportedLog = {
  fragment: EventFragment;
  log: { address: string; blockNumber: number; logIndex: number; transactionHash: string };
  params: Record<string, unknown>;
  service?: string;
  data?: Record<string, unknown>;
};

type OfNetwork = Pick<Network, "chain_family" | "chain_selector" | "chain_id">;

/** About a log; `timestamp` is that of its block. */
export function logStatement(
  network: OfNetwork,
  { fragment, log, params, service, data }: ReportedLog,
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
      address: Address.checksum(log.address),
      // The first topic of an anonymous event is a value, not its signature.
      topic_hash: signatureHash(signature),
      log_index: log.logIndex,
      event_signature: signature,
      params,
    },
    ...(data === undefined ? {} : { data }),
  };
}

/** An operation in a block. */
type ReportedOperation = {
  wallet_operation_id: string;
  address: string;
  status: OperationStatus;
  transaction_hash: string;
};

/** About the status of an operation. */
export function operationStatement(
  { chain_family, chain_selector }: Pick<OfNetwork, "chain_family" | "chain_selector">,
  { wallet_operation_id, address, status, transaction_hash }: ReportedOperation,
  timestamp: number,
): VerifiableEvent {
  return {
    service: "_crec",
    name: "OperationStatus",
    timestamp: rfc3339(timestamp),
    ...{ chain_family, chain_selector },
    data: {
      ...{ wallet_operation_id, wallet_address: address },
      ...{ status, status_reason: "", transaction_hash },
    },
  };
}

/** A query as it was asked. */
type AskedQuery = {
  query_id: string;
  channel_id: string;
  query_kind: string;
  chain_selector: string;
  params: Required<QueryParams>;
};

/** What a call returned, as hex, or why not. */
export type CallAnswer = { returned: string } | { error: NonNullable<VerifiableResult["data"]["error"]> };
/** The same, with the block that it is about where there is one. */
type QueryOutcome = CallAnswer & {
  resolved?: { number: number; hash: string; timestamp: number };
};

/** About the answer to a query. */
export function queryStatement(
  query: AskedQuery,
  outcome: QueryOutcome,
  timestamp: number,
): VerifiableResult {
  const { resolved } = outcome;
  const { block_selection, from_address, contract_address, call_data } = query.params;
  return {
    service: "_crec",
    name: "ChainQuery",
    chain_selector: query.chain_selector,
    timestamp: rfc3339(timestamp),
    data: {
      query_id: query.query_id,
      channel_id: query.channel_id,
      query_kind: query.query_kind,
      target: { from_address, contract_address, call_data },
      block_selection: {
        requested: block_selection,
        ...(resolved === undefined
          ? {}
          : {
              resolved: {
                block_number: String(resolved.number),
                block_hash: resolved.hash,
                block_timestamp: resolved.timestamp,
              },
            }),
      },
      ...("returned" in outcome
        ? { result: { raw_return_data: outcome.returned } }
        : { error: outcome.error }),
    },
  };
}
