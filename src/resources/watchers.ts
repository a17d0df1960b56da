import { completeFragment } from "../abi/index.ts";
import { CrecError } from "../errors.ts";
import { type CallOptions, callOptions } from "../http/index.ts";
import { anyText, listOf, optional, request, text } from "../options/index.ts";
import {
  canonicalAddress,
  type Open,
  PAGE_LIMITS,
  WATCHER_LIFECYCLE,
  type Watcher,
  type WatcherStatus,
} from "../protocol/index.ts";
import type { Events } from "./events.ts";
import { findIn, type Listing, listing, listingOf } from "./lists/pages.ts";
import { type AnsweredField, addressOf, differencesOf, requireAnswerTo } from "./requests/answer-to.ts";
import { checkName, paging, pathId, resourceOf } from "./requests/checks.ts";
import { createOrFind } from "./requests/create-or-find.ts";
import type { ResourceTransport } from "./requests/resource-transport.ts";
import { type CreateWatcher, watcherChangesOf, watcherOf } from "./requests/watcher-request.ts";
import { readStatusEvents, type StatusEvents, statusReason } from "./waits/status-events.ts";
import { type WaitOptions, waitForStatus } from "./waits/wait.ts";
import { WatcherFamilies } from "./watcher-families.ts";

/** Filters of a list of watchers. Each one narrows the list; several of them apply together. */
export type ListWatchers = {
  /** A part of the name, in any case. */
  name?: string | undefined;
  /** One of these statuses. Without it, archived watchers are left out. */
  status?: ReadonlyArray<Open<WatcherStatus>> | undefined;
  /** The network of the contract. */
  chain_selector?: string | undefined;
  /** All main networks, or all test networks. */
  chain_environment?: Open<"mainnet" | "testnet"> | undefined;
  /** The address of the contract. */
  address?: string | undefined;
  /** Created with one of these services. */
  service?: readonly string[] | undefined;
  /** Watching an event of this name. */
  event_name?: string | undefined;
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

/** The watchers of a channel: each reports events of one contract. */
export class Watchers {
  readonly #transport: ResourceTransport;
  readonly #events: Events;
  readonly #families = new WatcherFamilies({
    get: (channelId, watcherId) => this.get(channelId, watcherId),
  });

  constructor(transport: ResourceTransport, events: Events) {
    this.#transport = transport;
    this.#events = events;
  }

  /**
   * Creates a watcher. In the events of the ABI, missing `anonymous`, `inputs`, `indexed` and `internalType` are filled in,
   * since the service requires them. An event with tuples is sent as it is: see `eventsWithTuples`.
   * @throws {ArgumentError} `EVENT_NOT_IN_ABI`, `INVALID_ADDRESS`, `INVALID_ARGUMENT`.
   * @example
   * const watcher = await client.watchers.create(channelId, {
   *   name: "counts",
   *   chain_selector: network,
   *   address: counter,
   *   events: ["Incremented"],
   *   abi: eventFragments(abi, ["Incremented"]),
   * });
   */
  async create(channelId: string, watcher: CreateWatcher, options?: CallOptions): Promise<Watcher> {
    const path = watchersPath(channelId);
    const requested = watcherOf(watcher);
    const { abi } = requested;
    const body = { ...requested, ...(abi ? { abi: abi.map(completeFragment) } : {}) };
    const created = resourceOf<Watcher>(await this.#transport.post(path, body, options), "watcher_id");
    const name: AnsweredField = ["name", created.name?.trim(), requested.name];
    requireAnswerTo("watcher", [name, ...sameFields(created, requested)]);
    return created;
  }

  /** The watcher as the service shows it now. @throws {NotFoundError} `WATCHER_NOT_FOUND`. */
  async get(channelId: string, watcherId: string, options?: CallOptions): Promise<Watcher> {
    const path = watcherPath(channelId, watcherId);
    return resourceOf(await this.#transport.get(path, {}, options), "watcher_id", watcherId);
  }

  /**
   * The oracle family (`don_family`) whose members sign the events of a watcher; undefined when the watcher does not
   * exist or has no family. Each watcher is read once.
   * @throws {ArgumentError} for a malformed channel id; {NotFoundError} `WATCHER_NOT_FOUND` during the first 30 s in which
   * the service does not show the watcher: try again; {HttpError} when it cannot be read.
   * @example
   * const donFamily = (watcherId: string) => client.watchers.familyOf(channelId, watcherId);
   * (await verifier.verify(event, { donFamily })).verified; // → true
   */
  async familyOf(channelId: string, watcherId: string): Promise<string | undefined> {
    watchersPath(channelId);
    text(watcherId, "watcherId");
    return this.#families.of(channelId, watcherId);
  }

  /** The watchers of a channel: summaries, without `events` and `abi`. */
  list(channelId: string, filter: ListWatchers = {}, options?: CallOptions): Listing<Watcher> {
    return listingOf(() =>
      listing({
        noun: "watcher",
        filter: filterOf(filter, "filter"),
        limits: PAGE_LIMITS.watchers,
        get: (query) => this.#transport.get(watchersPath(channelId), query, options),
      }),
    );
  }

  /** Renames a watcher. */
  async update(
    channelId: string,
    watcherId: string,
    changes: { name: string },
    options?: CallOptions,
  ): Promise<Watcher> {
    const path = watcherPath(channelId, watcherId);
    const body = watcherChangesOf(changes);
    const call = { ...callOptions(options), method: "PATCH", path, body, idempotent: true } as const;
    return resourceOf(await this.#transport.request(call), "watcher_id", watcherId);
  }

  /** Starts to archive a watcher: its status is `archiving`, until it becomes `archived`. */
  async archive(channelId: string, watcherId: string, options?: CallOptions): Promise<Watcher> {
    const path = watcherPath(channelId, watcherId);
    const archiving = await this.#transport.patch(path, { status: "archived" }, options);
    return resourceOf(archiving, "watcher_id", watcherId);
  }

  /**
   * Waits until a watcher has reached a status.
   * @throws {WaitError} `WAIT_TIMEOUT`, `WATCHER_FAILED`, `WATCHER_ARCHIVED` and the like, with reason.
   * @example
   * await client.watchers.waitFor(channelId, watcher.watcher_id, {
   *   target: "active",
   *   onStatus: ({ status }) => show(status),
   * });
   */
  async waitFor(
    channelId: string,
    watcherId: string,
    options: WaitOptions<WatcherStatus, Watcher>,
  ): Promise<Watcher> {
    watcherPath(channelId, watcherId);
    const statusEvents: StatusEvents = {
      channelId,
      filter: { type: ["watcher.status"], watcher_id: watcherId },
    };
    return waitForStatus(
      {
        noun: "watcher",
        id: watcherId,
        lifecycle: WATCHER_LIFECYCLE,
        get: (signal) => this.get(channelId, watcherId, { signal }),
        events: (_watcher, signal) => readStatusEvents(this.#events, statusEvents, { signal }),
        // The resource shows `archive_failed` as `failed`.
        reason: ({ status }, signal) =>
          statusReason(this.#events, statusEvents, [status, "archive_failed"], signal),
        closing: this.#transport.closing,
      },
      options,
    );
  }

  /**
   * The summary of the watcher with exactly this name, without spaces around it, unless it is archived.
   * @example
   * const watcher = await client.watchers.findByName(channelId, "no such watcher");
   * watcher; // → undefined
   */
  async findByName(channelId: string, name: string, options?: CallOptions): Promise<Watcher | undefined> {
    checkName(name);
    const trimmed = name.trim();
    const find = () => this.#named(channelId, trimmed, {}, options);
    return this.#transport.findNamed(watchersPath(channelId), trimmed, find, options);
  }

  async #named(
    channelId: string,
    name: string,
    filter: ListWatchers,
    options?: CallOptions,
  ): Promise<Watcher | undefined> {
    const watchers = this.list(channelId, { ...filter, name, limit: PAGE_LIMITS.watchers.max }, options);
    return findIn(watchers, (watcher) => watcher.name?.trim() === name);
  }

  /**
   * The watcher with this name on the channel, created if it does not exist. One that is found may have any status.
   * @throws {CrecError} `WATCHER_DIFFERS` when the watcher with this name watches something else.
   */
  async createOrFind(
    channelId: string,
    given: CreateWatcher,
    options?: CallOptions,
  ): Promise<{ watcher: Watcher; found: boolean }> {
    watchersPath(channelId);
    const requested = watcherOf(given);
    const steps = {
      find: async () => {
        const summary = await this.findByName(channelId, requested.name, options);
        if (summary) this.#transport.noteShown(summary.watcher_id, summary.created_at);
        return summary && this.get(channelId, summary.watcher_id, options);
      },
      create: () => this.create(channelId, requested, options),
      findArchived: () => this.#named(channelId, requested.name, { status: ["archived"] }, options),
      id: (one: Watcher) => one.watcher_id,
    };
    const { resource: watcher, found } = await createOrFind(this.#transport, steps, callOptions(options));
    if (found) checkSame(watcher, requested);
    return { watcher, found };
  }
}

const filterOf = request<ListWatchers>({
  name: optional(text),
  status: optional(listOf(anyText())),
  chain_selector: optional(text),
  chain_environment: optional(anyText()),
  address: optional(text),
  service: optional(listOf(text)),
  event_name: optional(text),
  ...paging(PAGE_LIMITS.watchers),
});

function watchersPath(channelId: string): string {
  return `/channels/${pathId("channelId", channelId)}/watchers`;
}

function watcherPath(channelId: string, watcherId: string): string {
  return `${watchersPath(channelId)}/${pathId("watcherId", watcherId)}`;
}

function sameFields(is: Watcher, requested: CreateWatcher): AnsweredField[] {
  return [
    ["network", is.chain_selector, requested.chain_selector],
    ["address", addressOf(is.address), canonicalAddress(requested.address)],
    ["list of events", is.events && sorted(is.events), sorted(requested.events)],
  ];
}

/** Only the name is unique: a watcher found by it may watch something else. */
function checkSame(found: Watcher, requested: CreateWatcher): void {
  const service: AnsweredField = ["service", found.service ?? "", requested.service ?? ""];
  const differences = differencesOf([...sameFields(found, requested), service]);
  if (differences === undefined) return;
  const message = `The channel has another watcher named "${requested.name}": ${differences}. Choose another name, or archive that one.`;
  throw new CrecError("WATCHER_DIFFERS", message);
}

function sorted(events: readonly string[]): string {
  return [...new Set(events)].sort().join(", ");
}
