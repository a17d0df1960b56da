import type { NodeAPI } from "node-red";
import { canonicalId, isSameId } from "../../../src/protocol/ids.ts";
import { Flows } from "../../common/flows/flows.ts";
import { Paths } from "../../common/flows/paths.ts";
import {
  allReaders,
  type ChannelReader,
  type NamedEvent,
  readersOf,
} from "../../common/status/channel-progress.ts";

type FeedersOptions = {
  /** The ids of the events in nodes that are wired to the alert. */
  wired: () => Promise<ReadonlySet<string>>;
  /** Whether copies share what the alert has counted. */
  isShared: boolean;
  /** The id of the chosen channel node; empty for none. */
  channel: string;
  /** The id of the chosen channel; undefined where it cannot be found now. */
  resolve: () => Promise<string | undefined>;
};

/** Up to when all events were given to an alert; `reader`: the one that is least advanced. */
export type Given = { at: number | undefined; reader?: string | undefined };

/** A reader whose messages have reached the alert, with the events that were counted and may still be in flight. */
type Entry = { reader: string | undefined; channelId: string | undefined; counted: Set<string> };

/** Names come from messages, so their number is limited. */
const MOST_ENTRIES = 100;

/** What is not remembered counts as not counted. */
const MOST_COUNTED = 10_000;

/**
 * The events in nodes that feed an alert, and up to when they have given it all events: by the wires in front of it, else
 * by the messages that have reached it, else all of its channel. Nobody waits for other ones. An event that is in flight
 * does not hold up an alert that has counted it.
 */
export class Feeders {
  readonly #options: FeedersOptions;
  /** One for each reader. */
  readonly #entries = new Map<string, Entry>();

  constructor(options: FeedersOptions) {
    this.#options = options;
  }

  /** An alert of an earlier run was made of this event. */
  know({ reader, consumer, channelId }: Pick<NamedEvent, "reader" | "consumer" | "channelId">): void {
    this.#entryFor(reader ?? consumer, channelId);
  }

  /** An event has arrived. */
  count({ eventId, reader, consumer, channelId }: NamedEvent): void {
    const entry = this.#entryFor(reader ?? consumer, channelId);
    if (entry && entry.counted.size < MOST_COUNTED) entry.counted.add(canonicalId(eventId));
  }

  /** The present where no events in node feeds the alert, and no channel is chosen. */
  async given(): Promise<Given> {
    const feeding = await this.#feeding();
    const now = Date.now();
    if (feeding === undefined) return { at: this.#mayUseClock() ? now : undefined };
    let least: Given = { at: now };
    for (const reader of feeding) {
      const at = reader && this.#upTo(reader);
      if (at === undefined) return { at, reader: reader?.label };
      if (at < Number(least.at)) least = { at, reader: reader?.label };
    }
    return least;
  }

  /** Where no events in node is known to feed it. On a copy that does not read, events may reach it on another one. */
  #mayUseClock(): boolean {
    const { channel, isShared } = this.#options;
    return channel === "" && !(isShared && allReaders().some((reader) => reader.isAway()));
  }

  /** Undefined for none; one of them where an events in node is wired, and does not run. */
  async #feeding(): Promise<Array<ChannelReader | undefined> | undefined> {
    const all = allReaders();
    const wired = [...(await this.#options.wired())];
    if (wired.length > 0) return wired.map((id) => all.find(({ node }) => node === id));
    const reached = all.filter((reader) => this.#entriesOf(reader).length > 0);
    if (reached.length > 0) return reached;
    const { channel } = this.#options;
    const chosen = channel === "" ? [] : [{ channelNode: channel, channelId: await this.#options.resolve() }];
    const known = channel === "" ? [...this.#entries.values()] : chosen;
    const ofChannel = new Set(known.flatMap((one) => readersOf(one)));
    return ofChannel.size > 0 ? [...ofChannel] : undefined;
  }

  #upTo(reader: ChannelReader): number | undefined {
    const reading = reader.reading();
    if (reading === undefined) return undefined;
    const { readUpTo } = reading;
    const inFlight = (reading.consumer.inFlight ?? []).map(({ eventId }) => canonicalId(eventId));
    const entries = this.#entriesOf(reader);
    const counted = inFlight.filter((id) => entries.some((entry) => entry.counted.has(id)));
    for (const entry of entries) entry.counted = new Set(counted);
    if (counted.length < inFlight.length) return readUpTo;
    const { deliveredUpTo = readUpTo } = reading;
    return readUpTo === undefined ? deliveredUpTo : Math.max(readUpTo, deliveredUpTo ?? readUpTo);
  }

  #entriesOf(reader: ChannelReader): Entry[] {
    const channelId = reader.reading()?.identity.channelId;
    return [...this.#entries.values()].filter(
      (entry) =>
        entry.reader === reader.consumer &&
        (channelId === undefined || entry.channelId === undefined || isSameId(entry.channelId, channelId)),
    );
  }

  #entryFor(reader: string | undefined, channelId: string | undefined): Entry | undefined {
    const key = `${reader ?? ""}\n${channelId === undefined ? "" : canonicalId(channelId)}`;
    const known = this.#entries.get(key);
    if (known || this.#entries.size >= MOST_ENTRIES) return known;
    const entry = { reader, channelId, counted: new Set<string>() };
    this.#entries.set(key, entry);
    return entry;
  }
}

type Host = Pick<NodeAPI, "events" | "nodes">;
type Wired = ReadonlyMap<string, ReadonlySet<string>>;

const NONE: ReadonlySet<string> = new Set();

/** Found once for all alert nodes, until the next deploy. */
const found = new WeakMap<object, Promise<Wired>>();

/** The ids of the events in nodes whose messages get to an alert node by the wires of the deployed flows. */
export async function wiredReaders(host: Host, alert: string): Promise<ReadonlySet<string>> {
  const { events, nodes } = host;
  const known = found.get(events) ?? findIn(nodes);
  if (!found.has(events)) {
    found.set(events, known);
    const forget = () => found.delete(events);
    events.once("flows:started", forget);
    known.catch(forget);
  }
  const wired = await known.catch(() => undefined);
  return wired?.get(alert) ?? NONE;
}

async function findIn(nodes: Host["nodes"]): Promise<Wired> {
  return new Paths(nodes, await Flows.read(nodes)).feeding("crec-events-in", "crec-alert");
}
