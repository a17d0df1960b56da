import type { Delivery, EventConsumer } from "../../../src/index.ts";
import type { FlowWork } from "./flow-work.ts";
import type { Work } from "./work.ts";

/** So many attempts at one event may still end it. */
const MOST_FOLLOWED = 10;

/** How a message is sent, and whether a node is there to take it. */
export type Sending = { send: () => void; isWired: boolean };

type Settling = Pick<EventConsumer, "ack" | "refuse">;

/** Acknowledges events when the flow has finished with them, and refuses those at which a node failed. */
export class Attempts {
  readonly #flowWork: FlowWork;
  readonly #consumer: () => Settling;
  /** By event: the first time and all repetitions, for the first may still finish after the second has begun. */
  readonly #works = new Map<string, Work[]>();

  constructor(flowWork: FlowWork, consumer: () => Settling) {
    this.#flowWork = flowWork;
    this.#consumer = consumer;
  }

  /** Sends a message that settles its event. */
  send(msg: object, { event }: Delivery, { send, isWired }: Sending): void {
    const eventId = event.event_id;
    const works = this.#works.get(eventId) ?? [];
    const work = this.#flowWork.follow(msg, (failure) => {
      if (failure === undefined) {
        this.forget(eventId);
        this.#consumer().ack(eventId);
        return;
      }
      const isLatest = works.at(-1) === work;
      works.splice(works.indexOf(work), 1);
      if (isLatest) this.#consumer().refuse(eventId, { reason: failure.message });
    });
    works.push(work);
    if (works.length > MOST_FOLLOWED) for (const oldest of works.splice(0, 1)) this.#flowWork.forget(oldest);
    this.#works.set(eventId, works);
    send();
    if (!isWired) work.endIfDone();
  }

  clear(): void {
    for (const eventId of [...this.#works.keys()]) this.forget(eventId);
  }

  /** Nothing more comes of this event. */
  forget(eventId: string): void {
    for (const work of this.#works.get(eventId) ?? []) this.#flowWork.forget(work);
    this.#works.delete(eventId);
  }
}
