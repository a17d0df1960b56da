import { randomUUID } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import type { Channel, ChannelStatus } from "../../../src/protocol/index.ts";
import { now } from "../time.ts";
import { Conditions, defined, integer, optionalText, pageOf, type Row, text } from "./rows.ts";

export type ChannelFilter = { name?: string; status?: string[]; limit: number; offset: number };

export class Channels {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  create(input: { name: string; description?: string }): Channel {
    const channel: Channel = { channel_id: randomUUID(), ...input, status: "active", created_at: now() };
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

  named(name: string): Channel | undefined {
    const row = this.#database.prepare("SELECT * FROM channels WHERE name = ?").get(name);
    return row === undefined ? undefined : toChannel(row as Row);
  }

  list(filter: ChannelFilter): { data: Channel[]; has_more: boolean } {
    const rows = new Conditions()
      .add(...namePart(filter.name))
      .add(...visible(filter.status))
      .oneOf("status", filter.status)
      .select(this.#database, "channels", { order: "sequence", limit: filter.limit, offset: filter.offset });
    return pageOf(rows, filter.limit, toChannel);
  }

  update(channel: Channel): void {
    this.#database
      .prepare("UPDATE channels SET name = ?, description = ?, status = ? WHERE channel_id = ?")
      .run(channel.name, channel.description ?? null, channel.status, channel.channel_id);
  }
}

/** Part of a name, without case; nothing named, everything matches. */
export function namePart(part: string | undefined): [string, ...string[]] {
  return part === undefined ? ["1"] : ["instr(fold(name), fold(?)) > 0", part];
}

/** Archived things show only when asked for by status. */
export function visible(status: string[] | undefined): [string] {
  return [status === undefined || status.length === 0 ? "status <> 'archived'" : "1"];
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
