import type { Node } from "node-red";
import type { AlertLimits } from "../../../src/index.ts";
import { processWide } from "../process-wide.ts";
import { originOf } from "./origin.ts";
import { RingBuffer } from "./ring-buffer.ts";
import type {
  ActivityEvent,
  AlertSumReport,
  ConnectionReport,
  ContradictionReport,
  EventReport,
  KeyLimitReport,
  OperationReport,
  ReaderReport,
  ResourceReport,
  SharedStateReport,
} from "./types.ts";

/** Nodes that say how they are when they are asked. */
export class Gauges<T> {
  readonly #sources = new Set<() => T>();

  /** Returns the function that removes the node. */
  add(report: () => T): () => void {
    this.#sources.add(report);
    return () => {
      this.#sources.delete(report);
    };
  }

  reports(): T[] {
    return [...this.#sources].map((report) => report());
  }
}

/** More than a person looks through. */
const MOST_EVENTS = 50;
/** In addition to those under way, which are all kept up to `MOST_OPERATIONS`. */
const MOST_ENDED = 50;
const MOST_OPERATIONS = 2_000;
const MOST_RESOURCES = 1_000;
const MOST_CONTRADICTIONS = 50;
const MOST_KEY_LIMITS = 1_000;

/**
 * What the nodes of this process do and did: the sidebar, the metrics and the diagnostics read it. Nothing in it is
 * secret: no key, no parameter of an event, no message. It is in memory only.
 */
export class Activity {
  readonly connections = new Gauges<ConnectionReport>();
  readonly readers = new Gauges<ReaderReport>();
  readonly sharedStates = new Gauges<SharedStateReport>();
  readonly events = new RingBuffer<EventReport>({ keyOf: ({ number }) => String(number), most: MOST_EVENTS });
  readonly underWay = new RingBuffer<OperationReport>({ keyOf: ({ key }) => key, most: MOST_OPERATIONS });
  readonly ended = new RingBuffer<OperationReport>({ keyOf: ({ key }) => key, most: MOST_ENDED });
  readonly watchers = new RingBuffer<ResourceReport>({ keyOf: ({ id }) => id, most: MOST_RESOURCES });
  readonly wallets = new RingBuffer<ResourceReport>({ keyOf: ({ id }) => id, most: MOST_RESOURCES });
  readonly contradictions = new RingBuffer<ContradictionReport>({
    keyOf: ({ node, log }) => `${node} ${log}`,
    most: MOST_CONTRADICTIONS,
  });
  readonly keyLimits = new RingBuffer<KeyLimitReport>({
    keyOf: ({ instance }) => instance,
    most: MOST_KEY_LIMITS,
  });
  readonly alertSums = new RingBuffer<AlertSumReport>({
    keyOf: ({ instance }) => instance,
    most: MOST_KEY_LIMITS,
  });
  readonly #listeners = new Set<(fact: ActivityEvent) => void>();

  /** Returns the function that ends it. A listener must be quick: a flow waits for it. */
  onFact(listener: (fact: ActivityEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Keeps it, and passes it to the listeners. */
  note(fact: ActivityEvent): void {
    if (fact.kind === "event") this.events.set(fact.event);
    if (fact.kind === "operation") this.#noteOperation(fact.operation);
    if (fact.kind === "contradiction") this.contradictions.set(fact.contradiction);
    if (fact.kind === "keyLimit") this.keyLimits.set(fact.keyLimit);
    if (fact.kind === "alertSum") this.alertSums.set(fact.alertSum);
    if (fact.kind === "resource") this[fact.resource === "watcher" ? "watchers" : "wallets"].set(fact.report);
    for (const listener of this.#listeners) {
      try {
        listener(fact);
      } catch {
        // What counts must not stop a flow.
      }
    }
  }

  #noteOperation(operation: OperationReport): void {
    const isUnderWay = operation.outcome === "waiting";
    (isUnderWay ? this.ended : this.underWay).delete(operation.key);
    (isUnderWay ? this.underWay : this.ended).set(operation);
  }
}

export const activity = processWide("activity", () => new Activity());

/** Lists in Issues that a node has more keys than it can count or remember. */
export function noteKeyLimit(node: Node, limits: AlertLimits): void {
  activity.note({ kind: "keyLimit", keyLimit: { ...originOf(node), ...limits, instance: node.id } });
}

/** The node is closed: it counts anew. */
export function forgetKeyLimit(node: Node): void {
  activity.keyLimits.delete(node.id);
}
