import type { EventEnvelope, EventType, OcrProof } from "../../src/protocol/index.ts";
import type { Appended, IsHidden } from "./store/events.ts";

/** What can happen to a proof, and to an event, on the way to who asks. */
export const PROOF_ACTIONS = ["withhold", "delay", "corrupt"] as const;
export const DELIVERY_ACTIONS = ["late", "twice", "out_of_order"] as const;

/** Asked for by a tester: the next `times` events that match come so. */
export type Delivery = {
  action: (typeof PROOF_ACTIONS)[number] | (typeof DELIVERY_ACTIONS)[number];
  times: number;
  /** How long a proof or an event is held back. */
  delayMs: number;
  match?: { channel_id?: string; type?: EventType };
};

type Kind = "proof" | "delivery";
/** What happens to one event; `until` is the time from which on it does not. */
type Fate = { action: Delivery["action"]; until: number };

/**
 * How events come to who asks, other than they are stored: without their proof, with a broken one, late, twice, out
 * of order. It concerns answers of polls and searches alone, the store stays true; a restart forgets it.
 */
export class Deliveries {
  #waiting: Delivery[] = [];
  /** By where the event is. */
  readonly #fates: Record<Kind, Map<string, Fate>> = { proof: new Map(), delivery: new Map() };

  add(delivery: Delivery): void {
    this.#waiting.push({ ...delivery });
  }

  /** Those that wait for their events. */
  list(kind: Kind): Delivery[] {
    return this.#waiting.filter(({ action }) => kindOf(action) === kind);
  }

  /** Forgets all of a kind: every event comes as it is stored again. */
  clear(kind: Kind): void {
    this.#waiting = this.#waiting.filter(({ action }) => kindOf(action) !== kind);
    this.#fates[kind].clear();
  }

  /** To be told of every event that is stored. */
  meet(event: Appended): void {
    if (event.hasProof) this.#meet("proof", event);
    this.#meet("delivery", event);
  }

  /** Tells which events nobody sees yet; undefined while there are none. */
  get hidden(): IsHidden | undefined {
    if (this.#fates.delivery.size === 0) return undefined;
    return (channelId, offset) => this.#fateOf("delivery", keyOf(channelId, offset)) === "late";
  }

  /**
   * A page as it is delivered, never longer than `limit`. `byPlace` says that the next page is asked for by a place in
   * the list: then it has to hold all that is stored, and copies only as far as there is room.
   */
  page(stored: Buffer, limit: number, { byPlace = false } = {}): Buffer | string {
    if (this.#fates.proof.size === 0 && this.#fates.delivery.size === 0) return stored;
    const page = JSON.parse(stored.toString("utf8")) as { events: EventEnvelope[]; has_more: boolean };
    let room = byPlace ? limit - page.events.length : Number.POSITIVE_INFINITY;
    const copies = page.events
      .map((event) => this.#withProof(event))
      .flatMap((event) => {
        if (room <= 0 || this.#fateOf("delivery", placeOf(event)) !== "twice") return [event];
        room -= 1;
        return [event, event];
      });
    const events: EventEnvelope[] = [];
    // What finds no room is left to the next page: the last ones, whichever order the others come in.
    for (const event of copies.slice(0, limit)) {
      if (this.#fateOf("delivery", placeOf(event)) === "out_of_order") events.unshift(event);
      else events.push(event);
    }
    // Alone at the front it would be in order.
    const [first] = events;
    if (first !== undefined && first.event_id === page.events[0]?.event_id) {
      if (this.#fateOf("delivery", placeOf(first)) === "out_of_order") events.push(...events.splice(0, 1));
    }
    return JSON.stringify({ ...page, events, has_more: page.has_more || copies.length > limit });
  }

  /** One event as it is delivered; undefined while it is hidden. */
  event(text: string): string | undefined {
    if (this.#fates.proof.size === 0 && this.#fates.delivery.size === 0) return text;
    const event = JSON.parse(text) as EventEnvelope;
    if (this.#fateOf("delivery", placeOf(event)) === "late") return undefined;
    return JSON.stringify(this.#withProof(event));
  }

  #meet(kind: Kind, event: Appended): void {
    const delivery = this.list(kind).find(
      ({ match }) =>
        (match?.channel_id ?? event.channelId) === event.channelId &&
        (match?.type ?? event.type) === event.type,
    );
    if (delivery === undefined) return;
    delivery.times -= 1;
    if (delivery.times <= 0) this.#waiting = this.#waiting.filter((other) => other !== delivery);
    const { action, delayMs } = delivery;
    const passes = action === "late" || action === "delay";
    this.#fates[kind].set(keyOf(event.channelId, event.offset), {
      action,
      until: passes ? performance.now() + delayMs : Infinity,
    });
  }

  /** What happens to an event now; what is over is forgotten. */
  #fateOf(kind: Kind, key: string): Delivery["action"] | undefined {
    const fate = this.#fates[kind].get(key);
    if (fate === undefined || performance.now() < fate.until) return fate?.action;
    this.#fates[kind].delete(key);
    return undefined;
  }

  #withProof(event: EventEnvelope): EventEnvelope {
    const fate = this.#fateOf("proof", placeOf(event));
    if (fate === undefined) return event;
    const proofs = fate === "corrupt" ? (event.headers.proofs as OcrProof[]).map(corrupted) : [];
    return { ...event, headers: { ...event.headers, proofs } };
  }
}

/** Events are known by where they are: what is searched for is found by it. */
function keyOf(channelId: string, offset: number): string {
  return `${channelId} ${offset}`;
}

function placeOf({ channel_id, headers }: EventEnvelope): string {
  return keyOf(String(channel_id), Number(headers.offset));
}

function kindOf(action: Delivery["action"]): Kind {
  return (PROOF_ACTIONS as readonly string[]).includes(action) ? "proof" : "delivery";
}

/** The same proof with its first signature a copy of the second: one signer too few. */
function corrupted(proof: OcrProof): OcrProof {
  const [first = "0x", second = first, ...rest] = proof.signatures;
  return { ...proof, signatures: [second, second, ...rest] };
}
