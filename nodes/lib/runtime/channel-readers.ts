import type { CursorIdentity, EventConsumer, LevelSource } from "../../../src/index.ts";
import { isSameId } from "../../../src/protocol/ids.ts";
import { areFlowsRestarting } from "./flows-started.ts";
import { processWide } from "./process-wide.ts";

/** An events in node, as seen by nodes that depend on what it has read. */
export type ChannelReader = {
  /** Of the channel's config node. */
  channelNode: string;
  /** The name of its consumer. */
  consumer: string;
  /** Whether another copy reads in its place, or it has stopped for good: it delivers nothing. */
  isAway(): boolean;
  /** Undefined until it reads, and while it must not. */
  reading(): Reading | undefined;
};

export type Reading = {
  identity: Pick<CursorIdentity, "channelId" | "service">;
  /** All events of the channel up to this time are settled. Unix milliseconds. */
  readUpTo: number | undefined;
  /** Reads the levels of the channel's networks. */
  levels: LevelSource;
  consumer: Pick<EventConsumer, "isSettled">;
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
export type KnownChannel = { channelNode?: string; channelId: string | undefined };

/** Whether an events in reads a channel now. */
export function isRead(channelId: string): boolean {
  return readersOf({ channelId }).length > 0;
}

/** An event as its message names it. `consumer`: of the events in that waits for its acknowledgement. */
export type NamedEvent = {
  eventId: string;
  offset: number | undefined;
  channelId: string | undefined;
  consumer: string | undefined;
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

/**
 * The time up to which all events in nodes of a channel have read it, in Unix milliseconds. Undefined if one of them is
 * not reading now, or if there are none in this process: then nothing follows from events that did not arrive.
 */
export function readUpToOf(channel: KnownChannel): number | undefined {
  const found = readersOf(channel);
  return found.length === 0 ? undefined : earliest(found);
}

/** Up to when all events in have read, whatever their channel: infinity where none exists here. */
export function readUpToOfAll(): number | undefined {
  return earliest([...readers]);
}

/** Undefined where one of them does not read now. */
function earliest(found: readonly ChannelReader[]): number | undefined {
  const times = found.map((reader) => reader.reading()?.readUpTo);
  if (times.some((time) => time === undefined)) return undefined;
  return Math.min(...(times as number[]));
}

/** The levels of a channel's networks, from any events in node that reads it. */
export function levelsOf(channelId: string): LevelSource | undefined {
  for (const reader of readers) {
    const reading = reader.reading();
    if (reading && isSameId(reading.identity.channelId, channelId)) return reading.levels;
  }
  return undefined;
}

/** Also those that use another config node for the same channel. */
function readersOf({ channelNode, channelId }: KnownChannel): ChannelReader[] {
  return [...readers].filter((reader) => {
    if (channelNode !== undefined && reader.channelNode === channelNode) return true;
    const id = reader.reading()?.identity.channelId;
    return channelId !== undefined && id !== undefined && isSameId(id, channelId);
  });
}
