import type { CursorIdentity, EventConsumer, LevelSource } from "../../../src/index.ts";
import { isSameId } from "../../../src/protocol/ids.ts";
import { areFlowsRestarting } from "../flows/flows-started.ts";
import { processWide } from "../process-wide.ts";

/** An events in node, as seen by nodes that depend on what it has read. */
export type ChannelReader = {
  /** The id under which it runs. Unknown of one from an older version of this package, in the same process. */
  node?: string;
  /** What a person calls it. */
  label?: string;
  /** Of the channel's config node. */
  channelNode: string;
  /** The name of its consumer. */
  consumer: string;
  /** Whether another copy reads in its place, or it has stopped for good: it delivers nothing. */
  isAway(): boolean;
  /** Undefined until it reads, and while it must not. */
  reading(): ChannelProgress | undefined;
};

export type ChannelProgress = {
  identity: Pick<CursorIdentity, "channelId" | "service">;
  /** All events of the channel up to this time are settled. Unix milliseconds. */
  readUpTo: number | undefined;
  /** The same for who has got all that is in flight. */
  deliveredUpTo?: number | undefined;
  /** Reads the levels of the channel's networks. */
  levels: LevelSource;
  consumer: Pick<EventConsumer, "isSettled"> & Partial<Pick<EventConsumer, "inFlight">>;
};

const readers = processWide("channel-readers", () => new Set<ChannelReader>());

/** Registers an events in node. Returns the function that removes it. */
export function noteReader(reader: ChannelReader): () => void {
  readers.add(reader);
  return () => {
    readers.delete(reader);
  };
}

/** A channel as a node knows it: its config node, and its id once it is known. */
type KnownChannel = { channelNode?: string; channelId: string | undefined };

/** An event as its message names it. `consumer`: of the events in that waits for its acknowledgement. */
export type NamedEvent = {
  eventId: string;
  offset: number | undefined;
  channelId: string | undefined;
  consumer: string | undefined;
  /** The consumer that sent it, also where it does not wait. */
  reader?: string | undefined;
};

/**
 * Whether an events in of this process may still deliver an event: it has not settled it and not read past it, or does
 * not read yet. False where it is gone.
 */
export function mayDeliver({ eventId, offset, channelId, consumer }: NamedEvent): boolean {
  if (offset === undefined || consumer === undefined) return false;
  // Its node may be on its way.
  if (areFlowsRestarting()) return true;
  const named = [...readers].filter((reader) => reader.consumer === consumer && !reader.isAway());
  const reading = named.map((reader) => reader.reading()).filter((one) => one !== undefined);
  // One that waits behind another of its name is not the one that delivers.
  if (reading.length === 0) return named.length > 0;
  return reading.some(
    ({ identity, consumer: of }) =>
      (channelId === undefined || isSameId(identity.channelId, channelId)) && !of.isSettled(eventId, offset),
  );
}

/** All events in nodes that are to read here. */
export function allReaders(): ChannelReader[] {
  return [...readers];
}

/** The levels of a channel's networks, from any events in node that reads it. */
export function levelsOf(channelId: string): LevelSource | undefined {
  for (const reader of readers) {
    const reading = reader.reading();
    if (reading && isSameId(reading.identity.channelId, channelId)) return reading.levels;
  }
  return undefined;
}

/** The events in nodes of a channel, also those that use another config node for the same channel. */
export function readersOf({ channelNode, channelId }: KnownChannel): ChannelReader[] {
  return [...readers].filter((reader) => {
    if (channelNode !== undefined && reader.channelNode === channelNode) return true;
    const id = reader.reading()?.identity.channelId;
    return channelId !== undefined && id !== undefined && isSameId(id, channelId);
  });
}
