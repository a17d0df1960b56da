import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { CrecError } from "../../../src/index.ts";
import type { PastEvent } from "../../shared/job.ts";
import { BlockCache, readBlocks } from "./blocks.ts";
import { ChannelPages, type EventReader } from "./channel-pages.ts";
import { Timed, timeOf } from "./event-time.ts";
import { mergeByTime } from "./merge.ts";

/** What a person chooses to rehearse. `from` and `to` are Unix milliseconds, and both are part of the span. */
type SpanChoice =
  | { last: number }
  | { from: number; to: number }
  | { offsets: readonly [first: number, last: number] }
  /** The path of a file of events. */
  | { file: string };

/** Of the events of a service. Times are Unix milliseconds; both ends are part of the span. */
export type Span =
  | { kind: "times"; from: number; to: number }
  | { kind: "offsets"; first: number; last: number };

const HOUR_MS = 3_600_000;

/**
 * The span of a choice. `now`: Unix milliseconds.
 * @throws {CrecError} `SPAN_INVALID`.
 */
export function spanOf(choice: Exclude<SpanChoice, { file: string }>, now: number): Span {
  if ("offsets" in choice) return offsetsOf(choice.offsets);
  if ("last" in choice) {
    if (!Number.isFinite(choice.last) || choice.last <= 0)
      throw invalid("The number of hours must be above 0. Enter how many hours back to start.");
    return { kind: "times", from: Math.round(now - choice.last * HOUR_MS), to: now };
  }
  const { from, to } = choice;
  if (!Number.isFinite(from) || !Number.isFinite(to))
    throw invalid("The start or the end of the span is not a time. Enter both.");
  if (from > to)
    throw invalid("The span starts after its end. Exchange the two times, or correct one of them.");
  return { kind: "times", from, to };
}

function offsetsOf([first, last]: readonly [number, number]): Span {
  if (!Number.isSafeInteger(first) || !Number.isSafeInteger(last) || first < 0)
    throw invalid("Offsets must be whole numbers from 0. Enter the first and the last offset.");
  if (first > last)
    throw invalid("The first offset is above the last one. Exchange the two, or correct one of them.");
  return { kind: "offsets", first, last };
}

function invalid(message: string): CrecError {
  return new CrecError("SPAN_INVALID", message);
}

/** @param where says what has been searched, and what to choose instead */
export function noEvents(where: string): CrecError {
  return new CrecError("NO_EVENTS_IN_SPAN", where);
}

function beyondEnd(first: number, end: number): CrecError {
  return new CrecError(
    "OFFSETS_BEYOND_END",
    `The channel ends at offset ${end}, before the first offset of the span, ${first}. Choose offsets up to ${end}.`,
  );
}

type ReadOptions = {
  signal?: AbortSignal | undefined;
  /**
   * Where events that were read are kept. Nothing else may be in it.
   * @default nothing is kept
   */
  cacheFolder?: string | undefined;
};

/** The events of a span, and its times. */
export type PastEvents = {
  /** Unix milliseconds. Of offsets: the times of the first event and of the last one. */
  span: { from: number; to: number };
  /** In the order of their times. To be read once. */
  batches: AsyncIterable<readonly PastEvent[]>;
};

/**
 * The events of a span of one channel or several. The start of the span is found, and its first events are read, before
 * it returns; the others when the batches are taken.
 * @throws {CrecError} `NO_EVENTS_IN_SPAN`; `OFFSETS_BEYOND_END`; `SPAN_INVALID` for offsets of several channels; what
 * `events.poll` throws, from the batches too.
 */
export async function readEvents(
  reader: EventReader,
  channelIds: readonly string[],
  span: Span,
  { signal, cacheFolder }: ReadOptions = {},
): Promise<PastEvents> {
  if (channelIds.length === 0) throw invalid("No channel is chosen. Choose at least one channel.");
  if (span.kind === "offsets" && channelIds.length > 1)
    throw invalid("Offsets are of one channel, and the flow reads several. Choose times instead.");
  const opened: Opened[] = [];
  for (const channelId of channelIds) {
    const pages = await ChannelPages.open(reader, channelId, signal);
    const cache = cacheFolder ? await BlockCache.open(cacheFolder, reader.baseUrl, pages) : undefined;
    opened.push({ pages, cache });
  }
  const timed = await timedSpan(span, opened);
  const all = mergeByTime(opened.map((channel) => eventsIn(channel, timed)));
  const start = await all.next();
  if (start.done) throw noEvents(nothingFound(span));
  const batches = async function* () {
    try {
      yield start.value;
      yield* all;
    } finally {
      await all.return(undefined);
      if (cacheFolder) await pruneCache(cacheFolder);
    }
  };
  return { span: { from: timed.from, to: timed.to }, batches: batches() };
}

type Opened = { pages: ChannelPages; cache: BlockCache | undefined };
type TimedSpan = Span & { from: number; to: number };

/** With the times of offsets. Where the events have no times, all of them happen at once. */
async function timedSpan(span: Span, [channel]: readonly Opened[]): Promise<TimedSpan> {
  if (span.kind === "times" || channel === undefined) return { from: 0, to: 0, ...span };
  const { pages } = channel;
  const { first, last } = span;
  const { end = -1 } = pages;
  if (end < 0) throw noEvents("The channel has no events yet. Choose another channel.");
  if (first > end) throw beyondEnd(first, end);
  const [start, stop] = [await pages.beside(first), await pages.beside(Math.min(last, end))];
  const from = (start && timeOf(start)) ?? 0;
  return { ...span, from, to: Math.max(from, (stop && timeOf(stop)) ?? from) };
}

/** The events of a channel in a span. */
async function* eventsIn({ pages, cache }: Opened, span: TimedSpan): AsyncGenerator<readonly PastEvent[]> {
  const { from, to } = span;
  const isOfTimes = span.kind === "times";
  // An event before the first one that has a time is in no span of times.
  const timed = new Timed(pages.channelId, isOfTimes ? Number.NEGATIVE_INFINITY : from);
  const start = isOfTimes ? await firstOffsetOf(pages, from) : span.first;
  for await (const block of readBlocks(pages, cache, start)) {
    const stated = block.map((event) => ({ event, time: timed.stated(event) }));
    const inside = stated.filter(({ event, time }) =>
      isOfTimes
        ? time >= from && time <= to
        : event.headers.offset >= span.first && event.headers.offset <= span.last,
    );
    const within = (time: number) => Math.min(to, Math.max(from, time));
    if (inside.length > 0) yield inside.map(({ event, time }) => timed.past(event, within(time)));
    // A single event with a wrong time must not end it.
    const isBeyond = isOfTimes
      ? stated.every(({ time }) => time > to)
      : stated.every(({ event }) => event.headers.offset > span.last);
    if (isBeyond) return;
  }
}

function nothingFound(span: Span): string {
  const other = "Choose another span or another channel.";
  if (span.kind === "offsets")
    return `No event has an offset from ${span.first} to ${span.last}: the service may have dropped them. ${other}`;
  const [from, to] = [span.from, span.to].map((time) => new Date(time).toISOString());
  return `No event happened from ${from} to ${to}. ${other} If the events of this service have no times, choose offsets.`;
}

/** So many offsets earlier, since times do not always increase with offsets. */
const MARGIN = 200;

/**
 * An offset from which on all events of a time are found: by halving, in about as many calls as the end of the channel
 * has binary digits. Events without times may be of the span, so where none has one it is 0, and the channel is
 * read as a whole. A service whose clock was set back over more than 200 events can hide events at the start of a span.
 * @param from Unix milliseconds
 */
async function firstOffsetOf(pages: ChannelPages, from: number): Promise<number> {
  // All up to `before` are earlier; all from `after` on are not. Offsets can have gaps.
  let [before, after] = [-1, (pages.end ?? -1) + 1];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    const event = await pages.beside(middle);
    const offset = event?.headers.offset ?? (pages.isDown ? -1 : after);
    if (event === undefined || offset <= before || offset >= after) {
      if (pages.isDown) before = middle;
      else after = middle;
      continue;
    }
    const time = timeOf(event);
    if (time !== undefined && time < from) before = Math.max(middle, offset);
    else after = Math.min(middle, offset);
  }
  return Math.max(0, after - MARGIN);
}

/** How much is kept of all channels together. */
const MAX_BYTES = 256 * 1024 * 1024;
/** A temporary file of this age was left by a process that was killed. */
const LEFTOVER_MS = 3_600_000;

/** Removes the oldest files of the cache until it is within its bound. Never rejects. */
export async function pruneCache(cacheFolder: string, maxBytes = MAX_BYTES): Promise<void> {
  const entries = await readdir(cacheFolder, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const found = await Promise.all(paths.map(fileAt));
  const files = found.filter((file) => file !== undefined).sort((a, b) => a.writtenAt - b.writtenAt);
  let bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  for (const file of files) {
    const isLeftover = file.path.endsWith(".tmp") && file.writtenAt < Date.now() - LEFTOVER_MS;
    if (bytes <= maxBytes && !isLeftover) continue;
    await rm(file.path, { force: true }).catch(() => {});
    bytes -= file.bytes;
  }
}

async function fileAt(path: string) {
  // Another process may have removed it.
  const stats = await stat(path).catch(() => undefined);
  return stats && { path, bytes: stats.size, writtenAt: stats.mtimeMs };
}
