// The resources that a request names. One that does not exist, or that a tester made absent, is a 404.
import { type Channel, CONFIDENCES, type Confidence, type Network } from "../../src/protocol/index.ts";
import type { Context } from "./context.ts";
import { conflict, notFound } from "./errors.ts";
import type { StoredOperation } from "./store/operations.ts";
import type { StoredQuery } from "./store/queries.ts";
import type { StoredWallet } from "./store/wallets.ts";
import type { StoredWatcher } from "./store/watchers.ts";

/** @throws ApiError 404 `CHANNEL_NOT_FOUND` */
export function channelOf(context: Context, channelId: string): Channel {
  return visible(context, "channel", channelId, context.store.channels.get(channelId));
}

/**
 * Refuses a channel that does not exist. It takes less time than `channelOf`.
 *
 * @throws ApiError 404 `CHANNEL_NOT_FOUND`
 */
export function checkChannel(context: Context, channelId: string): void {
  visible(context, "channel", channelId, context.store.channels.has(channelId) || undefined);
}

/** @throws ApiError 404 `WALLET_NOT_FOUND` */
export function walletOf(context: Context, walletId: string): StoredWallet {
  return visible(context, "wallet", walletId, context.store.wallets.get(walletId));
}

/** @throws ApiError 404 `WALLET_NOT_FOUND` */
export function walletAt(context: Context, chainSelector: string, address: string): StoredWallet {
  const wallet = context.store.wallets.atAddress(chainSelector, address);
  if (wallet !== undefined && !context.injected.absences.isAbsent(wallet.walletId)) return wallet;
  throw notFound("WALLET_NOT_FOUND", "wallet at", address);
}

type OfChannel<Id extends string> = Record<"channel_id" | Id, string>;

/** @throws ApiError 404 `CHANNEL_NOT_FOUND` or `WATCHER_NOT_FOUND` */
export function watcherOf(
  context: Context,
  { channel_id, watcher_id: id }: OfChannel<"watcher_id">,
): StoredWatcher {
  channelOf(context, channel_id);
  const watcher = context.store.watchers.get(id);
  return visible(context, "watcher", id, watcher?.channel_id === channel_id ? watcher : undefined);
}

/** @throws ApiError 404 `CHANNEL_NOT_FOUND` or `OPERATION_NOT_FOUND` */
export function operationOf(
  context: Context,
  { channel_id, operation_id: id }: OfChannel<"operation_id">,
): StoredOperation {
  channelOf(context, channel_id);
  const operation = context.store.operations.get(id);
  return visible(context, "operation", id, operation?.channelId === channel_id ? operation : undefined);
}

/** @throws ApiError 404 `CHANNEL_NOT_FOUND` or `QUERY_NOT_FOUND` */
export function queryOf(context: Context, { channel_id, query_id: id }: OfChannel<"query_id">): StoredQuery {
  channelOf(context, channel_id);
  const query = context.store.queries.get(id);
  return visible(context, "query", id, query?.channel_id === channel_id ? query : undefined);
}

function visible<T>(
  { injected }: Context,
  what: "channel" | "wallet" | "watcher" | "operation" | "query",
  id: string,
  resource: T | undefined,
): T {
  if (resource !== undefined && !injected.absences.isAbsent(id)) return resource;
  throw notFound(`${what.toUpperCase() as Uppercase<typeof what>}_NOT_FOUND`, what, id);
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
