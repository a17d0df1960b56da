import type { Node } from "node-red";
import type { AlertOutcome } from "../../../src/index.ts";
import type { NodeContext } from "../../common/context.ts";
import type { Task } from "../../common/fields/input.ts";
import type { Library } from "../../common/library.ts";
import type { CrecMessage } from "../../common/messages/message.ts";
import { mayDeliver } from "../../common/status/channel-progress.ts";
import { eventOf, eventOfAlert } from "../input/event-facts.ts";
import { oneLine } from "../texts/values.ts";
import { KeyOrder } from "./key-order.ts";
import type { Leaving, Separate } from "./leaving.ts";
import { Outbox } from "./outbox.ts";

type RouterOptions = {
  library: Pick<Library, "findInFlight" | "noteAckReceiver" | "redeliveryMs">;
  /** Whether messages without an event are sent again until they are acknowledged. */
  keepsPending: boolean;
  /** Resolves with whether the rule still kept it, and no other copy has sent it. Never rejects. */
  acknowledge: (outcome: AlertOutcome) => Promise<boolean>;
  /** Whether it still has to be sent. Never rejects. */
  isPending: (id: string) => Promise<boolean>;
};

/** The outputs of a node. Messages without an event go through an outbox, if the form asks for that. */
export class Router {
  readonly #node: Node;
  readonly #outbox: Outbox | undefined;
  readonly #forget: () => void;
  readonly #order: KeyOrder;
  readonly #acknowledge: RouterOptions["acknowledge"];
  readonly #unsent = new Map<string, AlertOutcome>();
  #underWay: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(
    { node, t }: Pick<NodeContext, "node" | "t">,
    { library, keepsPending, acknowledge, isPending }: RouterOptions,
  ) {
    this.#node = node;
    this.#order = new KeyOrder({ findInFlight: library.findInFlight, mayCome: mayDeliver });
    this.#acknowledge = acknowledge;
    this.#outbox = keepsPending
      ? new Outbox({
          consumer: `alert ${node.id}`,
          send: (message, output) => this.#put(message, output),
          isDue: (id) => isPending(id),
          retryMs: library.redeliveryMs,
          settled: ({ outcome }, why) => {
            if (why !== undefined) node.warn(t("alert.warning.rejected", { why: oneLine(why, 200) }));
            this.#acknowledged(outcome);
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
      this.#order.add(alert.key, {
        ...{ id, alertId: alert.id, isEnd: kind === "recovered" || kind === "ended" },
        event: eventOfAlert(alert),
        run: () => {
          if (this.#outbox) return this.#outbox.add(one);
          return isStored ? this.#track(this.#putOnce(one)) : this.#put(one.message, one.output);
        },
        dropped: () => void (isStored && this.#acknowledged(outcome)),
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
    this.#isClosed = true;
    this.#forget();
    this.#order.close();
    this.#outbox?.close();
  }

  /** Resolves when what is under way has ended. */
  async idle(): Promise<void> {
    await this.#underWay;
  }

  /** What was not sent, and the rule does not keep. Complete when it is idle. */
  get unsent(): AlertOutcome[] {
    return [...this.#unsent.values()];
  }

  /** Of several copies that have it, the one sends it that has it forgotten. */
  async #putOnce({ id, outcome, message, output }: Separate): Promise<void> {
    if (!(await this.#acknowledge(outcome))) return;
    if (this.#isClosed) this.#unsent.set(id, outcome);
    else this.#put(message, output);
  }

  #acknowledged(outcome: AlertOutcome): void {
    void this.#track(this.#acknowledge(outcome));
  }

  #track<T>(work: Promise<T>): Promise<T> {
    this.#underWay = Promise.all([this.#underWay, work]).then(() => {});
    return work;
  }

  #put(message: Separate["message"], output: Separate["output"]): undefined {
    this.#node.send(output === "alert" ? [message, null, null] : [null, message, null]);
  }
}
