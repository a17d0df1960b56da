import type { Node } from "node-red";
import type { ChannelEvent, Delivery, Verification } from "../../../src/index.ts";
import type { NodeContext } from "../../common/context.ts";
import { contractRegistry } from "../../common/contracts/contract-registry.ts";
import { eventDecoder } from "../../common/contracts/event-tokens.ts";
import type { Library } from "../../common/library.ts";
import {
  isKnownType,
  isNotice,
  isRejected,
  toMessage,
  UndecodedNote,
} from "../../common/messages/event-message.ts";
import type { CrecMessage } from "../../common/messages/message.ts";
import { TEST_MARK } from "../../common/messages/message.ts";
import type { SentLast } from "../../common/shared/form-types.ts";
import type { OutputChoices, ReaderSettings } from "../reader/settings.ts";
import { UnitsNote } from "../status/notes.ts";
import type { FlowWork } from "./flow-work.ts";
import { type FlowConsumer, InFlow, type InFlowOptions, type LeftInFlow } from "./in-flow.ts";
import { useFlowWork } from "./shared-flow-work.ts";
import { cutOff, DEEPEST, isTooDeep, UnknownTypes } from "./unusual-events.ts";

type OutputsOptions = {
  node: Node;
  choices: OutputChoices;
  flowWork: FlowWork;
  /** What the reader before this one left in the flow. */
  left: LeftInFlow | undefined;
  toMessage: (delivery: Delivery & { rejection?: string }) => CrecMessage;
  isKnownType: (event: ChannelEvent) => boolean;
  /** Whether the form selects the type of an event, so that the flow expects it. */
  isAskedFor: (event: ChannelEvent) => boolean;
  /** Called for each event that leaves, or is dropped; `reason` as in its report. Not for a test. */
  onLeft: (left: { delivery: Delivery; decoded: unknown; reason?: string | undefined }) => void;
  /** Called once: a notice that was asked for leaves by the third output, and nothing is wired there. */
  onUnseenNotice: (event: ChannelEvent) => void;
  consumer: () => FlowConsumer;
  onSilence: InFlowOptions["onSilence"];
  /** Whether a node runs, so that it gets messages. */
  isRunning: (id: string) => boolean;
  /** Why an event leaves by the second output that Node-RED could not copy. */
  tooDeep: string;
  /** Notes what cannot be decoded of the events that the flow acts on. */
  undecoded: UndecodedNote;
  /** Called for the first event that nothing is wired for. */
  onLost: (offset: number, why: string) => void;
};

/** What the flow has not completed, and whether the next event waits for it. */
type FlowLoad = { count: number; holdsUp: boolean };

/** The outputs of the node. With proofs checked, the first sends nothing unproven. */
const [EVENTS, REJECTED, NOTICES] = [0, 1, 2] as const;
type Output = typeof EVENTS | typeof REJECTED | typeof NOTICES;

/** Sends events by the outputs of the node, and has them count as done as the node is set to. */
export class Outputs {
  readonly #options: OutputsOptions;
  readonly #inFlow: InFlow;
  readonly #unknownTypes: UnknownTypes;
  #dropped = 0;
  #givenUp = 0;
  #notices = 0;
  #isUnseenTold = false;

  constructor(options: OutputsOptions) {
    this.#options = options;
    const { flowWork, left, consumer, choices, onSilence } = options;
    this.#inFlow = new InFlow({ flowWork, consumer, commit: choices.commit, left, onSilence });
    this.#unknownTypes = new UnknownTypes(options.isKnownType);
  }

  /** How many events went nowhere because their proof failed, as the node is set to; since the last deploy. */
  get dropped(): number {
    return this.#dropped;
  }

  /** How many events left by the second output while nothing was wired to it. */
  get givenUp(): number {
    return this.#givenUp;
  }

  /** How many events left by the third output. */
  get notices(): number {
    return this.#notices;
  }

  /** How many events left by the first output undecoded, though their type is known. */
  get undecoded(): number {
    return this.#options.undecoded.count;
  }

  /** The types of events that this version does not know, as far as they were seen. */
  get unknownTypes(): string[] {
    return this.#unknownTypes.names;
  }

  get inFlow(): FlowLoad {
    const { choices, consumer } = this.#options;
    if (choices.commit === "on-ack") return { count: 0, holdsUp: false };
    const count = this.#inFlow.size;
    return { count, holdsUp: choices.commit === "on-send" ? consumer().isHeldUp : count > 0 };
  }

  /** The ids of nodes that do not report what they were given. */
  get silentNodes(): string[] {
    return this.#inFlow.silentNodes;
  }

  /** Follows nothing any longer. Returns what is in the flow. */
  close(): LeftInFlow {
    return this.#inFlow.close();
  }

  /** The cursor was moved: nothing that was sent before counts. */
  cursorMoved(): void {
    this.#inFlow.clear();
  }

  deliver(delivery: Delivery): void {
    const { choices, tooDeep } = this.#options;
    const { event, verification } = delivery;
    this.#unknownTypes.note(event);
    if (isNotice(verification)) {
      this.#sendNotice(delivery);
      return;
    }
    const isUnproven = isRejected(verification);
    const isDropped = isUnproven && choices.unverified === "drop";
    if (isDropped) this.#drop(delivery);
    else if (isUnproven) this.#sendRejected(delivery, verification.reason);
    else if (isTooDeep(event)) this.#sendRejected({ ...delivery, rejection: tooDeep }, tooDeep, "too_deep");
    else {
      this.#send(delivery, EVENTS);
      return;
    }
    if (isDropped || !choices.ackRejected) this.#acknowledge(delivery);
  }

  /**
   * Sends an event by the output that it would leave by, marked as a test. Nothing is counted, acknowledged, or waited
   * for. `contradicts`: another event reads the same log otherwise.
   */
  sendTest(event: ChannelEvent, verification: Verification | undefined, contradicts: boolean): SentLast {
    const { choices, toMessage, tooDeep } = this.#options;
    const { offset } = event.headers;
    const isDeep = isTooDeep(event);
    const first = { offset, redelivered: false, late: false, restored: false, attempt: 1 };
    const delivery = {
      ...{ ...first, event: isDeep ? cutOff(event) : event },
      ...(verification ? { verification } : {}),
      ...(isDeep ? { rejection: tooDeep } : {}),
    };
    const { consumer, ...crec } = toMessage(delivery).crec ?? {};
    const msg: CrecMessage = {
      ...toMessage(delivery),
      crec: { ...crec, ...(contradicts ? { contradicts } : {}), ...TEST_MARK },
    };
    const sent = { offset, topic: String(msg.topic) };
    if (isNotice(verification)) {
      this.#put(msg, NOTICES);
      return { ...sent, output: "notices" };
    }
    const why = isRejected(verification) ? verification.message : isDeep ? tooDeep : undefined;
    if (isRejected(verification) && choices.unverified === "drop")
      return { ...sent, output: "dropped", why: verification.message };
    this.#put(msg, why === undefined ? EVENTS : REJECTED);
    return { ...sent, ...(why === undefined ? { output: "events" } : { output: "rejected", why }) };
  }

  /** Takes an event that is given up. */
  reject(delivery: Delivery, why: string): void {
    this.#inFlow.forget(delivery.event.event_id);
    const reason = delivery.crashes === undefined ? "given_up" : "crashed";
    this.#sendRejected({ ...delivery, rejection: why }, why, reason);
  }

  #drop(delivery: Delivery): void {
    this.#dropped += 1;
    this.#left(delivery, this.#options.toMessage(delivery));
  }

  #left(delivery: Delivery, { payload: decoded }: CrecMessage, reason?: string): void {
    this.#options.onLeft({ delivery, decoded, reason });
  }

  /** It carries no proof, so nothing is done about it. */
  #sendNotice(delivery: Delivery): void {
    const { tooDeep } = this.#options;
    const { event } = delivery;
    this.#notices += 1;
    const isUnseen = !this.#isWired(NOTICES) && this.#options.isAskedFor(event);
    if (isUnseen && !this.#isUnseenTold) this.#options.onUnseenNotice(event);
    this.#isUnseenTold ||= isUnseen;
    this.#send(
      isTooDeep(event) ? { ...delivery, event: cutOff(event), rejection: tooDeep } : delivery,
      NOTICES,
    );
    if (this.#options.choices.commit !== "on-send") this.#acknowledge(delivery);
  }

  #sendRejected(delivery: Delivery & { rejection?: string }, why: string, reason?: string): void {
    const { event } = delivery;
    const rejected = isTooDeep(event) ? { ...delivery, event: cutOff(event) } : delivery;
    if (this.#isWired(REJECTED)) {
      this.#send(rejected, REJECTED, reason);
      return;
    }
    this.#left(rejected, this.#options.toMessage(rejected), reason);
    this.#givenUp += 1;
    if (this.#givenUp === 1) this.#options.onLost(delivery.offset, why);
    if (this.#options.choices.ackRejected) this.#acknowledge(delivery);
  }

  #send(delivery: Delivery & { rejection?: string }, output: Output, reason?: string): void {
    const { choices, toMessage, undecoded } = this.#options;
    const msg = toMessage(delivery);
    if (output === EVENTS) undecoded.note(msg);
    // Before the flow has it: verify event reports about the same event.
    this.#left(delivery, msg, reason);
    const send = () => this.#put(msg, output);
    const sending = { send, isWired: this.#isWired(output) };
    const settles = output === EVENTS || (output === REJECTED && choices.ackRejected);
    if (settles || choices.commit === "on-send") this.#inFlow.send(msg, delivery, sending);
    else send();
  }

  #put(msg: CrecMessage, output: Output): void {
    this.#options.node.send([EVENTS, REJECTED, NOTICES].map((one) => (one === output ? msg : null)));
  }

  #acknowledge({ event }: Delivery): void {
    this.#options.consumer().ack(event.event_id);
  }

  /** Whether something that runs is wired to an output; Node-RED keeps that in a property without a public name. */
  #isWired(output: Output): boolean {
    const { node, isRunning } = this.#options;
    const { wires } = node as Node & { wires?: string[][] };
    return wires?.[output]?.some(isRunning) ?? false;
  }
}

type OpenOutputsOptions = {
  library: Library;
  settings: ReaderSettings;
  consumer: () => FlowConsumer;
  /** In `msg.crec` of each event. */
  origin: { channelId: string; consumer: string };
  onLeft: OutputsOptions["onLeft"];
};

/** The outputs of a node, and what it notices about the units of amounts. */
export function openOutputs(context: Pick<NodeContext, "RED" | "node" | "t">, options: OpenOutputsOptions) {
  const { RED, node, t } = context;
  const { library, settings, consumer, origin, onLeft } = options;
  const { choices, filters, chosen } = settings;
  const registry = contractRegistry(RED);
  const units = new UnitsNote(registry, library);
  const decode = eventDecoder(registry, library, chosen);
  const decodeEvent = (event: ChannelEvent) => {
    const decoded = decode(event);
    units.note(decoded);
    return decoded;
  };
  const decoding = { ...library, decodeEvent };
  const { consumer: name, ...channel } = origin;
  // On send, the flow does not acknowledge.
  const messageOrigin = {
    ...channel,
    ...{ reader: name, ...(choices.commit === "on-send" ? {} : { consumer: name }) },
  };
  const { flowWork, left, leave } = useFlowWork(RED, { node: node.id, ...origin });
  const outputs = new Outputs({
    ...{ node, flowWork, left, choices, consumer, onLeft },
    toMessage: (delivery) => toMessage(delivery, messageOrigin, decoding),
    isKnownType: (event) => isKnownType(event, library),
    isAskedFor: ({ headers }) => filters.types.some((type) => type === headers.type),
    onUnseenNotice: ({ headers: { type } }) => node.warn(t("events-in.warning.unseen-notice", { type })),
    onSilence: (count, why) => node.warn(t(`events-in.warning.${why}-flow`, { count })),
    // While flows stop and start, those that are to run may be missing.
    isRunning: (id) => flowWork.isDeploying || Boolean(RED.nodes.getNode(id)),
    undecoded: new UndecodedNote(context, "events-in.warning.undecoded"),
    tooDeep: t("events-in.rejection.depth", { levels: DEEPEST }),
    onLost: (offset, why) => node.warn(t("events-in.warning.given-up", { offset, why })),
  });
  const close = () => leave(outputs.close());
  return { outputs, units, close };
}
