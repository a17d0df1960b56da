import { EventConsumer, type EventConsumerOptions } from "../../src/consumer/index.ts";
import {
  type ConsumerLease,
  type Lease,
  SharedCursorStore,
  type SharedState,
  type WantedLease,
} from "../../src/ownership/index.ts";
import type { CursorState } from "../../src/storage/index.ts";
import { LeaseWorld, type SimulatedCopy } from "./lease-world.ts";
import { makeEvent, range, SimulatedChannel } from "./simulation.ts";

export const KEY = "channel";

export type Sent = {
  copy: string;
  offset: number;
  redelivered: boolean;
  attempt: number;
  epoch: number | undefined;
};

let readers = 0;

/** Several copies that read one channel on ack, each while it has the lease. */
export class ReaderWorld extends LeaseWorld {
  readonly channel = new SimulatedChannel();
  readonly sent: Sent[] = [];
  /** Offsets that a consumer has settled. */
  readonly acked = new Set<number>();
  /** The epoch and the cursor of each save that the engine has taken. */
  readonly saves: Array<{ epoch: number; state: CursorState }> = [];
  readonly consumers = new Map<SimulatedCopy, EventConsumer>();
  readonly #published: { count: number } = { count: 0 };
  /** What a copy's consumer gets as its lease. */
  asLease: (lease: Lease) => ConsumerLease = (lease) => lease;

  constructor(change: (engine: SharedState) => SharedState = (engine) => engine) {
    super((engine) => {
      const changed = change(engine);
      return {
        ...forward(changed),
        save: async (key, epoch, state, leaseMs) => {
          const isSaved = await changed.save(key, epoch, state, leaseMs);
          if (isSaved) this.#noteSave(epoch, state);
          return isSaved;
        },
      };
    });
    const { activity } = this.base;
    this.base.activity = () => activity() + this.sent.length + this.acked.size + this.saves.length;
  }

  publish(count: number): void {
    const from = this.#published.count + 1;
    this.#published.count += count;
    this.channel.publish(...range(from, this.#published.count).map((offset) => makeEvent(offset)));
  }

  get published(): number {
    return this.#published.count;
  }

  /** `workMs`: how long the flow works on an event before it acknowledges it. */
  read(
    copy: SimulatedCopy,
    workMs: (offset: number) => number,
    options: Partial<EventConsumerOptions> = {},
  ): WantedLease {
    readers += 1;
    const identity = { consumer: `copy ${readers}`, channelId: "channel-1", service: "http://service.test" };
    let consumer: EventConsumer | undefined;
    return copy.keeper.want(KEY, {
      open: async (lease) => {
        copy.leases.set(KEY, lease);
        const current = new EventConsumer({
          source: {
            poll: async (params) => {
              const page = await this.channel.poll(params);
              await copy.clock.resumed();
              return page;
            },
            get: (eventId) => this.channel.get(eventId),
          },
          store: new SharedCursorStore({ shared: copy.link, lease }),
          lease: this.asLease(lease),
          identity,
          start: "beginning",
          clock: copy.clock,
          random: () => 0.5,
          commit: "on-ack",
          inFlight: 3,
          ackTimeoutMs: 3_600_000,
          pollMinMs: 100,
          pollMaxMs: 200,
          deliver: async ({ offset, redelivered, attempt, epoch, event }) => {
            this.noteDelivery(copy);
            this.sent.push({ copy: copy.name, offset, redelivered, attempt, epoch });
            await copy.clock.sleep(workMs(offset), new AbortController().signal);
            if (current.ack(event.event_id)) this.acked.add(offset);
          },
          onError: ({ code }) => copy.log.push(code),
          ...options,
        });
        consumer = current;
        this.consumers.set(copy, current);
        current.start();
      },
      close: async () => {
        await consumer?.stop();
      },
      onState: ({ kind }) => copy.log.push(kind),
    });
  }

  /** Events that were sent again without saying so. */
  get unmarked(): number[] {
    const seen = new Set<number>();
    return this.sent.flatMap(({ offset, redelivered }) => {
      const isUnmarked = seen.has(offset) && !redelivered;
      seen.add(offset);
      return isUnmarked ? [offset] : [];
    });
  }

  /** Events that were marked although they were sent for the first time. */
  get overmarked(): number[] {
    const seen = new Set<number>();
    return this.sent.flatMap(({ offset, redelivered }) => {
      const isOver = !seen.has(offset) && redelivered;
      seen.add(offset);
      return isOver ? [offset] : [];
    });
  }

  /** How often an event was sent again. */
  get repeats(): number {
    return this.sent.length - new Set(this.sent.map(({ offset }) => offset)).size;
  }

  /** No copy hands over an event while another one is sure of the lease. */
  noteDelivery(copy: SimulatedCopy): void {
    const other = this.copies.find((one) => one !== copy && one.sure.includes(KEY));
    if (other !== undefined) this.broken ??= `${copy.name} hands over what ${other.name} has the lease of.`;
  }

  #noteSave(epoch: number, state: CursorState): void {
    const last = this.saves.at(-1);
    if (last !== undefined && epoch < last.epoch)
      this.broken ??= `A save with epoch ${epoch} came after one with ${last.epoch}.`;
    if (last !== undefined && state.cursor < last.state.cursor)
      this.broken ??= `The cursor went back from ${last.state.cursor} to ${state.cursor}.`;
    this.saves.push({ epoch, state });
  }
}

export function forward(engine: SharedState): SharedState {
  return {
    label: engine.label,
    take: (...given) => engine.take(...given),
    save: (...given) => engine.save(...given),
    release: (...given) => engine.release(...given),
    once: (...given) => engine.once(...given),
    readRecord: (...given) => engine.readRecord(...given),
    writeRecord: (...given) => engine.writeRecord(...given),
    recordKeys: (...given) => engine.recordKeys(...given),
    members: (...given) => engine.members(...given),
    leave: (...given) => engine.leave(...given),
    close: () => engine.close(),
  };
}
