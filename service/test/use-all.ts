import { OPERATION_STATUSES } from "../../src/protocol/index.ts";
import { BLOCK } from "../src/store/events/places.ts";
import type { Store } from "../src/store/store.ts";
import type { StoredWallet } from "../src/store/wallets.ts";

const UUID = "00000000-0000-4000-8000-000000000000";
const ADDRESS = `0x${"ab".repeat(20)}` as const;
const WALLET: StoredWallet = {
  walletId: "wallet",
  name: "wallet",
  address: ADDRESS,
  owner: ADDRESS,
  chainSelector: "1",
  type: "ecdsa",
  status: "deployed",
  ecdsaSigners: [],
  rsaSigners: [],
  wasDeployed: false,
  createdAt: 1,
};
const SENT = { raw: "0x01", hash: "0x02" } as const;
const PAGE = { limit: 2, offset: 1 };

/** Calls every method of the store, with every filter. */
export async function useAll(store: Store): Promise<void> {
  const { channels, watchers, wallets, operations, queries, events, settings, timeline } = store;
  const positions = store.positions("1");
  const channel = channels.create({ name: "channel" });
  const channelId = channel.channel_id;
  channels.get(channelId);
  channels.has(channelId);
  channels.named("channel");
  channels.update(channel);
  for (const filter of [{}, { name: "a" }, { status: ["active", "archived"] }, { absent: ["a"] }]) {
    await channels.list({ ...filter, ...PAGE });
  }
  const watcherId = watchers.create({
    channel_id: channelId,
    name: "watcher",
    chain_selector: "1",
    address: ADDRESS,
    events: ["Transfer"],
    abi: [],
  });
  watchers.get(watcherId);
  watchers.named(channelId, "watcher");
  watchers.withStatus("1", "active", "archiving");
  watchers.anyRunning(channelId);
  watchers.rename(watcherId, "renamed");
  watchers.setStatus(watcherId, "active");
  watchers.setFromBlock(watcherId, 1);
  watchers.rewind("1", 0);
  const ofWatchers = { name: "a", status: ["failed"], chainSelector: "1", address: ADDRESS, service: ["a"] };
  for (const filter of each({ ...ofWatchers, eventName: "Transfer" })) {
    await watchers.list({ channelId, ...filter, ...PAGE });
  }
  wallets.create(WALLET);
  wallets.get("wallet");
  wallets.atAddress("1", ADDRESS);
  wallets.named("wallet");
  wallets.withStatus("1", "pending");
  wallets.describe("wallet", "renamed", undefined);
  wallets.setStatus("wallet", "deploying");
  wallets.setSent("wallet", SENT);
  const ofWallets = { name: "a", status: ["failed"], chainSelector: "1", owner: ADDRESS, address: ADDRESS };
  for (const filter of each({ ...ofWallets, type: "ecdsa" })) await wallets.list({ ...filter, ...PAGE });
  operations.create({
    operation_id: "operation",
    channelId,
    walletId: "wallet",
    status: "accepted",
    chain_selector: "1",
    address: ADDRESS,
    wallet_operation_id: "1",
    deadline: 1,
    signature: null,
    digest: "0x",
    transactions: [],
    initiator: { subject_type: "user", subject_id: "one" },
  });
  operations.get("operation");
  operations.isTaken("1", ADDRESS, "1");
  operations.unsettled("1", ...OPERATION_STATUSES);
  operations.setSettled("operation");
  const executions = store.executions("1");
  executions.setThere("operation", 1);
  executions.setMissingAfter(0);
  executions.missing(10);
  executions.setGone("operation", "reason");
  executions.gone(5);
  executions.lost();
  operations.overdue(5, "accepted");
  operations.setSent("operation", SENT);
  operations.setStatus("operation", "sending");
  operations.setStatus("operation", "cancelled", { cancelled_at: 1 });
  const ofOperations = {
    status: ["sent", "failed"],
    chainSelector: "1",
    address: ADDRESS,
    walletId: "wallet",
  };
  for (const filter of each({ ...ofOperations, subjects: { "signer ->> '$.subject_id'": "one" } })) {
    await operations.list({ channelId, ...filter, ...PAGE });
  }
  queries.create({
    query_id: "query",
    channel_id: channelId,
    idempotencyKey: "key",
    query_kind: "evm_call",
    chain_selector: "1",
    params: {
      contract_address: ADDRESS,
      from_address: ADDRESS,
      call_data: "0x",
      block_selection: { type: "latest" },
    },
    metadata: undefined,
    expiresAt: 5,
  });
  queries.get("query");
  queries.withKey(channelId, "key");
  queries.withStatus("accepted", "sending");
  queries.overdue(5, "accepted");
  queries.setStatus("query", "sent");
  queries.setResult("query", { text: "", hash: "0x", proof: { alg: "" } as never });
  for (const filter of each({ status: ["sent", "failed"], queryKind: ["evm_call"], chainSelector: "1" })) {
    await queries.list({ channelId, ...filter, ...PAGE });
  }
  events.onAppend(() => {});
  for (const text of ["", "", "", "x".repeat(5_000_000)]) {
    const payload = { status: "active", watcher_id: text === "" ? "w" : "v", operation_id: "o", text };
    events.append({ channelId, type: "watcher.status", payload });
    events.append({ channelId, type: "watcher.event", payload: {}, found: { address: ADDRESS } });
  }
  // With a full block.
  store.transaction(() => {
    for (let offset = 0; offset < BLOCK; offset += 1)
      events.append({ channelId, type: "watcher.status", payload: { status: "active" } });
  });
  events.get(channelId, UUID);
  for (const offset of [undefined, 1]) {
    for (const type of [undefined, "watcher.status"]) {
      await events.poll(channelId, { limit: 3, ...(offset && { offset }), ...(type && { type }) });
    }
  }
  const lists = { type: ["watcher.status", "watcher.event"], chain_selector: ["1"], service: ["erc20"] };
  const ids = { wallet_id: "a", operation_id: "o", wallet_operation_id: "1", query_id: "q" };
  const values = { status: ["active"], address: [ADDRESS], watcher_id: "w", event_name: "a" };
  for (const created of [{}, { gt: 1 }, { lt: 2 }, { gte: 1, lte: Math.floor(Date.now() / 1000) - 5 }]) {
    for (const filter of each({ ...lists, ...ids, ...values })) {
      await events.search(channelId, { ...filter, created }, { limit: 3, offset: 0 });
    }
  }
  settings.get("key");
  settings.set("key", 1);
  positions.get("latest");
  positions.set("latest", 1);
  positions.remember({ number: 1, hash: "0x" });
  positions.blocks();
  positions.forgetAbove(1);
  positions.forgetBelow(1);
  positions.isReported("w", "0x", 1, "latest");
  positions.report("w", "0x", 1, "latest");
  store.counts();
  timeline.onAdd(() => {});
  for (let sequence = 1; sequence <= 256; sequence += 1)
    timeline.add({ kind: "channel", facts: { sequence } });
  timeline.add({ kind: "event", event: { channelId, offset: 1 } });
  timeline.after(255, 10);
  timeline.newest(10);
  timeline.range();
}

/** No filter, each one, each pair, and all of them. */
function each<T extends object>(filters: T): Array<Partial<T>> {
  const entries = Object.entries(filters);
  const pairs = entries.flatMap((one, index) => entries.slice(index + 1).map((other) => [one, other]));
  const sets = [[], ...entries.map((one) => [one]), ...pairs, entries];
  return sets.map((set) => Object.fromEntries(set) as Partial<T>);
}
