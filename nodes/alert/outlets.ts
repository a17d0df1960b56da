import type { Node, NodeAPI } from "node-red";
import type { AlertOutcome } from "../../src/index.ts";
import { mayDeliver } from "../lib/runtime/channel-readers.ts";
import type { Task } from "../lib/runtime/input.ts";
import type { Library } from "../lib/runtime/library.ts";
import type { CrecMessage } from "../lib/runtime/message.ts";
import { eventOf, eventOfAlert } from "./alert-event.ts";
import type { Leaving, Separate } from "./alerting.ts";
import { KeyOrder } from "./key-order.ts";
import { Outbox } from "./outbox.ts";
import { oneLine } from "./values.ts";

export type OutletsOptions = {
  library: Pick<Library, "findInFlight" | "noteAckReceiver" | "redeliveryMs">;
  /** Whether messages without an event are sent again until they are acknowledged. */
  keepsPending: boolean;
  acknowledge: (outcome: AlertOutcome) => Promise<void>;
  /** Whether it still has to be sent. Never rejects. */
  isPending: (id: string) => Promise<boolean>;
};

/** The outputs of a node. Messages without an event go through an outbox, if the form asks for that. */
export class Outlets {
  readonly #node: Node;
  readonly #outbox: Outbox | undefined;
  readonly #forget: () => void;
  readonly #order: KeyOrder;
  readonly #acknowledge: (outcome: AlertOutcome) => void;
  readonly #unsent = new Map<string, AlertOutcome>();

  constructor(RED: NodeAPI, node: Node, { library, keepsPending, acknowledge, isPending }: OutletsOptions) {
    this.#node = node;
    this.#order = new KeyOrder({ findInFlight: library.findInFlight, mayCome: mayDeliver });
    this.#acknowledge = (outcome) => void acknowledge(outcome);
    this.#outbox = keepsPending
      ? new Outbox({
          consumer: `alert ${node.id}`,
          send: (message, output) => this.#put(message, output),
          isDue: (id) => isPending(id),
          retryMs: library.redeliveryMs,
          settled: ({ outcome }, why) => {
            if (why !== undefined) node.warn(RED._("alert.warning.rejected", { why: oneLine(why, 200) }));
            void acknowledge(outcome);
          },
        })
      : undefined;
    this.#forget = this.#outbox ? library.noteAckReceiver(this.#outbox) : () => {};
  }

  /** Sends a message and the outcomes that it led to. */
  send({ own, separate, after }: Leaving, send: Task["send"]): void {
    this.sendSeparate(separate);
    if (own.output === "alert") {
      if (own.alert !== undefined) this.#leaves(own.message, own.alert);
      send(own.message, null, null);
    } else send(null, null, own.message);
    this.sendSeparate(after);
  }

  /**
   * Sends messages without an event, each after what came before it for its key. `isStored`: the rule keeps them until they
   * are acknowledged.
   */
  sendSeparate(separate: readonly Separate[], isStored = this.#outbox !== undefined): void {
    for (const one of separate) {
      const { id, outcome } = one;
      const { alert, kind } = outcome;
      const done = () => void (isStored && this.#acknowledge(outcome));
      this.#order.add(alert.key, {
        ...{ id, alertId: alert.id, isEnd: kind === "recovered" || kind === "ended" },
        event: eventOfAlert(alert),
        run: () => {
          if (this.#outbox) return this.#outbox.add(one);
          this.#put(one.message, one.output);
          return done();
        },
        dropped: done,
        unsent: () => void (isStored || this.#unsent.set(id, outcome)),
      });
    }
  }

  /** What tells its end waits until its event is acknowledged; where it tells that itself, nothing else has to. */
  #leaves(message: CrecMessage, { id, key, isOver }: { id: string; key: string; isOver: boolean }): void {
    if (isOver) this.#order.dropEnds(key, id);
    const event = eventOf(message);
    if (event !== undefined) this.#order.left(key, event);
  }

  /** Nothing without an event is sent any more. */
  close(): void {
    this.#forget();
    this.#order.close();
    this.#outbox?.close();
  }

  /** What was not sent, and the rule does not keep. */
  get unsent(): AlertOutcome[] {
    return [...this.#unsent.values()];
  }

  #put(message: Separate["message"], output: Separate["output"]): void {
    this.#node.send(output === "alert" ? [message, null, null] : [null, message, null]);
  }
}
