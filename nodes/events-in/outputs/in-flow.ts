import type { Delivery, EventConsumer } from "../../../src/index.ts";
import type { FlowWork } from "./flow-work.ts";
import type { Outcome, Work } from "./work.ts";

/** After this long without a report of any node, the flow is taken for one that does not report. */
const SILENCE_MS = 10_000;
/** After this long without an event that is through, the flow is taken for one that never ends, such as a loop. */
const ENDLESS_MS = 600_000;
/** A node that has not reported a message for so long is worth an issue. */
const LONG_SILENCE_MS = 600_000;
const MOST_SILENT_NODES = 20;
/** So many attempts at one event may still end it. */
const MOST_FOLLOWED = 10;

/** How a message is sent, and whether a node is there to take it. */
type Sending = { send: () => void; isWired: boolean };

/** An event in the flow: the first time and all repetitions, for the first may still finish after the second has begun. */
type Followed = {
  works: Work[];
  outcome?: Outcome;
  onEnd: (outcome: Outcome) => void;
  /** Of the reader that follows it. */
  consumer: () => FlowConsumer;
  /** Whether an end of the process is not counted for it any more, but has to be once a node gets something of it. */
  isResting: boolean;
  /** While it is stored that it is counted again. */
  counted?: Promise<void> | undefined;
};

/** The events that a reader left in the flow when it was closed, by their ids. */
export type LeftInFlow = Map<string, Followed>;

/** What settles the events. */
export type FlowConsumer = Pick<
  EventConsumer,
  "ack" | "refuse" | "resend" | "isHeldUp" | "isInFlight" | "setWaiting"
>;

export type InFlowOptions = {
  flowWork: FlowWork;
  consumer: () => FlowConsumer;
  /**
   * When an event is done. `on-send`: when the flow is through with it, also where a node failed; a flow that does not
   * report is not waited for. `on-complete`: when it is through without a failure. `on-ack`: when it is acknowledged
   * elsewhere.
   */
  commit: "on-send" | "on-complete" | "on-ack";
  /** What the reader before this one left in the flow. */
  left?: LeftInFlow | undefined;
  /** Called once, when the flow is not waited for: it has reported nothing, or is not through with any event. */
  onSilence: (count: number, why: "silent" | "endless") => void;
};

/**
 * The events that the flow has not completed. Acknowledges each when it is done, and has it sent again when a deploy or
 * a stop ended nodes that worked on it. Tells the consumer while nodes only wait with one, such as for a person.
 */
export class InFlow {
  readonly #options: InFlowOptions;
  readonly #events: LeftInFlow = new Map();
  #left: LeftInFlow | undefined;
  #isSilenceTold = false;
  #silence: NodeJS.Timeout | undefined;
  /** Those that were not waited for. */
  readonly #silentNodes = new Set<string>();
  /** By `performance.now()`: when something was sent or reported, and when an event was through. */
  #activeAt = 0;
  #endedAt = 0;

  constructor(options: InFlowOptions) {
    this.#options = options;
    this.#left = options.left;
  }

  get size(): number {
    return this.#events.size;
  }

  /** The ids of nodes that do not report what they were given. */
  get silentNodes(): string[] {
    const open = [...this.#events.values()].flatMap(({ works }) => works);
    const silent = open.flatMap((work) => work.silentNodes(LONG_SILENCE_MS));
    return [...new Set([...this.#silentNodes, ...silent])].slice(0, MOST_SILENT_NODES);
  }

  /** Sends a message that settles its event. Sends nothing while nodes still work on it, or after they have completed it. */
  send(msg: object, delivery: Delivery, { send, isWired }: Sending): void {
    const eventId = delivery.event.event_id;
    if (this.#isTakenOver(delivery)) return;
    const { commit, consumer, flowWork } = this.#options;
    if (commit === "on-ack") this.#forgetAcknowledged();
    const followed: Followed = this.#events.get(eventId) ?? {
      ...{ works: [], onEnd: () => {}, consumer, isResting: false },
    };
    const { works } = followed;
    const work = flowWork.follow(msg, {
      onReport: () => {
        this.#activeAt = performance.now();
      },
      onEnd: (outcome) => {
        const isLatest = works.at(-1) === work;
        const isLeftToAck = commit === "on-ack" && outcome !== "interrupted";
        if (isLeftToAck && this.#rest(eventId, followed)) {
          flowWork.keep(work, eventId);
          return;
        }
        works.splice(works.indexOf(work), 1);
        if (isLatest || outcome === "completed") followed.onEnd(outcome);
      },
      onRest: () => void this.#rest(eventId, followed),
      beforeNode: () => this.#goOn(eventId, followed),
    });
    works.push(work);
    if (works.length > MOST_FOLLOWED) for (const oldest of works.splice(0, 1)) flowWork.forget(oldest);
    this.#follow(eventId, followed);
    send();
    if (!isWired) work.endIfDone();
  }

  /** Nothing more comes of this event. */
  forget(eventId: string): void {
    for (const work of this.#events.get(eventId)?.works ?? []) this.#options.flowWork.forget(work);
    if (this.#events.delete(eventId)) this.#endedAt = performance.now();
  }

  /** Follows nothing any longer. Returns what is in the flow, for the reader after this one. */
  close(): LeftInFlow {
    for (const followed of this.#events.values())
      followed.onEnd = (outcome) => {
        followed.outcome = outcome;
      };
    // One that is acknowledged elsewhere may be so by then, and nobody would know.
    if (this.#options.commit === "on-ack") this.clear();
    const left = [...(this.#left ?? []), ...this.#events];
    this.#events.clear();
    clearTimeout(this.#silence);
    return new Map(left);
  }

  /** Whether the reader before this one has sent an event that nodes still work on, or have completed. */
  #isTakenOver({ event, redelivered, restored }: Delivery): boolean {
    if (!redelivered || restored) {
      // From here on, or after a change of the cursor, nothing was sent before.
      this.#forgetLeft();
      return false;
    }
    const followed = this.#left?.get(event.event_id);
    if (followed === undefined) return false;
    this.#left?.delete(event.event_id);
    const { outcome } = followed;
    if (outcome === "interrupted" || (outcome instanceof Error && this.#options.commit !== "on-send"))
      return false;
    this.#follow(event.event_id, followed);
    if (outcome !== undefined) this.#settle(event.event_id);
    else this.#rest(event.event_id, followed);
    return true;
  }

  /** The cursor was moved: nothing that was sent before counts. */
  clear(): void {
    this.#forgetLeft();
    for (const eventId of [...this.#events.keys()]) this.forget(eventId);
  }

  /** What an earlier reader sent is not waited for. */
  #forgetLeft(): void {
    for (const { works } of this.#left?.values() ?? [])
      for (const work of works) this.#options.flowWork.forget(work);
    this.#left = undefined;
  }

  #follow(eventId: string, followed: Followed): void {
    this.#events.set(eventId, followed);
    followed.onEnd = (outcome) => this.#ended(eventId, outcome);
    followed.consumer = this.#options.consumer;
    this.#watchForSilence();
  }

  /**
   * Where nodes only wait with an event, or nothing but its acknowledgement is missing, it does not end the process.
   * Returns whether it rests, and has been counted until now.
   */
  #rest(eventId: string, followed: Followed): boolean {
    if (!followed.works.every(({ isResting }) => isResting)) return false;
    followed.isResting = followed.consumer().setWaiting(eventId, true) !== undefined;
    return followed.isResting;
  }

  /** What a node waits for before it gets something of an event that rests. */
  #goOn(eventId: string, followed: Followed): Promise<void> | undefined {
    if (!followed.isResting) return followed.counted;
    followed.isResting = false;
    const counted = followed
      .consumer()
      .setWaiting(eventId, false)
      ?.finally(() => {
        if (followed.counted === counted) followed.counted = undefined;
      });
    followed.counted = counted;
    return counted;
  }

  #ended(eventId: string, outcome: Outcome): void {
    const { consumer, commit } = this.#options;
    const isFailed = outcome instanceof Error && commit === "on-complete";
    if (outcome === "interrupted") this.#keepIf(consumer().resend(eventId), eventId);
    else if (isFailed) this.#keepIf(consumer().refuse(eventId, { reason: outcome.message }), eventId);
    else if (commit === "on-ack") this.forget(eventId);
    else this.#settle(eventId);
  }

  /** The cursor may have been moved, or imported, since the event was sent. */
  #keepIf(isInFlight: boolean, eventId: string): void {
    if (!isInFlight) this.forget(eventId);
  }

  /** Nodes behind ack event, or ones that never report, may still have these. */
  #forgetAcknowledged(): void {
    const consumer = this.#options.consumer();
    for (const eventId of this.#events.keys()) if (!consumer.isInFlight(eventId)) this.forget(eventId);
  }

  /** While the next event waits, a flow that is silent for too long counts as done with what it has. */
  #watchForSilence(): void {
    const now = performance.now();
    this.#activeAt = now;
    if (this.#events.size === 1) this.#endedAt = now;
    if (this.#options.commit === "on-send")
      this.#silence ??= setTimeout(() => this.#lookForSilence(), SILENCE_MS).unref();
  }

  #lookForSilence(): void {
    this.#silence = undefined;
    const { consumer, onSilence } = this.#options;
    const now = performance.now();
    const leftMs = Math.min(this.#activeAt + SILENCE_MS, this.#endedAt + ENDLESS_MS) - now;
    const open = [...this.#events].filter(([, { works }]) => !works.some((work) => work.isInterrupted));
    if (consumer().isHeldUp && leftMs <= 0 && open.length > 0) {
      const isSilent = now - this.#activeAt >= SILENCE_MS;
      if (!this.#isSilenceTold) onSilence(open.length, isSilent ? "silent" : "endless");
      this.#isSilenceTold = true;
      for (const [eventId, { works }] of open) {
        for (const node of works.flatMap((work) => work.silentNodes(SILENCE_MS)))
          if (this.#silentNodes.size < MOST_SILENT_NODES) this.#silentNodes.add(node);
        this.#settle(eventId);
      }
    }
    const waitMs = leftMs > 0 ? leftMs : SILENCE_MS;
    if (this.#events.size > 0)
      this.#silence = setTimeout(() => this.#lookForSilence(), Math.ceil(waitMs)).unref();
  }

  #settle(eventId: string): void {
    this.forget(eventId);
    this.#options.consumer().ack(eventId);
  }
}
