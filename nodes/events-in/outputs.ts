import type { Node } from "node-red";
import type { Delivery, EventConsumer } from "../../src/index.ts";
import { isRejected } from "../lib/event-message.ts";
import type { CrecMessage } from "../lib/input.ts";
import { cutOff, isTooDeep } from "./depth.ts";
import { Attempts } from "./flow/attempts.ts";
import type { FlowWork } from "./flow/flow-work.ts";
import { FlowWindow } from "./flow/window.ts";
import type { Choices } from "./settings.ts";

export type OutputsOptions = {
  node: Node;
  choices: Choices;
  flowWork: FlowWork;
  /** How many messages may be in the flow at once, where an event is done when it was sent. */
  unfinished: number;
  toMessage: (delivery: Delivery & { rejection?: string }) => CrecMessage;
  consumer: () => EventConsumer;
  onChange: () => void;
  /** Called once: the flow reports nothing, and more is let in. */
  onSilence: () => void;
  /** Why an event leaves by the second port that Node-RED could not copy. */
  tooDeep: string;
  /** Called for the first event that nothing is wired for. */
  onLost: (offset: number, why: string) => void;
};

/** What the flow has not completed, and whether the next event waits for it. */
export type InFlow = { count: number; holdsUp: boolean };

/** Sends events by the two ports of the node, and has them count as done as the node is set to. */
export class Outputs {
  readonly #options: OutputsOptions;
  readonly #window: FlowWindow;
  readonly #attempts: Attempts;
  #dropped = 0;
  #givenUp = 0;

  constructor(options: OutputsOptions) {
    this.#options = options;
    const { flowWork, unfinished, consumer, onChange, onSilence } = options;
    this.#window = new FlowWindow({ flowWork, limit: unfinished, onChange, onSilence });
    this.#attempts = new Attempts(flowWork, consumer);
  }

  /** How many events went nowhere because their proof failed, as the node is set to; since the last deploy. */
  get dropped(): number {
    return this.#dropped;
  }

  /** How many events left by the second port while nothing was wired to it. */
  get givenUp(): number {
    return this.#givenUp;
  }

  get inFlow(): InFlow {
    const { choices, consumer } = this.#options;
    if (choices.commit === "on-send") return { count: this.#window.size, holdsUp: this.#window.isFull };
    const { state } = consumer();
    const count = choices.commit === "on-complete" && state.kind === "connected" ? state.waitingForAcks : 0;
    return { count, holdsUp: count > 0 };
  }

  /** Follows nothing any longer: what the flow still completes counts for nothing. */
  close(): void {
    this.#attempts.clear();
    this.#window.clear();
  }

  untilRoom(signal: AbortSignal): Promise<void> {
    return this.#window.untilRoom(signal);
  }

  deliver(delivery: Delivery): void {
    const { choices, tooDeep } = this.#options;
    const { unverified, ackRejected } = choices;
    const { verification } = delivery;
    const isUnproven = isRejected(verification) && unverified !== "pass";
    const isDropped = isUnproven && unverified === "drop";
    if (isDropped) this.#dropped += 1;
    else if (isUnproven) this.#sendRejected(delivery, verification.reason);
    else if (isTooDeep(delivery.event)) this.#sendRejected({ ...delivery, rejection: tooDeep }, tooDeep);
    else {
      this.#send(delivery, 0);
      return;
    }
    if (isDropped || !ackRejected) this.#acknowledge(delivery);
  }

  /** Takes an event that is given up. */
  reject(delivery: Delivery, why: string): void {
    this.#attempts.forget(delivery.event.event_id);
    this.#sendRejected({ ...delivery, rejection: why }, why);
  }

  #sendRejected(delivery: Delivery & { rejection?: string }, why: string): void {
    if (isWired(this.#options.node, 1)) {
      const { event } = delivery;
      this.#send(isTooDeep(event) ? { ...delivery, event: cutOff(event) } : delivery, 1);
      return;
    }
    this.#givenUp += 1;
    if (this.#givenUp === 1) this.#options.onLost(delivery.offset, why);
    if (this.#options.choices.ackRejected) this.#acknowledge(delivery);
  }

  #send(delivery: Delivery & { rejection?: string }, port: 0 | 1): void {
    const { node, choices, toMessage } = this.#options;
    const msg = toMessage(delivery);
    const send = () => node.send(port === 0 ? [msg, null] : [null, msg]);
    const sending = { send, isWired: isWired(node, port) };
    const isWaitedFor = port === 0 || choices.ackRejected;
    if (choices.commit === "on-send") this.#window.send(msg, sending);
    else if (choices.commit === "on-complete" && isWaitedFor) this.#attempts.send(msg, delivery, sending);
    else send();
  }

  #acknowledge({ event }: Delivery): void {
    const { choices, consumer } = this.#options;
    if (choices.commit !== "on-send") consumer().ack(event.event_id);
  }
}

/** Whether something is wired to a port; Node-RED keeps that in a property without a public name. */
function isWired(node: Node, port: number): boolean {
  const { wires } = node as Node & { wires?: string[][] };
  return (wires?.[port]?.length ?? 0) > 0;
}
