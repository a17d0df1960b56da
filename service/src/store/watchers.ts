import type { DatabaseSync } from "node:sqlite";
import {
  type EventFragment,
  WATCHER_STATUSES,
  type Watcher,
  type WatcherStatus,
} from "../../../src/protocol/index.ts";
import { now } from "../time.ts";
import { nameContains, shownStatuses } from "./channels.ts";
import type { Ids } from "./ids.ts";
import { type Page, type PageRequest, pageOfList } from "./lists.ts";
import { Conditions, integer, json, optionalInteger, optionalText, type Row, text } from "./rows.ts";
import type { Yielder } from "./yielder.ts";

/**
 * A watcher with an internal field: the first block whose logs it reports. A watcher of a service has no ABI.
 */
export type StoredWatcher = Watcher & {
  name: string;
  events: string[];
  abi: EventFragment[];
  status: WatcherStatus;
  fromBlock?: number;
};

export type NewWatcher = Pick<
  StoredWatcher,
  "channel_id" | "name" | "chain_selector" | "address" | "events" | "abi" | "service" | "service_config"
>;

type WatcherFilter = PageRequest & {
  channelId: string;
  name?: string;
  status?: string[];
  chainSelector?: string;
  address?: string;
  service?: string[];
  eventName?: string;
};

export class Watchers {
  readonly #database: DatabaseSync;
  readonly #yielder: Yielder;
  readonly #ids: Ids;

  constructor(database: DatabaseSync, yielder: Yielder, ids: Ids) {
    this.#database = database;
    this.#yielder = yielder;
    this.#ids = ids;
  }

  create(input: NewWatcher): string {
    const watcher = { watcher_id: this.#ids.next("watchers"), status: "pending", created_at: now() };
    this.#database
      .prepare(
        `INSERT INTO watchers (watcher_id, channel_id, name, status, chain_selector, address, events, abi, service,
           service_config, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        watcher.watcher_id,
        input.channel_id,
        input.name,
        watcher.status,
        input.chain_selector,
        input.address,
        JSON.stringify(input.events),
        JSON.stringify(input.abi),
        input.service ?? null,
        input.service_config === undefined ? null : JSON.stringify(input.service_config),
        watcher.created_at,
      );
    return watcher.watcher_id;
  }

  get(watcherId: string): StoredWatcher | undefined {
    const row = this.#database.prepare("SELECT * FROM watchers WHERE watcher_id = ?").get(watcherId);
    return row === undefined ? undefined : toWatcher(row as Row);
  }

  named(channelId: string, name: string): StoredWatcher | undefined {
    const row = this.#database
      .prepare("SELECT * FROM watchers WHERE channel_id = ? AND name = ?")
      .get(channelId, name);
    return row === undefined ? undefined : toWatcher(row as Row);
  }

  /** Watchers with these statuses on one chain, in all channels. */
  withStatus(chainSelector: string, ...status: WatcherStatus[]): StoredWatcher[] {
    return new Conditions()
      .equal("chain_selector", chainSelector)
      .oneOf("status", status)
      .select(this.#database, "watchers", { order: "sequence" })
      .map(toWatcher);
  }

  /** Whether the channel has a watcher that runs or will run: then it cannot be archived. */
  anyRunning(channelId: string): boolean {
    return (
      this.#database
        .prepare(
          "SELECT 1 FROM watchers WHERE channel_id = ? AND status IN ('pending', 'active', 'archiving') LIMIT 1",
        )
        .get(channelId) !== undefined
    );
  }

  list(filter: WatcherFilter): Promise<Page<StoredWatcher>> {
    const conditions = nameContains(filter.name)
      .noneOf("watcher_id", filter.absent)
      .equal("chain_selector", filter.chainSelector)
      .equal("lower(address)", filter.address?.toLowerCase())
      .oneOf("service", filter.service);
    if (filter.eventName !== undefined) {
      conditions.add("EXISTS (SELECT 1 FROM json_each(watchers.events) WHERE value = ?)", filter.eventName);
    }
    const status = shownStatuses(filter.status, WATCHER_STATUSES).flatMap((one) =>
      one === "failed" ? [one, "archive_failed"] : [one],
    );
    const list = {
      table: "watchers",
      step: 1,
      indexed: [{ channel_id: filter.channelId, status }],
      conditions,
    } as const;
    return pageOfList({ database: this.#database, yielder: this.#yielder }, list, filter, toWatcher);
  }

  rename(watcherId: string, name: string): void {
    this.#database.prepare("UPDATE watchers SET name = ? WHERE watcher_id = ?").run(name, watcherId);
  }

  setStatus(watcherId: string, status: WatcherStatus): void {
    this.#database.prepare("UPDATE watchers SET status = ? WHERE watcher_id = ?").run(status, watcherId);
  }

  setFromBlock(watcherId: string, block: number): void {
    this.#database.prepare("UPDATE watchers SET from_block = ? WHERE watcher_id = ?").run(block, watcherId);
  }

  /** Call it after blocks above `lastCommonBlock` were replaced: the new blocks are new to every watcher. */
  rewind(chainSelector: string, lastCommonBlock: number): void {
    this.#database
      .prepare("UPDATE watchers SET from_block = ? WHERE chain_selector = ? AND from_block > ?")
      .run(lastCommonBlock + 1, chainSelector, lastCommonBlock + 1);
  }
}

function toWatcher(row: Row): StoredWatcher {
  const service = optionalText(row, "service");
  const config = optionalText(row, "service_config");
  const fromBlock = optionalInteger(row, "from_block");
  return {
    watcher_id: text(row, "watcher_id"),
    name: text(row, "name"),
    channel_id: text(row, "channel_id"),
    created_at: integer(row, "created_at"),
    status: text(row, "status") as WatcherStatus,
    chain_selector: text(row, "chain_selector"),
    address: text(row, "address"),
    events: json<string[]>(row, "events"),
    abi: json<EventFragment[]>(row, "abi"),
    don_family: "local",
    ...(service === undefined ? {} : { service }),
    ...(config === undefined ? {} : { service_config: JSON.parse(config) as Record<string, unknown> }),
    ...(fromBlock === undefined ? {} : { fromBlock }),
  };
}
