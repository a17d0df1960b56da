import { type Abi, amountsInTokens, fittingEvents, untypedAmountsInTokens } from "../abi/index.ts";
import { aList, like, optional, reading, text, texts, whole } from "../options/index.ts";
import type {
  Confidence,
  Open,
  OperationStatus,
  QueryErrorCode,
  QueryStatus,
  WalletStatus,
  WatcherStatus,
} from "../protocol/index.ts";
import type { ReferenceData } from "./extension-event.ts";

/** A JSON number, or decimal text where it passes 2^53. */
export type ChainInteger = number | string;

/** A contract event. Signed values take precedence over unsigned ones. */
export type DecodedWatcherEvent = {
  /** The name of the contract event, or of a service's own event. */
  name: string;
  /**
   * With an ABI, and in an event of an extension: the contract's names, integers as decimal text. Without: as the service
   * sent them, in snake_case.
   */
  params: Record<string, unknown>;
  /**
   * Names in the signed text that several parameters of the ABI share, such as `token_id` of `tokenId` and `token_id`:
   * the text has one value for all of them. These parameters are missing in `params`.
   */
  lost?: string[];
  /** Of an extension: the words for the numbers of enums in `params`, such as `{ status: "Processed" }`. */
  words?: Record<string, string>;
  /** The address of the contract that emitted it, checksummed. */
  contract?: string;
  /** The network. */
  chainSelector: string;
  /**
   * True where `chainSelector` is not signed: the signed text names neither a selector nor the chain id of a well-known
   * chain. Anyone between the service and this program may have changed it, so decide nothing by it.
   */
  chainSelectorUnsigned?: true;
  /** The transaction that emitted it. */
  transactionHash?: string;
  /** The block that it is in. */
  blockNumber?: ChainInteger;
  /** The time of the block, in Unix seconds. */
  blockTime?: ChainInteger;
  /** The index of the log in its block. */
  logIndex?: ChainInteger;
  /** How final the block was when the oracles signed. */
  confidence?: Open<Confidence>;
  /** The watcher that reported it. It is not signed. */
  watcherId: string;
  /** The service of the watcher, where it has one. */
  service?: string;
  /** What the service's watcher reported. */
  data?: unknown;
  /** The documented parts of `data` in an event of the extension `dta.v2`. */
  reference?: ReferenceData;
};

/** A change of an operation's status. */
export type DecodedOperationStatus = {
  /** The new status. */
  status: Open<OperationStatus>;
  /** Why it has this status; empty where the service gives no reason. */
  reason: string;
  /** The service's id of the operation. It is not signed. */
  operationId: string;
  /** The id that the wallet's owner signed, in decimal. */
  walletOperationId: string;
  /** The wallet's address, checksummed. */
  wallet: string;
  /** The transaction that executed it. Present only in a status with a proof. */
  transactionHash?: string;
};

/** A change of a query's status, with the answer once there is one. */
export type DecodedQueryStatus = {
  /** The new status. */
  status: Open<QueryStatus>;
  /** The service's id of the query. */
  queryId: string;
  /** The address of the contract, checksummed. */
  target: string;
  /** The block at which the contract was read; `time` in Unix seconds. */
  block?: { number: string; hash: string; time: ChainInteger };
  /** The bytes that the contract returned, as hex. */
  result?: string;
  /** Why the query failed; `data` is what the contract reverted with, as hex. */
  error?: { code: Open<QueryErrorCode>; message: string; data?: string };
};

/** A change of a watcher's status. It never has a proof. */
export type DecodedWatcherStatus = {
  /** The new status. */
  status: Open<WatcherStatus>;
  /** Why it has this status; empty where the service gives no reason. */
  reason: string;
  /** The service's id of the watcher. */
  watcherId: string;
  /** The network. */
  chainSelector: string;
  /** When the status changed, in Unix seconds. */
  time?: ChainInteger;
  /** The service of the watcher, where it has one. */
  service?: string;
  /** The workflow that runs the watcher. */
  workflowId?: string;
};

/** A change of a wallet's status. It never has a proof. */
export type DecodedWalletStatus = {
  /** The new status. */
  status: Open<WalletStatus>;
  /** Why it has this status; empty where the service gives no reason. */
  reason: string;
  /** The service's id of the wallet. */
  walletId: string;
  /** The wallet's address, checksummed; empty until the wallet is deployed. */
  wallet: string;
  /** The network. */
  chainSelector: string;
  /** When the status changed, in Unix seconds. */
  time?: ChainInteger;
};

/** The decoded form of each type of event. */
export type DecodedByType = {
  "watcher.event": DecodedWatcherEvent;
  "operation.status": DecodedOperationStatus;
  "query.status": DecodedQueryStatus;
  "watcher.status": DecodedWatcherStatus;
  "wallet.status": DecodedWalletStatus;
};

/** The decoded form of events of these types: any of them where the type is not known. */
export type DecodedEvent<Type extends string = string> = Type extends keyof DecodedByType
  ? DecodedByType[Type]
  : string extends Type
    ? DecodedByType[keyof DecodedByType] | Record<string, unknown>
    : Record<string, unknown>;

/** What is known about the contract of an event. */
export type TokenUnits = {
  /** The contract's. */
  decimals: number;
  /** Its types decide; an event that it does not have is read by the names of the parameters alone. */
  abi?: Abi | undefined;
  /** The parameters that are amounts, where they do not have usual names such as `value` and `amount`. */
  amounts?: readonly string[] | undefined;
};

type Named = Pick<DecodedWatcherEvent, "name" | "params">;

const eventKind = like<Named>({ name: text, params: like<Named["params"]>({}) });

const unitsKind = like<TokenUnits>({
  decimals: whole(0, 77),
  abi: optional(aList()),
  amounts: optional(texts),
});

/**
 * The amounts among the parameters of a contract event, in tokens, under the names that they have in `params`. Which
 * parameters are amounts: see `amountsInTokens`. Undefined where there is none. Use it only for events of the contract
 * whose decimals these are: compare `contract` and `chainSelector` first.
 *
 * @throws {ArgumentError} `INVALID_ARGUMENT` for decimals that are not a whole number from 0 to 77.
 * @example
 * const transfer = { name: "Transfer", params: { value: "1500000" } };
 * eventTokens(transfer, { decimals: 6 }); // → { value: "1.5" }
 */
export function eventTokens(
  event: Pick<DecodedWatcherEvent, "name" | "params">,
  units: TokenUnits,
): Record<string, unknown> | undefined {
  eventKind(event, "event");
  unitsKind(units, "units");
  return reading("event", () => tokensOf(event, units));
}

function tokensOf({ name, params }: Named, { decimals, abi = [], amounts }: TokenUnits) {
  const events = fittingEvents(abi, name, params);
  if (events.length === 0) return untypedAmountsInTokens(params, decimals, amounts);
  const [first, ...others] = events.map(({ inputs }) => amountsInTokens(params, inputs, decimals, amounts));
  // Where events that fit differ in what is an amount, it is not known.
  return others.every((other) => JSON.stringify(other) === JSON.stringify(first)) ? first : undefined;
}
