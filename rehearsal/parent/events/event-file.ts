import { readFile } from "node:fs/promises";
import { type ChannelEvent, CrecError } from "../../../src/index.ts";
import { envelopeOf } from "../../../src/protocol/index.ts";
import { writeDurably } from "../../../src/storage/durable-files.ts";
import { isNewer } from "../../../src/storage/newer.ts";
import type { EventFile } from "../../shared/event-file.ts";
import type { ServiceSnapshot } from "../../shared/job.ts";
import { Timed } from "./event-time.ts";
import { noEvents, type PastEvents } from "./read-events.ts";

/** An event file as it is used: complete, its events in the order of their offsets. */
export type ReadEventFile = EventFile & { snapshot: ServiceSnapshot };

/** Of a file that does not name its channel. */
const UNKNOWN_CHANNEL = "00000000-0000-4000-8000-000000000000";
/** Events of a batch: each batch is one message to the process of the rehearsal. */
const BATCH = 500;

/** @throws {CrecError} `EVENT_FILE_INVALID`. */
export async function readEventFile(path: string): Promise<ReadEventFile> {
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    const message = `The event file ${path} cannot be read. Check its path and its permissions.`;
    throw new CrecError("EVENT_FILE_INVALID", message, { cause });
  });
  return parseEventFile(text);
}

/**
 * The content of an event file, or events as the service sends them: a list, or a page with `events`. Where the snapshot
 * is missing, it has the channel alone.
 * @throws {CrecError} `EVENT_FILE_INVALID`.
 */
export function parseEventFile(text: string): ReadEventFile {
  const content = parsed(text);
  const fields = (Array.isArray(content) ? { events: content } : content) as Partial<EventFile> | null;
  if (typeof fields !== "object" || !Array.isArray(fields?.events))
    throw invalid("It has no list of events. Record the events again, as the example does.");
  if (fields.format !== undefined && fields.format !== "crec-events")
    throw invalid("It has another format. Choose a file of events.");
  if (fields.version !== undefined && fields.version !== 1)
    throw invalid(
      isNewer(fields)
        ? "It was written by a newer version of this package. Install that version, or record the events again."
        : "It has no known version. Record the events again.",
    );
  checkParts(fields);
  const events = distinct(fields.events.map(eventAt));
  const channel = channelOf(fields, events);
  const { snapshot = snapshotOf(channel, events) } = fields;
  return { ...fields, format: "crec-events", version: 1, channel, snapshot, events };
}

/** Replaces the file as a whole. @throws what the file system throws */
export async function writeEventFile(path: string, file: EventFile): Promise<void> {
  await writeDurably(path, `${JSON.stringify(file, null, 1)}\n`);
}

/**
 * The events of a file as those of a span: from its first event to its last one.
 * @throws {CrecError} `NO_EVENTS_IN_SPAN` for a file without events.
 */
export function eventsOfFile({ channel, events }: Pick<EventFile, "channel" | "events">): PastEvents {
  const timed = new Timed(channel.id, 0);
  const past = events.map((event) => timed.past(event, timed.stated(event)));
  const [first, last] = [past[0], past.at(-1)];
  if (!first || !last) throw noEvents("The file has no events. Record events first, or choose another file.");
  const batches = async function* () {
    for (let start = 0; start < past.length; start += BATCH) yield past.slice(start, start + BATCH);
  };
  return { span: { from: first.at, to: last.at }, batches: batches() };
}

function parsed(text: string): unknown {
  try {
    // An editor may have put a byte order mark before it.
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (cause) {
    throw invalid("It is not JSON. Record the events again, or correct the file.", cause);
  }
}

/** A file may be written by hand, or by another program. */
function checkParts({ channel, snapshot, verification }: Partial<EventFile>): void {
  if (channel !== undefined && !(isObject(channel) && isText(channel.id ?? "") && isText(channel.name ?? "")))
    throw invalid('Its "channel" must have the "id" and the "name" as text. Correct it.');
  if (snapshot !== undefined && !isSnapshot(snapshot))
    throw invalid(
      'Its "snapshot" must have the lists "networks", "wallets" and "channels", each channel with its "watchers". Correct it, or remove the snapshot.',
    );
  if (verification !== undefined && !(isObject(verification) && Array.isArray(verification.validSigners)))
    throw invalid(
      'Its "verification" must have the list "validSigners". Correct it, or remove the verification.',
    );
}

function isSnapshot(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { networks, wallets, channels } = value as Partial<ServiceSnapshot>;
  if (!Array.isArray(networks) || !Array.isArray(wallets) || !Array.isArray(channels)) return false;
  return channels.every((one) => isObject(one) && isObject(one.channel) && Array.isArray(one.watchers));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function eventAt(raw: unknown, index: number): ChannelEvent {
  const isFields = typeof raw === "object" && raw !== null && !Array.isArray(raw);
  const event = isFields ? envelopeOf(raw as Record<string, unknown>) : undefined;
  if (event && Number.isSafeInteger(event.headers.offset) && event.headers.offset >= 0) return event;
  throw invalid(`Entry ${index + 1} of its list is not an event with an offset. Remove or correct it.`);
}

function distinct(events: readonly ChannelEvent[]): ChannelEvent[] {
  const byOffset = new Map(events.map((event) => [event.headers.offset, event]));
  return [...byOffset.values()].sort((a, b) => a.headers.offset - b.headers.offset);
}

function channelOf({ channel }: Partial<EventFile>, events: readonly ChannelEvent[]): EventFile["channel"] {
  const id = channel?.id || events.find(({ channel_id }) => channel_id)?.channel_id || UNKNOWN_CHANNEL;
  return { id, name: channel?.name ?? "" };
}

function snapshotOf({ id, name }: EventFile["channel"], events: readonly ChannelEvent[]): ServiceSnapshot {
  const created_at = events.find((event) => event.created_at)?.created_at ?? 0;
  const channel = { channel_id: id, name, status: "active", created_at };
  return { networks: [], wallets: [], channels: [{ channel, watchers: [] }] };
}

function invalid(problem: string, cause?: unknown): CrecError {
  return new CrecError("EVENT_FILE_INVALID", `The file of events cannot be used. ${problem}`, { cause });
}
