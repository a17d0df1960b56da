import {
  type EventFragment,
  WATCHER_STATUSES,
  type Watcher,
  type WatcherStatus,
} from "../../../src/protocol/index.ts";
import { now } from "../time.ts";
import type { Page, PageRequest } from "./lists.ts";
import { Conditions, integer, json, optionalInteger, optionalText, type Row, text } from "./rows.ts";
import { nameContains, type Shared, shownStatuses, Table } from "./table.ts";

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

export class Watchers extends Table<StoredWatcher> {
  constructor(shared: Shared) {
    super(shared, "watchers", "watcher_id", toWatcher);
  }

  create(input: NewWatcher): string {
    const watcher_id = this.ids.next("watchers");
    this.insert({ watcher_id, ...input, status: "pending", created_at: now() });
    return watcher_id;
  }

  named(channelId: string, name: string): StoredWatcher | undefined {
    return this.find("channel_id = ? AND name = ?", channelId, name);
  }

  /** Watchers with these statuses on one chain, in all channels. */
  withStatus(chainSelector: string, ...status: WatcherStatus[]): StoredWatcher[] {
    return this.all(new Conditions().equal("chain_selector", chainSelector).oneOf("status", status));
  }

  /** Whether the channel has a watcher that runs or will run: then it cannot be archived. */
  anyRunning(channelId: string): boolean {
    return this.exists("channel_id = ? AND status IN ('pending', 'active', 'archiving')", channelId);
  }

  list(filter: WatcherFilter): Promise<Page<StoredWatcher>> {
    const conditions = nameContains(filter.name)
      .equal("chain_selector", filter.chainSelector)
      .equal("lower(address)", filter.address?.toLowerCase())
      .oneOf("service", filter.service);
    if (filter.eventName !== undefined) {
      conditions.add("EXISTS (SELECT 1 FROM json_each(watchers.events) WHERE value = ?)", filter.eventName);
    }
    const status = shownStatuses(filter.status, WATCHER_STATUSES).flatMap((one) =>
      one === "failed" ? [one, "archive_failed"] : [one],
    );
    return this.page({ step: 1, indexed: [{ channel_id: filter.channelId, status }], conditions }, filter);
  }

  rename(watcherId: string, name: string): void {
    this.change(watcherId, { name });
  }

  setStatus(watcherId: string, status: WatcherStatus): void {
    this.change(watcherId, { status });
  }

  setFromBlock(watcherId: string, block: number): void {
    this.change(watcherId, { from_block: block });
  }

  /** Call it after blocks above `lastCommonBlock` were replaced: the new blocks are new to every watcher. */
  rewind(chainSelector: string, lastCommonBlock: number): void {
    this.database
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
