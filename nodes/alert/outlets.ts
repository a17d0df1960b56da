import type { Node, NodeAPI } from "node-red";
import type { AlertOutcome } from "../../src/index.ts";
import type { Task } from "../lib/runtime/input.ts";
import type { Library } from "../lib/runtime/library.ts";
import type { Leaving, Separate } from "./alerting.ts";
import { Outbox } from "./outbox.ts";
import { oneLine } from "./values.ts";

export type OutletsOptions = {
  library: Pick<Library, "noteAckReceiver">;
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
  readonly #waiting = new Map<string, AlertOutcome>();
  readonly #forget: () => void;

  constructor(RED: NodeAPI, node: Node, { library, keepsPending, acknowledge, isPending }: OutletsOptions) {
    this.#node = node;
    this.#outbox = keepsPending
      ? new Outbox({
          consumer: `alert ${node.id}`,
          send: (message, output) => this.#put(message, output),
          isDue: (id) => isPending(id),
          settled: (id, why) => {
            const outcome = this.#waiting.get(id);
            this.#waiting.delete(id);
            if (why !== undefined) node.warn(RED._("alert.warning.rejected", { why: oneLine(why, 200) }));
            if (outcome) void acknowledge(outcome);
          },
        })
      : undefined;
    this.#forget = this.#outbox ? library.noteAckReceiver(this.#outbox) : () => {};
  }

  /** How many messages wait for their acknowledgement. */
  get waiting(): number {
    return this.#outbox?.size ?? 0;
  }

  /** Sends a message and the outcomes that it led to. */
  send({ own, separate }: Leaving, send: Task["send"]): void {
    this.sendSeparate(separate);
    if (own.output === "alert") send(own.message, null, null);
    else send(null, null, own.message);
  }

  /** Sends messages without an event. */
  sendSeparate(separate: readonly Separate[]): void {
    for (const { id, outcome, message, output } of separate) {
      if (this.#outbox === undefined) this.#put(message, output);
      else {
        this.#waiting.set(id, outcome);
        this.#outbox.add({ id, message, output });
      }
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
