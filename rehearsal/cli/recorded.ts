import { eventsOfFile, type ReadEventFile, readEventFile } from "../parent/events/event-file.ts";
import { mergeByTime } from "../parent/events/merge.ts";
import type { Job, PastEvent, ServiceSnapshot } from "../shared/job.ts";
import { CommandProblem } from "./command-line.ts";

type Recorded = {
  span: Job["span"];
  snapshot: ServiceSnapshot;
  batches: AsyncIterable<readonly PastEvent[]>;
  /** Of one channel: that file, or the first one of several. */
  only?: ReadEventFile;
};

/** After the last event, for what the flow still has to do with it. */
const AFTER_MS = 60_000;

/**
 * The events of the files in the span; files of the same channel are one. Without a start or an end, it is that of the
 * events.
 *
 * @throws CommandProblem, or CrecError of a file
 */
export async function readRecorded(
  paths: readonly string[],
  { from, to }: { from?: number | undefined; to?: number | undefined },
): Promise<Recorded> {
  const files: ReadEventFile[] = [];
  for (const path of paths) files.push(await readEventFile(path));
  const channels = joined(files);
  const sources = channels.map(eventsOfFile);
  const span = {
    from: from ?? Math.min(...sources.map((source) => source.span.from)),
    to: to ?? Math.max(...sources.map((source) => source.span.to)) + AFTER_MS,
  };
  if (!Number.isFinite(span.from) || !Number.isFinite(span.to)) {
    throw new CommandProblem(
      "There are no events. Name a file with --events, or a span with --from and --to.",
    );
  }
  if (span.from > span.to) {
    throw new CommandProblem("The span starts after the last event. Choose another --from or --to.");
  }
  const batches = mergeByTime(sources.map((source) => source.batches));
  const [first] = files;
  const only = channels.length === 1 && first ? { only: first } : {};
  return { span, snapshot: snapshotOf(files), batches: within(batches, span), ...only };
}

function joined(files: readonly ReadEventFile[]): Array<Pick<ReadEventFile, "channel" | "events">> {
  const channels = new Map<string, Pick<ReadEventFile, "channel" | "events">>();
  for (const { channel, events } of files) {
    const known = channels.get(channel.id)?.events ?? [];
    const byOffset = new Map([...known, ...events].map((event) => [event.headers.offset, event]));
    const all = [...byOffset.values()].sort((one, other) => one.headers.offset - other.headers.offset);
    channels.set(channel.id, { channel, events: all });
  }
  return [...channels.values()];
}

function snapshotOf(files: readonly ReadEventFile[]): ServiceSnapshot {
  const snapshots = files.map(({ snapshot }) => snapshot);
  const channels = new Map(
    snapshots.flatMap((snapshot) => snapshot.channels).map((one) => [one.channel.channel_id, one]),
  );
  return {
    networks: distinct(snapshots.flatMap(({ networks }) => networks)),
    wallets: distinct(snapshots.flatMap(({ wallets }) => wallets)),
    channels: [...channels.values()],
  };
}

function distinct<T>(resources: readonly T[]): T[] {
  return [...new Map(resources.map((resource) => [JSON.stringify(resource), resource])).values()];
}

async function* within(
  batches: AsyncIterable<readonly PastEvent[]>,
  { from, to }: Job["span"],
): AsyncGenerator<readonly PastEvent[]> {
  for await (const batch of batches) yield batch.filter(({ at }) => at >= from && at <= to);
}
