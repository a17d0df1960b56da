/**
 * A data directory whose one channel has very many events, as a service of some months would have them: straight into
 * the store, since a chain would take hours.
 */
import { randomUUID } from "node:crypto";
import { Store } from "../service/src/store/store.ts";
import type { Hex, OcrProof } from "../src/protocol/index.ts";

const WATCHERS = 20;
const NAMES = ["Transfer", "Approval", "SensorReading", "SensorBatch"];
const SERVICES = [undefined, "erc20", undefined, "sensor"];
const WALLETS = 50;
const OPERATION_STATUSES = ["accepted", "sending", "sent", "broadcasting", "confirmed_latest", "confirmed"];
/** Every so many events an operation goes through its life. */
const EVENTS_PER_OPERATION = 40;
const QUERY_STATUSES = ["accepted", "sending", "sent", "completed"];
const EVENTS_PER_QUERY = 200;
const WALLET_STATUSES = ["deploying", "deployed"];
/** Every so many operations a wallet is deployed. */
const OPERATIONS_PER_WALLET = 10;
const CHAIN_SELECTOR = "7759470850252068959";
const PER_TRANSACTION = 5000;

/** Of the size that a real one has; what it says matters to nobody here. */
const PROOF: OcrProof = {
  alg: "ocr",
  ocr_report: `0x${"5a".repeat(141)}`,
  ocr_context: `0x${"00".repeat(96)}`,
  signatures: Array.from({ length: 3 }, (): Hex => `0x${"7b".repeat(65)}`),
};
const VERIFIABLE = Buffer.from("x".repeat(620)).toString("base64");

/** What one looks for in them: some that are in each store, at each size. */
export type ManyEvents = {
  channelId: string;
  /** A watcher that reports one of twenty events, and one of which there are seven events in all. */
  watcherId: string;
  rareWatcherId: string;
  walletId: string;
  operationId: string;
  walletOperationId: string;
  queryId: string;
  address: string;
  /** The one of all events. */
  chainSelector: string;
};

/** @param count of events; the store is closed afterwards. */
export function fillStore(dataDir: string, count: number): ManyEvents {
  const store = new Store(dataDir);
  const { channel_id: channelId } = store.channels.create({ name: "many events" });
  const idOf = (_: unknown, index: number) => `${String(index).padStart(8, "0")}-0000-4000-8000-000000000000`;
  const watchers = Array.from({ length: WATCHERS }, idOf);
  const wallets = Array.from({ length: WALLETS }, idOf);
  const addressOf = (index: number) => `0x${String(index).padStart(40, "a")}`;
  const rareWatcherId = randomUUID();
  const ids = { operationId: randomUUID(), queryId: randomUUID() };
  const rareEvery = Math.ceil(count / 8);
  let nextRare = rareEvery;
  let written = 0;

  const watcherEvent = () => {
    const index = (written * 7 + Math.floor(written / 13)) % WATCHERS;
    const service = SERVICES[index % SERVICES.length];
    const isRare = written >= nextRare;
    if (isRare) nextRare += rareEvery;
    store.events.append({
      channelId,
      type: "watcher.event",
      payload: {
        watcher_id: isRare ? rareWatcherId : watchers[index],
        chain_selector: CHAIN_SELECTOR,
        event_hash: `0x${written.toString(16).padStart(64, "0")}`,
        verifiable_event: VERIFIABLE,
        timestamp: 1_780_000_000,
      },
      proof: PROOF,
      found: {
        address: addressOf(index),
        event_name: NAMES[index % NAMES.length] ?? "",
        ...(service === undefined ? {} : { service }),
      },
    });
    written += 1;
  };
  const lives = (
    statuses: readonly string[],
    type: "operation.status" | "query.status" | "wallet.status",
    payload: object,
  ) => {
    for (const status of statuses) {
      if (written >= count) return;
      store.events.append({
        channelId,
        type,
        payload: {
          ...payload,
          status,
          status_reason: "",
          chain_selector: CHAIN_SELECTOR,
          timestamp: 1_780_000_000,
        },
        ...(status.startsWith("confirmed") || status === "completed" ? { proof: PROOF } : {}),
      });
      written += 1;
    }
  };
  let operations = 0;
  while (written < count) {
    store.transaction(() => {
      for (const end = written + PER_TRANSACTION; written < Math.min(end, count); ) {
        watcherEvent();
        if (written % EVENTS_PER_OPERATION === 0) {
          operations += 1;
          lives(OPERATION_STATUSES, "operation.status", {
            operation_id: operations === 3 ? ids.operationId : randomUUID(),
            wallet_operation_id: String(operations),
            address: `0x${String(operations % WALLETS).padStart(40, "b")}`,
            digest: `0x${"12".repeat(32)}`,
            transactions: [{ to: addressOf(1), value: "0", data: `0x${"34".repeat(68)}` }],
          });
          if (operations % OPERATIONS_PER_WALLET === 3) {
            const wallet = Math.floor(operations / OPERATIONS_PER_WALLET);
            lives(WALLET_STATUSES, "wallet.status", { wallet_id: wallets[wallet % WALLETS] });
          }
        }
        // Not where the events of an operation are.
        if (written % EVENTS_PER_QUERY === EVENTS_PER_QUERY / 2 - 1) {
          const queryId = operations < 6 ? ids.queryId : randomUUID();
          lives(QUERY_STATUSES, "query.status", { query_id: queryId, target: addressOf(1) });
        }
      }
    });
  }
  store.close();
  return {
    channelId,
    rareWatcherId,
    ...ids,
    watcherId: watchers[3] ?? "",
    walletId: wallets[0] ?? "",
    walletOperationId: "3",
    address: addressOf(5),
    chainSelector: CHAIN_SELECTOR,
  };
}
