import type { DatabaseSync } from "node:sqlite";
import { CHANNEL_STATUSES, type Channel, type ChannelStatus } from "../../../src/protocol/index.ts";
import { now } from "../time.ts";
import type { Ids } from "./ids.ts";
import { type Page, type PageRequest, pageOfList } from "./lists.ts";
import { Conditions, defined, integer, optionalText, type Row, text } from "./rows.ts";
import type { Yielder } from "./yielder.ts";

type ChannelFilter = PageRequest & { name?: string; status?: string[] };

export class Channels {
  readonly #database: DatabaseSync;
  readonly #yielder: Yielder;
  readonly #ids: Ids;

  constructor(database: DatabaseSync, yielder: Yielder, ids: Ids) {
    this.#database = database;
    this.#yielder = yielder;
    this.#ids = ids;
  }

  create(input: { name: string; description?: string }): Channel {
    const channel_id = this.#ids.next("channels");
    const channel: Channel = { channel_id, ...input, status: "active", created_at: now() };
    this.#database
      .prepare(
        "INSERT INTO channels (channel_id, name, description, status, created_at) VALUES (?, ?, ?, ?, ?)",
      )
      .run(channel.channel_id, channel.name, input.description ?? null, channel.status, channel.created_at);
    return channel;
  }

  get(channelId: string): Channel | undefined {
    const row = this.#database.prepare("SELECT * FROM channels WHERE channel_id = ?").get(channelId);
    return row === undefined ? undefined : toChannel(row as Row);
  }

  has(channelId: string): boolean {
    return this.#database.prepare("SELECT 1 FROM channels WHERE channel_id = ?").get(channelId) !== undefined;
  }

  named(name: string): Channel | undefined {
    const row = this.#database.prepare("SELECT * FROM channels WHERE name = ?").get(name);
    return row === undefined ? undefined : toChannel(row as Row);
  }

  list(filter: ChannelFilter): Promise<Page<Channel>> {
    const list = {
      table: "channels",
      step: 1,
      indexed: [{ status: shownStatuses(filter.status, CHANNEL_STATUSES) }],
      conditions: nameContains(filter.name).noneOf("channel_id", filter.absent),
    } as const;
    return pageOfList({ database: this.#database, yielder: this.#yielder }, list, filter, toChannel);
  }

  update(channel: Channel): void {
    this.#database
      .prepare("UPDATE channels SET name = ?, description = ?, status = ? WHERE channel_id = ?")
      .run(channel.name, channel.description ?? null, channel.status, channel.channel_id);
  }
}

/** Conditions of a list with an optional part of the name, without case. */
export function nameContains(part: string | undefined): Conditions {
  const conditions = new Conditions();
  return part === undefined ? conditions : conditions.add("instr(fold(name), fold(?)) > 0", part);
}

/** The statuses of a filter; without one, all except archived. */
export function shownStatuses(
  asked: readonly string[] | undefined,
  all: readonly string[],
): readonly string[] {
  return asked === undefined || asked.length === 0 ? all.filter((status) => status !== "archived") : asked;
}

function toChannel(row: Row): Channel {
  return defined({
    channel_id: text(row, "channel_id"),
    name: text(row, "name"),
    description: optionalText(row, "description"),
    status: text(row, "status") as ChannelStatus,
    created_at: integer(row, "created_at"),
  });
}
