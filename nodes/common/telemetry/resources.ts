import type { Wallet, Watcher } from "../../../src/index.ts";
import { activity } from "./activity.ts";
import { serviceText, serviceTexts } from "./service-texts.ts";
import type { Origin, ResourceReport } from "./types.ts";

/** Who saw a resource, and where. */
type Seen = {
  /** The base URL of the service. */
  service: string;
  /** Undefined for a refresh. */
  origin?: Origin;
};

/** The clock of the service may differ, and its times are whole seconds. */
const CLOCKS_DIFFER_MS = 60_000;

export function noteWatcher(watcher: Watcher, seen: Seen): void {
  const { watcher_id: id, name, status, channel_id: channelId, chain_selector: chainSelector } = watcher;
  const texts = serviceTexts({ channelId, chainSelector });
  const report = { ...namedOf({ id, name, status }), ...texts, ...seen, ...seenNow() };
  activity.note({
    kind: "resource",
    resource: "watcher",
    report: withReason(report, activity.watchers.get(id)),
  });
}

export function noteWallet(wallet: Wallet, seen: Seen): void {
  const { wallet_id: id, name, status, address, chain_selector: chainSelector } = wallet;
  const texts = serviceTexts({ address, chainSelector });
  const report = { ...namedOf({ id, name, status }), ...texts, ...seen, ...seenNow() };
  activity.note({
    kind: "resource",
    resource: "wallet",
    report: withReason(report, activity.wallets.get(id)),
  });
}

/** Notes all watchers and wallets in an answer of the service: one of them, or a list. Anything else is not noted. */
export function noteResources(answer: unknown, seen: Seen): void {
  for (const item of Array.isArray(answer) ? answer : [answer]) {
    if (typeof item !== "object" || item === null) continue;
    if ("watcher_id" in item && "status" in item) noteWatcher(item as Watcher, seen);
    else if ("wallet_id" in item && "status" in item) noteWallet(item as Wallet, seen);
  }
}

/** Where an event was read, and when it was made: Unix milliseconds, undefined where it does not say. */
type Read = Seen & { channelId: string; createdAt?: number | undefined };

/**
 * A decoded `watcher.status` or `wallet.status` event. Its name is known only if the resource was seen before. One that
 * is older than what is known, as after a seek, is not noted.
 */
export function noteStatusEvent(type: string, decoded: unknown, read: Read): void {
  const { channelId, createdAt, ...where } = read;
  const texts = textsOf(decoded);
  const { status, watcherId, walletId, chainSelector, wallet: address, reason } = texts;
  if (status === undefined) return;
  const common = {
    status,
    ...(reason ? { reason } : {}),
    ...(chainSelector ? { chainSelector } : {}),
    ...where,
    ...seenNow(),
    ...(createdAt === undefined ? {} : { statusAt: createdAt }),
  };
  if (type === "watcher.status" && watcherId) {
    const known = activity.watchers.get(watcherId);
    if (isOlder(common, known)) return;
    const report = { id: watcherId, name: known?.name ?? "", channelId, ...common };
    activity.note({ kind: "resource", resource: "watcher", report });
  } else if (type === "wallet.status" && walletId) {
    const known = activity.wallets.get(walletId);
    if (isOlder(common, known)) return;
    const report = { id: walletId, name: known?.name ?? "", ...(address ? { address } : {}), ...common };
    activity.note({ kind: "resource", resource: "wallet", report });
  }
}

function seenNow() {
  const now = Date.now();
  return { seenAt: now, statusAt: now };
}

function isOlder({ statusAt }: { statusAt: number }, known: ResourceReport | undefined): boolean {
  // This machine's clock may have been ahead.
  return known?.statusAt !== undefined && statusAt < Math.min(known.statusAt, Date.now()) - CLOCKS_DIFFER_MS;
}

/** Only events give a reason, so it stays as long as the status. */
function withReason(report: ResourceReport, known: ResourceReport | undefined): ResourceReport {
  const { reason } = known?.status === report.status ? known : {};
  return reason === undefined ? report : { ...report, reason };
}

function textsOf(decoded: unknown): Readonly<Record<string, string | undefined>> {
  return serviceTexts((decoded ?? {}) as Record<string, unknown>) as Record<string, string>;
}

/** What each resource has. */
function namedOf(resource: Record<"id" | "name" | "status", unknown>) {
  const { id, name, status } = resource;
  return { id: serviceText(id), name: serviceText(name), status: serviceText(status) };
}
