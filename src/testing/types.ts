import type {
  Address,
  ChannelEvent,
  Confidence,
  EventPage,
  OperationStatus,
  OperationStatusEvent,
  Query,
  QueryParams,
  WatcherEvent,
} from "../protocol/index.ts";
import type { FakeVerification } from "./oracle-round.ts";
import type { CallAnswer } from "./statements.ts";

/** What a fake channel is made of. */
export type FakeChannelOptions = {
  /** The ABI of the contract whose events it has, in any form that `parseAbi` reads. */
  abi: string | readonly unknown[] | object;
  /**
   * The address of that contract.
   * @default a random one
   */
  contract?: string | undefined;
  /**
   * The network of the contract.
   * @default "7759470850252068959", a local one
   */
  chainSelector?: string | undefined;
  /**
   * The EVM chain id of the network, as decimal digits. Needed for a network that `KNOWN_CHAINS` does not have.
   * @default that of the well-known network
   */
  chainId?: string | undefined;
  /**
   * The id of the channel.
   * @default a random one
   */
  channelId?: string | undefined;
};

/** Where a contract event is, and how final. */
export type FakeEventDetails = {
  /**
   * The contract that emits it.
   * @default that of the channel
   */
  contract?: string | undefined;
  /** @default "finalized" */
  confidence?: Confidence | undefined;
  /** @default 1 more than that of the contract event before */
  blockNumber?: number | undefined;
  /**
   * The time of the block, in Unix seconds.
   * @default now
   */
  blockTime?: number | undefined;
  /** @default a random one */
  transactionHash?: string | undefined;
  /** @default 0 */
  logIndex?: number | undefined;
};

/** The operation that a status is about. */
export type FakeOperation = {
  /** The address of its wallet. */
  wallet: string;
  /** The id that was signed, as decimal digits. */
  walletOperationId: string;
  /**
   * The service's id of it.
   * @default a random one
   */
  operationId?: string | undefined;
  /**
   * Why it has this status. It is not signed.
   * @default ""
   */
  reason?: string | undefined;
  /**
   * The transaction that executed it.
   * @default a random one
   */
  transactionHash?: string | undefined;
};

/** Which query is answered. */
export type FakeQueryDetails = {
  /** @default a random one */
  queryId?: string | undefined;
  /**
   * The block that was read.
   * @default that of the last contract event
   */
  blockNumber?: number | undefined;
};

/** A channel without a service: events, signed by oracles whose keys only this object has. */
export type FakeChannel = {
  channelId: string;
  contract: Address;
  chainSelector: string;
  /** What a program that is tested gets in place of its own settings, for `createVerifier`. */
  verification: FakeVerification;
  /** All events so far, by offset from 1. A test may change them, such as to forge one. */
  events: ChannelEvent[];
  /**
   * Adds a signed event of the contract. `params` are by name or in order, as for `encodeFunctionCall`; `name` is a
   * signature where several events share the name.
   * @throws {ArgumentError} `EVENT_NOT_IN_ABI`; `INVALID_ARGUMENT` and the like, with the path of a value: `params.to`.
   */
  event(
    name: string,
    params?: readonly unknown[] | Record<string, unknown>,
    details?: FakeEventDetails,
  ): WatcherEvent;
  /** Adds a status of an operation, signed where the service's is. */
  operation(status: OperationStatus, operation: FakeOperation): OperationStatusEvent;
  /** Adds the signed answer to a query, and returns the query as the service shows it. `params` are those of its request. */
  query(params: QueryParams, answer: CallAnswer, details?: FakeQueryDetails): Query;
  /**
   * The answer to `GET /channels/{id}/events`. Of the path, which may have more before it, `offset`, `limit` and `type`
   * of its query count: without `offset` the newest events, newest first; else those from this offset on, oldest first.
   */
  page(path?: string): EventPage;
};
