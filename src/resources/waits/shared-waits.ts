import type { CallOptions, Transport } from "../../http/index.ts";
import { type ChannelEvent, canonicalId } from "../../protocol/index.ts";
import { Events } from "../events.ts";
import { type NamedOperation, operationEvents } from "../requests/search-filter.ts";
import { type Member, SearchTurns, SharedSearches } from "../requests/shared-searches.ts";
import { readStatusEvents } from "./status-events.ts";

/** What one wait reads its operation's status events with. */
export type Watch = {
  /** Those that it has not been given, oldest first, and perhaps others. `alone`: all of them, by a search of its own. */
  events: (operation: NamedOperation, options: CallOptions, alone: boolean) => Promise<ChannelEvent[]>;
  /** Whether the last events came from a shared search. */
  readonly isShared: boolean;
  /** The wait asks for nothing until it asks again, if it ever does: until then it does not count as one. */
  rest: () => void;
};

/** The waits of a client for operations. Those of one channel share their searches. */
export class SharedWaits {
  readonly #own: Events;
  readonly #shared: Events;
  readonly #channels = new Map<string, SharedSearches>();

  constructor(transport: Transport, searchesPerSecond: number) {
    const turns = new SearchTurns(searchesPerSecond);
    const eventsInTurn = (isShared: boolean) => {
      const get: Transport["get"] = async (path, query, options) => {
        await turns.take(options?.signal ?? transport.closing, isShared);
        return transport.get(path, query, options);
      };
      return new Events({ get, request: (call) => transport.request(call) });
    };
    this.#own = eventsInTurn(false);
    this.#shared = eventsInTurn(true);
  }

  /** By a search of its own. */
  read(channelId: string, operation: NamedOperation, options: CallOptions): Promise<ChannelEvent[]> {
    return readStatusEvents(this.#own, { channelId, filter: operationEvents(operation) }, options);
  }

  watch(channelId: string): Watch {
    let member: Member | undefined;
    const rest = () => {
      const id = canonicalId(channelId);
      const searches = this.#channels.get(id);
      if (member) searches?.leave(member);
      if (searches?.isEmpty) this.#channels.delete(id);
    };
    const watch = {
      isShared: false,
      events: async (operation: NamedOperation, options: CallOptions, alone: boolean) => {
        // One that has ended would come in for good.
        options.signal?.throwIfAborted();
        if (member?.operation !== operation) rest();
        const searches = this.#searchesOf(channelId);
        const joined = searches.join(operation, member);
        member = joined;
        const found = alone ? undefined : await searches.take(joined);
        watch.isShared = found !== undefined;
        if (found) return found;
        const { newest } = searches;
        // What it took before counts only with this search: without its answer, the next look is by its own again.
        joined.since = undefined;
        const events = await this.read(channelId, operation, options);
        searches.hasSeen(joined, events, newest);
        return events;
      },
      rest,
    };
    return watch;
  }

  #searchesOf(channelId: string): SharedSearches {
    const id = canonicalId(channelId);
    const known = this.#channels.get(id);
    if (known) return known;
    const searches = new SharedSearches(async (filter, most) => {
      const events = await readStatusEvents(this.#shared, { channelId, filter }, {}, { most });
      return events.length < most ? events : undefined;
    });
    this.#channels.set(id, searches);
    return searches;
  }
}
