import type { EventEnvelope, EventType, OcrProof } from "../../../src/protocol/index.ts";
import type { Appended, IsHidden } from "../store/events/events.ts";
import { CountedList, type DELIVERY_ACTIONS, type PROOF_ACTIONS } from "./lists.ts";

/** Asked for by a tester: the next `times` events that match, or their proofs, are delivered this way. */
type Delivery<Action = (typeof PROOF_ACTIONS)[number] | (typeof DELIVERY_ACTIONS)[number]> = {
  action: Action;
  times: number;
  /** How long a proof or an event is held back. */
  delayMs: number;
  match?: { channel_id?: string; type?: EventType };
};

/** What happens to one event or proof, and until when. */
type Change<Action> = { action: Action; until: number };

/** Deliveries of one kind: those that wait for an event, and what they do to the events that they met. */
class DeliveryList<Action extends string> extends CountedList<Delivery<Action>> {
  /** By the key of the event. */
  readonly #changes = new Map<string, Change<Action>>();

  /** Also delivers every event as it is stored again. */
  override clear(): void {
    super.clear();
    this.#changes.clear();
  }

  get changesNothing(): boolean {
    return this.#changes.size === 0;
  }

  onAppend(event: Appended): void {
    const delivery = this.takeFirst(
      ({ match }) =>
        (match?.channel_id ?? event.channelId) === event.channelId &&
        (match?.type ?? event.type) === event.type,
    );
    if (delivery === undefined) return;
    const { action, delayMs } = delivery;
    const isTemporary = action === "late" || action === "delay";
    this.#changes.set(keyOf(event.channelId, event.offset), {
      action,
      until: isTemporary ? performance.now() + delayMs : Infinity,
    });
  }

  /** What happens to an event now. A change that has ended is forgotten. */
  actionOf(key: string): Action | undefined {
    const change = this.#changes.get(key);
    if (change === undefined || performance.now() < change.until) return change?.action;
    this.#changes.delete(key);
    return undefined;
  }
}

/**
 * Delivers events other than they are stored: without their proof, with a corrupted one, late, twice, or out of order.
 * Only the answers of polls and searches change, never what is stored. A restart forgets it.
 */
export class Deliveries {
  readonly proofs = new DeliveryList<(typeof PROOF_ACTIONS)[number]>();
  readonly events = new DeliveryList<(typeof DELIVERY_ACTIONS)[number]>();

  /** Call it after every event that is stored. */
  onAppend(event: Appended): void {
    if (event.hasProof) this.proofs.onAppend(event);
    this.events.onAppend(event);
  }

  /** How a tester wants the event and its proof delivered; empty where both are delivered as they are stored. */
  of({ channelId, offset }: Pick<Appended, "channelId" | "offset">): {
    proof?: (typeof PROOF_ACTIONS)[number];
    event?: (typeof DELIVERY_ACTIONS)[number];
  } {
    const key = keyOf(channelId, offset);
    const proof = this.proofs.actionOf(key);
    const event = this.events.actionOf(key);
    return { ...(proof === undefined ? {} : { proof }), ...(event === undefined ? {} : { event }) };
  }

  /** Which events are not visible yet; undefined when all are. */
  get hidden(): IsHidden | undefined {
    if (this.events.changesNothing) return undefined;
    return (channelId, offset) => this.events.actionOf(keyOf(channelId, offset)) === "late";
  }

  /**
   * A page as it is delivered, never longer than `limit`. `skipsByCount` says that the next page is asked for by the
   * number of events to skip: then this page has to hold all that is stored, and copies only as far as there is room.
   */
  page(stored: Buffer, limit: number, { skipsByCount = false } = {}): Buffer | string {
    if (this.changesNothing) return stored;
    const page = JSON.parse(stored.toString("utf8")) as { events: EventEnvelope[]; has_more: boolean };
    let room = skipsByCount ? limit - page.events.length : Number.POSITIVE_INFINITY;
    const copies = page.events
      .map((event) => this.#withProof(event))
      .flatMap((event) => {
        if (room <= 0 || this.events.actionOf(keyOfEvent(event)) !== "twice") return [event];
        room -= 1;
        return [event, event];
      });
    const isOutOfOrder = (event: EventEnvelope) => this.events.actionOf(keyOfEvent(event)) === "out_of_order";
    const events: EventEnvelope[] = [];
    // The last events go to the next page where there is no room, before the others change their order.
    for (const event of copies.slice(0, limit)) {
      if (isOutOfOrder(event)) events.unshift(event);
      else events.push(event);
    }
    // The event that is first in any case is out of order at the end only.
    const [first] = events;
    if (first !== undefined && first.event_id === page.events[0]?.event_id && isOutOfOrder(first)) {
      events.push(...events.splice(0, 1));
    }
    return JSON.stringify({ ...page, events, has_more: page.has_more || copies.length > limit });
  }

  /** One event as it is delivered; undefined while it is hidden. */
  event(text: string): string | undefined {
    if (this.changesNothing) return text;
    const event = JSON.parse(text) as EventEnvelope;
    if (this.events.actionOf(keyOfEvent(event)) === "late") return undefined;
    return JSON.stringify(this.#withProof(event));
  }

  /** Whether all events are delivered as they are stored. */
  get changesNothing(): boolean {
    return this.proofs.changesNothing && this.events.changesNothing;
  }

  #withProof(event: EventEnvelope): EventEnvelope {
    const action = this.proofs.actionOf(keyOfEvent(event));
    if (action === undefined) return event;
    const proofs = action === "corrupt" ? (event.headers.proofs as OcrProof[]).map(corrupted) : [];
    return { ...event, headers: { ...event.headers, proofs } };
  }
}

/** Events are known by channel and offset: a search hides events before it has read their ids. */
function keyOf(channelId: string, offset: number): string {
  return `${channelId} ${offset}`;
}

function keyOfEvent({ channel_id, headers }: EventEnvelope): string {
  return keyOf(String(channel_id), Number(headers.offset));
}

/** The same proof with its first signature replaced by the second: one signer too few. */
function corrupted(proof: OcrProof): OcrProof {
  const [first = "0x", second = first, ...rest] = proof.signatures;
  return { ...proof, signatures: [second, second, ...rest] };
}
