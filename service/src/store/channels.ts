import { CHANNEL_STATUSES, type Channel, type ChannelStatus } from "../../../src/protocol/index.ts";
import { now } from "../time.ts";
import type { Page, PageRequest } from "./lists.ts";
import { defined, integer, optionalText, type Row, text } from "./rows.ts";
import { nameContains, type Shared, shownStatuses, Table } from "./table.ts";

type ChannelFilter = PageRequest & { name?: string; status?: string[] };

export class Channels extends Table<Channel> {
  constructor(shared: Shared) {
    super(shared, "channels", "channel_id", toChannel);
  }

  create(input: { name: string; description?: string }): Channel {
    const channel_id = this.ids.next("channels");
    const channel: Channel = { channel_id, ...input, status: "active", created_at: now() };
    this.insert(channel);
    return channel;
  }

  has(channelId: string): boolean {
    return this.exists("channel_id = ?", channelId);
  }

  named(name: string): Channel | undefined {
    return this.find("name = ?", name);
  }

  list(filter: ChannelFilter): Promise<Page<Channel>> {
    return this.page(
      {
        step: 1,
        indexed: [{ status: shownStatuses(filter.status, CHANNEL_STATUSES) }],
        conditions: nameContains(filter.name),
      },
      filter,
    );
  }

  update(channel: Channel): void {
    const { name, description, status } = channel;
    this.change(channel.channel_id, { name, description, status });
  }
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
