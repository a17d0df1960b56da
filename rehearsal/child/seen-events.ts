import type { Job, PastEvent } from "../shared/job.ts";
import type { Report } from "../shared/report.ts";

type Take = (event: PastEvent) => void;

/** Hands events to those that listen, and keeps what has been published. */
export class SeenEvents {
  #read = 0;
  readonly #delivered = new Set<PastEvent>();
  readonly #past = new Map<string, PastEvent[]>();
  readonly #listeners = new Map<string, Set<Take>>();

  onEvent(channelId: string, take: Take): () => void {
    const listeners = this.#listeners.get(channelId) ?? new Set();
    this.#listeners.set(channelId, listeners.add(take));
    return () => listeners.delete(take);
  }

  /** How many were published, and how many of them entered the flow. */
  get count(): Report["events"] {
    return { read: this.#read, delivered: this.#delivered.size };
  }

  /** The event has entered the flow. Events in leaves out what its form does not choose. */
  noteDelivered(event: PastEvent): void {
    this.#delivered.add(event);
  }

  past(channelId: string): readonly PastEvent[] {
    return this.#past.get(channelId) ?? [];
  }

  publish(event: PastEvent): void {
    this.#read += 1;
    const past = this.#past.get(event.channelId);
    if (past === undefined) this.#past.set(event.channelId, [event]);
    else past.push(event);
    for (const take of this.#listeners.get(event.channelId) ?? []) take(event);
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
