import type { Node, NodeAPI } from "node-red";
import type { AlertOutcome } from "../../src/index.ts";
import type { Task } from "../lib/runtime/input.ts";
import type { Library } from "../lib/runtime/library.ts";
import type { Leaving, Separate } from "./alerting.ts";
import { Outbox } from "./outbox.ts";
import { oneLine } from "./values.ts";

export type OutletsOptions = {
  library: Pick<Library, "noteAckReceiver" | "redeliveryMs">;
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

  constructor(RED: NodeAPI, node: Node, { library, keepsPending, acknowledge, isPending }: OutletsOptions) {
    this.#node = node;
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
  send({ own, separate }: Leaving, send: Task["send"]): void {
    this.sendSeparate(separate);
    if (own.output === "alert") send(own.message, null, null);
    else send(null, null, own.message);
  }

  /** Sends messages without an event. */
  sendSeparate(separate: readonly Separate[]): void {
    for (const one of separate) {
      if (this.#outbox === undefined) this.#put(one.message, one.output);
      else this.#outbox.add(one);
    }
  }

  close(): void {
    this.#forget();
    this.#outbox?.close();
  }

  #put(message: Separate["message"], output: Separate["output"]): void {
    this.#node.send(output === "alert" ? [message, null, null] : [null, message, null]);
  }
}
