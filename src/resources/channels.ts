import { type CallOptions, callOptions } from "../http/index.ts";
import { anyText, checkedBy, listOf, optional, request, text } from "../options/index.ts";
import { type Channel, type ChannelStatus, type Open, PAGE_LIMITS } from "../protocol/index.ts";
import { findIn, type Listing, listing, listingOf } from "./lists/pages.ts";
import { requireAnswerTo } from "./requests/answer-to.ts";
import { checkDescription, checkName, paging, pathId, resourceOf } from "./requests/checks.ts";
import { createOrFind } from "./requests/create-or-find.ts";
import type { ResourceTransport } from "./requests/resource-transport.ts";

/** A channel to create. */
export type CreateChannel = {
  /** Unique in the organization. */
  name: string;
  /** Free text for people. */
  description?: string | undefined;
};

/** What to change of a channel. */
export type UpdateChannel = {
  /** The new name. */
  name?: string | undefined;
  /** The new description. It cannot be removed: a blank one is refused. */
  description?: string | undefined;
};

/** Filters of a list of channels. Each one narrows the list; several of them apply together. */
export type ListChannels = {
  /** A part of the name, in any case. */
  name?: string | undefined;
  /** One of these statuses. Without it, archived channels are left out. */
  status?: ReadonlyArray<Open<ChannelStatus>> | undefined;
  /**
   * The size of a page, at most 50.
   * @default 20
   */
  limit?: number | undefined;
  /**
   * How many items to skip.
   * @default 0
   */
  offset?: number | undefined;
};

/** The channels of the organization. */
export class Channels {
  readonly #transport: ResourceTransport;

  constructor(transport: ResourceTransport) {
    this.#transport = transport;
  }

  /**
   * Creates a channel.
   * @throws {ConflictError} `CHANNEL_ALREADY_EXISTS`.
   * @example
   * const { channel_id } = await client.channels.create({ name: "alerts of the north" });
   */
  async create(channel: CreateChannel, options?: CallOptions): Promise<Channel> {
    const body = channelOf(channel, "channel");
    const answer = await this.#transport.post("/channels", body, options);
    const created = resourceOf<Channel>(answer, "channel_id");
    requireAnswerTo("channel", [["name", created.name?.trim(), body.name.trim()]]);
    return created;
  }

  /** The channel as the service shows it now. @throws {NotFoundError} `CHANNEL_NOT_FOUND`. */
  async get(channelId: string, options?: CallOptions): Promise<Channel> {
    const path = `/channels/${pathId("channelId", channelId)}`;
    return resourceOf(await this.#transport.get(path, {}, options), "channel_id", channelId);
  }

  /**
   * The channels of the organization.
   * @example
   * const { data, has_more } = await client.channels.list({ name: "alerts", limit: 10 });
   * for await (const channel of client.channels.list({ status: ["archived"] })) show(channel.name);
   */
  list(filter: ListChannels = {}, options?: CallOptions): Listing<Channel> {
    return listingOf(() =>
      listing({
        noun: "channel",
        filter: filterOf(filter, "filter"),
        limits: PAGE_LIMITS.channels,
        get: (query) => this.#transport.get("/channels", query, options),
      }),
    );
  }

  /** Changes the name or the description of a channel. */
  async update(channelId: string, changes: UpdateChannel, options?: CallOptions): Promise<Channel> {
    const path = `/channels/${pathId("channelId", channelId)}`;
    const body = changesOf(changes, "changes");
    const call = { ...callOptions(options), method: "PATCH", path, body, idempotent: true } as const;
    return resourceOf(await this.#transport.request(call), "channel_id", channelId);
  }

  /** Archives a channel. @throws {ConflictError} `CONFLICT` while the channel has an active watcher. */
  async archive(channelId: string, options?: CallOptions): Promise<Channel> {
    const path = `/channels/${pathId("channelId", channelId)}`;
    const archived = await this.#transport.patch(path, { status: "archived" }, options);
    return resourceOf(archived, "channel_id", channelId);
  }

  /** The channel with exactly this name, unless it is archived. */
  async findByName(name: string, options?: CallOptions): Promise<Channel | undefined> {
    checkName(name);
    return this.#transport.findNamed("/channels", name, () => this.#named(name, {}, options), options);
  }

  async #named(name: string, filter: ListChannels, options?: CallOptions): Promise<Channel | undefined> {
    const channels = this.list({ ...filter, name, limit: PAGE_LIMITS.channels.max }, options);
    return findIn(channels, (channel) => channel.name === name);
  }

  /**
   * The channel with this name, created if it does not exist.
   * @example
   * const { channel, found } = await client.channels.createOrFind({ name: "alerts" });
   */
  async createOrFind(
    channel: CreateChannel,
    options?: CallOptions,
  ): Promise<{ channel: Channel; found: boolean }> {
    const body = channelOf(channel, "channel");
    const steps = {
      find: () => this.findByName(body.name, options),
      create: () => this.create(body, options),
      id: (one: Channel) => one.channel_id,
      findArchived: () => this.#named(body.name, { status: ["archived"] }, options),
    };
    const { resource, found } = await createOrFind(this.#transport, steps, callOptions(options));
    return { channel: resource, found };
  }
}

const description = checkedBy(checkDescription);

const channelOf = request<CreateChannel>({ name: checkedBy((name: string) => checkName(name)), description });

const changesOf = request<UpdateChannel>({
  name: optional(checkedBy((name: string) => checkName(name))),
  description,
});

const filterOf = request<ListChannels>({
  name: optional(text),
  status: optional(listOf(anyText())),
  ...paging(PAGE_LIMITS.channels),
});
