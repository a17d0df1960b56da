import type { Job, PastEvent } from "../shared/job.ts";
import type { Report } from "../shared/report.ts";

type Take = (event: PastEvent) => void;

/** Hands events to those that listen, and keeps what has been published. */
export class SeenEvents {
  readonly count = { read: 0, delivered: 0 };
  readonly #past = new Map<string, PastEvent[]>();
  readonly #listeners = new Map<string, Set<Take>>();

  onEvent(channelId: string, take: Take): () => void {
    const listeners = this.#listeners.get(channelId) ?? new Set();
    this.#listeners.set(channelId, listeners.add(take));
    return () => listeners.delete(take);
  }

  past(channelId: string): readonly PastEvent[] {
    return this.#past.get(channelId) ?? [];
  }

  publish(event: PastEvent): void {
    this.count.read += 1;
    const past = this.#past.get(event.channelId);
    if (past === undefined) this.#past.set(event.channelId, [event]);
    else past.push(event);
    const listeners = this.#listeners.get(event.channelId);
    if (listeners === undefined || listeners.size === 0) return;
    this.count.delivered += 1;
    for (const take of listeners) take(event);
  }

  /** In the order of the snapshot. */
  channels({ channels }: Job["snapshot"]): Report["channels"] {
    return channels.map(({ channel }) => {
      const id = String(channel.channel_id);
      const past = this.past(id);
      const [first, last] = [past[0], past.at(-1)].map((event) => event?.event.headers.offset);
      return {
        id,
        name: String(channel.name ?? id),
        events: past.length,
        ...(first === undefined ? {} : { firstOffset: first }),
        ...(last === undefined ? {} : { lastOffset: last }),
      };
    });
  }
}
