// The resources that a request names. One that does not exist, or that a tester made absent, is a 404.
import {
  type Channel,
  CONFIDENCES,
  type Confidence,
  type ErrorCode,
  type Network,
} from "../../src/protocol/index.ts";
import type { Context } from "./context.ts";
import { conflict, notFound } from "./errors.ts";
import type { StoredOperation } from "./store/operations.ts";
import type { StoredQuery } from "./store/queries.ts";
import type { StoredWallet } from "./store/wallets.ts";
import type { StoredWatcher } from "./store/watchers.ts";

/** @throws ApiError 404 `CHANNEL_NOT_FOUND` */
export function channelOf(context: Context, channelId: string): Channel {
  const channel = context.store.channels.get(channelId);
  return visible(context, channel, channelId, "CHANNEL_NOT_FOUND", "channel");
}

/**
 * Refuses a channel that does not exist. It takes less time than `channelOf`.
 *
 * @throws ApiError 404 `CHANNEL_NOT_FOUND`
 */
export function checkChannel(context: Context, channelId: string): void {
  const found = context.store.channels.has(channelId) || undefined;
  visible(context, found, channelId, "CHANNEL_NOT_FOUND", "channel");
}

/** @throws ApiError 404 `WALLET_NOT_FOUND` */
export function walletOf(context: Context, walletId: string): StoredWallet {
  const wallet = context.store.wallets.get(walletId);
  return visible(context, wallet, walletId, "WALLET_NOT_FOUND", "wallet");
}

/** @throws ApiError 404 `WALLET_NOT_FOUND` */
export function walletAt(context: Context, chainSelector: string, address: string): StoredWallet {
  const wallet = context.store.wallets.atAddress(chainSelector, address);
  if (wallet !== undefined && !context.injected.absences.isAbsent(wallet.walletId)) return wallet;
  throw notFound("WALLET_NOT_FOUND", "wallet at", address);
}

/** @throws ApiError 404 `CHANNEL_NOT_FOUND` or `WATCHER_NOT_FOUND` */
export function watcherOf(
  context: Context,
  { channel_id, watcher_id }: { channel_id: string; watcher_id: string },
): StoredWatcher {
  channelOf(context, channel_id);
  const watcher = context.store.watchers.get(watcher_id);
  const ofChannel = watcher?.channel_id === channel_id ? watcher : undefined;
  return visible(context, ofChannel, watcher_id, "WATCHER_NOT_FOUND", "watcher");
}

/** @throws ApiError 404 `CHANNEL_NOT_FOUND` or `OPERATION_NOT_FOUND` */
export function operationOf(
  context: Context,
  { channel_id, operation_id }: { channel_id: string; operation_id: string },
): StoredOperation {
  channelOf(context, channel_id);
  const operation = context.store.operations.get(operation_id);
  const ofChannel = operation?.channelId === channel_id ? operation : undefined;
  return visible(context, ofChannel, operation_id, "OPERATION_NOT_FOUND", "operation");
}

/** @throws ApiError 404 `CHANNEL_NOT_FOUND` or `QUERY_NOT_FOUND` */
export function queryOf(
  context: Context,
  { channel_id, query_id }: { channel_id: string; query_id: string },
): StoredQuery {
  channelOf(context, channel_id);
  const query = context.store.queries.get(query_id);
  const ofChannel = query?.channel_id === channel_id ? query : undefined;
  return visible(context, ofChannel, query_id, "QUERY_NOT_FOUND", "query");
}

function visible<T>(
  { injected }: Context,
  resource: T | undefined,
  id: string,
  code: ErrorCode,
  what: string,
): T {
  if (resource !== undefined && !injected.absences.isAbsent(id)) return resource;
  throw notFound(code, what, id);
}

/** The strongest level that the network reports: where its operations end. */
export function confidenceLevelOf({ confidences }: Pick<Context, "confidences">): Confidence {
  return CONFIDENCES.findLast((level) => confidences.includes(level)) ?? "latest";
}

/** The networks of an environment, or all. */
export function networksOf({ chain }: Context, environment?: string): Network[] {
  return [chain.network].filter((network) => environment === undefined || network.type === environment);
}

/** @throws ApiError 409 `CHAIN_UNAVAILABLE` when no network has this selector. */
export function checkNetwork(context: Context, chainSelector: string): void {
  const networks = networksOf(context);
  if (networks.some((network) => network.chain_selector === chainSelector)) return;
  throw conflict(
    `chain_selector ${chainSelector} is not a network of this service. It has: ${networks.map((network) => `${network.chain_selector} (${network.name})`).join(", ")}.`,
    "CHAIN_UNAVAILABLE",
  );
}
