import { deferred } from "../../deferred.ts";
import { HttpError } from "../../http/index.ts";
import { type ChannelEvent, canonicalId, isEvent, PAGE_LIMITS } from "../../protocol/index.ts";
import { sleep } from "../../timing/index.ts";
import type { NamedOperation, SearchEvents } from "./search-filter.ts";

/** Reads all events of a filter; undefined where there are so many. */
type ReadShared = (filter: SearchEvents, most: number) => Promise<ChannelEvent[] | undefined>;

/** One wait, for as long as it is in its channel. */
export type Member = {
  operation: NamedOperation;
  /** Created at this time of the service or after it are all events that the wait has not seen; undefined: unknown. */
  since: number | undefined;
  /** Events of shared searches that it has not taken yet. */
  inbox: Map<string, ChannelEvent>;
  /** Whether a shared search has included it since it last took its events. */
  isServed: boolean;
};

/** From so many waits of a channel on, they share a search. */
const FEWEST = 3;
/** More of them would make the address of the request too long. */
const MOST_ADDRESSES = 50;
/** Events may be shown later than others that were created after them. */
const OVERLAP_SECONDS = 10;
/** Those that have missed so much more than others, such as after a restart, search apart from them. */
const OLDER_SECONDS = 60;
/** A search that finds so many is not used, nor one of more pages than it has waits: they would not ask for more. */
const MOST_EVENTS = 5_000;

/** The waits of one channel. They search for the status events of their operations together. */
export class SharedSearches {
  readonly #read: ReadShared;
  readonly #members = new Set<Member>();
  /** The newest time of the service that an event has shown. */
  #newest = 0;
  /** Not begun yet: who comes now is in it. */
  #next: Promise<void> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(read: ReadShared) {
    this.#read = read;
  }

  get isEmpty(): boolean {
    return this.#members.size === 0;
  }

  /** Comes in, or back after a rest: `before` is what it was, and keeps what it has not taken. */
  join(operation: NamedOperation, before: Member | undefined): Member {
    const member = before?.operation === operation ? before : this.#memberOf(operation);
    this.#members.add(member);
    return member;
  }

  #memberOf(operation: NamedOperation): Member {
    const createdAt = "created_at" in operation ? operation.created_at : undefined;
    const since = typeof createdAt === "number" ? createdAt : undefined;
    return { operation, since, inbox: new Map(), isServed: false };
  }

  leave(member: Member): void {
    this.#members.delete(member);
  }

  /** The wait has searched for itself, and seen all until now. `newest` was known before it did. */
  hasSeen(member: Member, events: readonly ChannelEvent[], newest: number): void {
    this.#note(events);
    const known = newest || this.#newest;
    if (known > 0) member.since = known;
  }

  get newest(): number {
    return this.#newest;
  }

  /** What shared searches have found for a wait; undefined where it has to search for itself. */
  async take(member: Member): Promise<ChannelEvent[] | undefined> {
    const { address, chain_selector } = member.operation;
    if (this.#members.size < FEWEST || member.since === undefined || !address || !chain_selector)
      return undefined;
    if (!member.isServed) await this.#search();
    if (!member.isServed) return undefined;
    const found = [...member.inbox.values()];
    member.inbox.clear();
    member.isServed = false;
    return found.sort((a, b) => a.headers.offset - b.headers.offset);
  }

  #search(): Promise<void> {
    this.#next ??= this.#last.then(() => {
      this.#next = undefined;
      return this.#round();
    });
    this.#last = this.#next.catch(() => {});
    return this.#next;
  }

  async #round(): Promise<void> {
    const members = [...this.#members].filter(
      ({ since, operation }) => since !== undefined && operation.address,
    );
    const newest = members.reduce((most, { since = 0 }) => Math.max(most, since), this.#newest);
    const isOlder = ({ since = 0 }: Member) => since < newest - OLDER_SECONDS;
    for (const group of [members.filter((one) => !isOlder(one)), members.filter(isOlder)]) {
      const addresses = [...new Set(group.map(({ operation }) => operation.address.toLowerCase()))];
      for (let at = 0; at < addresses.length; at += MOST_ADDRESSES) {
        const address = addresses.slice(at, at + MOST_ADDRESSES);
        await this.#serve(
          group.filter(({ operation }) => address.includes(operation.address.toLowerCase())),
          address,
        );
      }
    }
  }

  async #serve(members: readonly Member[], address: readonly string[]): Promise<void> {
    const newest = this.#newest;
    const since = Math.min(...members.map((member) => member.since ?? 0)) - OVERLAP_SECONDS;
    const filter: SearchEvents = {
      type: ["operation.status"],
      address,
      "created.gte": Math.max(0, Math.floor(since)),
    };
    const most = Math.min(MOST_EVENTS, members.length * PAGE_LIMITS.eventsSearch.max);
    const events = await this.#readOrLeave(filter, most);
    if (events === undefined) {
      // Each has to search for itself, and has then seen all until now.
      for (const member of members) member.since = undefined;
      return;
    }
    this.#note(events);
    const byId = new Map<string, ChannelEvent[]>();
    for (const event of events) {
      if (!isEvent(event, "operation.status")) continue;
      const id = canonicalId(String(event.payload.operation_id));
      byId.set(id, [...(byId.get(id) ?? []), event]);
    }
    for (const member of members) {
      for (const event of byId.get(canonicalId(member.operation.operation_id)) ?? [])
        member.inbox.set(event.event_id, event);
      member.isServed = true;
      member.since = Math.max(member.since ?? 0, newest, newestOf(events));
    }
  }

  /** What passes is thrown. What the service refuses, each wait hears for itself. */
  async #readOrLeave(filter: SearchEvents, most: number): Promise<ChannelEvent[] | undefined> {
    try {
      return await this.#read(filter, most);
    } catch (error) {
      if (error instanceof HttpError && !error.retryable) return undefined;
      throw error;
    }
  }

  #note(events: readonly ChannelEvent[]): void {
    this.#newest = Math.max(this.#newest, newestOf(events));
  }
}

function newestOf(events: readonly ChannelEvent[]): number {
  const times = events.map(({ created_at: createdAt }) => createdAt);
  return times.reduce((newest: number, at) => (typeof at === "number" ? Math.max(newest, at) : newest), 0);
}

const WINDOW_MS = 1_000;

type Waiting = { enter: () => void };

/** Lets so many searches of waits start within any second. Those that many waits share come first. */
export class SearchTurns {
  readonly #most: number;
  readonly #starts: number[] = [];
  readonly #shared = new Set<Waiting>();
  readonly #own = new Set<Waiting>();
  #isRunning = false;

  constructor(most: number) {
    this.#most = most;
  }

  /** Resolves when the turn has come. Rejects with the signal's reason when it fires before. */
  async take(signal: AbortSignal | undefined, isShared = false): Promise<void> {
    signal?.throwIfAborted();
    const line = isShared ? this.#shared : this.#own;
    const { promise, resolve, reject } = deferred();
    const waiting = { enter: resolve };
    const leave = () => {
      line.delete(waiting);
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", leave, { once: true });
    line.add(waiting);
    void this.#run();
    return promise.finally(() => signal?.removeEventListener("abort", leave));
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    while (this.#shared.size + this.#own.size > 0) {
      const oldest = this.#starts.length < this.#most ? undefined : this.#starts[0];
      const waitMs = oldest === undefined ? 0 : oldest + WINDOW_MS - performance.now();
      if (waitMs > 0) {
        await sleep(Math.ceil(waitMs));
        continue;
      }
      const line = this.#shared.size > 0 ? this.#shared : this.#own;
      const [next] = line;
      if (next === undefined) continue;
      line.delete(next);
      this.#starts.push(performance.now());
      if (this.#starts.length > this.#most) this.#starts.shift();
      next.enter();
    }
    this.#isRunning = false;
  }
}
