import { AsyncLocalStorage } from "node:async_hooks";
import type { NodeAPI } from "node-red";
import type { PastEvent } from "../shared/job.ts";
import type { Outcome } from "../shared/report.ts";
import type { Noted } from "./host.ts";
import { asText, Outcomes } from "./outcomes.ts";
import {
  type Completion,
  type Delivery,
  idInFlow,
  type Message,
  type NodeClass,
  type RunningNode,
  type SendEvent,
} from "./runtime-types.ts";
import { type Activity, Pending } from "./settle.ts";
import { MessagePaths, type PathId, Wires } from "./wires.ts";

const LABEL = "crec-rehearsal";

/**
 * Which event a message comes from, and the path that it took: one number, since Node-RED clones messages. A clone
 * keeps it, and nothing that writes a message as JSON shows it.
 */
const MARK = Symbol(LABEL);
/** The mark that a message gets when it is delivered. */
const NEXT = Symbol(LABEL);
const PATHS = 2 ** 26;
/** Outputs that are counted. */
const MOST_PORTS = 1_000;

type Marked = Message & { [MARK]?: number };
type Sending = SendEvent & { [NEXT]?: number };

/** What a node was given and sent. `open`: messages that it has not completed. */
type Traffic = { received: number; sent: number[]; open: number };

/** Follows all messages through the flows: counts them, and knows for each where it comes from. */
export class Trace {
  readonly activity: Activity = { moves: 0, outside: 0, pending: new Pending() };
  readonly wires = new Wires();
  readonly paths = new MessagePaths();
  readonly outcomes: Outcomes;
  /** By the id in the flow. */
  readonly traffic = new Map<string, Traffic>();
  readonly #current = new AsyncLocalStorage<number>();
  readonly #events: Array<NonNullable<Outcome["event"]>> = [];
  readonly #indexes = new Map<PastEvent, number>();
  readonly #now: () => number;

  constructor(limits: ConstructorParameters<typeof Outcomes>[0], now: () => number) {
    this.outcomes = new Outcomes(limits, this.paths);
    this.#now = now;
  }

  /** Each handler takes one argument: with another number, Node-RED would wait for a call. */
  listen({ hooks }: Pick<NodeAPI, "hooks">, { prototype }: NodeClass): void {
    hooks.add(`onSend.${LABEL}`, (events: Sending[]) => {
      // Before any of them is cloned or delivered.
      for (const event of events) event[NEXT] = this.#markOfSent(event.msg, event.source.node);
    });
    hooks.add(`preDeliver.${LABEL}`, (event: Sending) => this.#delivered(event));
    hooks.add(`onReceive.${LABEL}`, (delivery: Delivery) => this.#received(delivery));
    hooks.add(`onComplete.${LABEL}`, ({ node }: Completion) => {
      this.activity.moves += 1;
      this.#trafficOf(idInFlow(node.node)).open -= 1;
    });
    this.#followSends(prototype);
    this.#followErrors(prototype);
  }

  /** The message belongs to this event. */
  mark(msg: object, event: PastEvent): void {
    (msg as Marked)[MARK] = this.#indexOf(event) * PATHS;
  }

  /** `msg` finds the event and the path; without one, what the node was given last. */
  note({ kind, node, text, message, why }: Noted, msg?: object): void {
    const mark = this.#markOf(msg as Marked | undefined, node);
    const event = this.#events[Math.floor(mark / PATHS) - 1];
    this.outcomes.add({
      kind,
      at: this.#now(),
      node,
      text,
      ...(event === undefined ? {} : { event }),
      ...(why === undefined ? {} : { why }),
      message,
      pathId: mark % PATHS,
    });
  }

  /** An error that no node reported. */
  noteStray(error: unknown): void {
    const node = this.paths.end((this.#current.getStore() ?? 0) % PATHS);
    this.note({ kind: "error", node, text: textOf(error), message: null });
  }

  /** The mark of what a node is sending or noting: of the message, else of what it was given. Its path ends there. */
  #markOf(msg: Marked | undefined, node: string): number {
    const mark = msg?.[MARK] ?? this.#current.getStore() ?? 0;
    const pathId = mark % PATHS;
    return mark - pathId + this.paths.upTo(pathId, node);
  }

  /** A link call is given the answer by no wire, and not as a message that it receives. */
  #markOfSent(msg: Marked, node: RunningNode): number {
    const id = idInFlow(node);
    if (node.type !== "link call") return this.#markOf(msg, id);
    const mark = msg[MARK] ?? 0;
    const pathId = mark % PATHS;
    return mark - pathId + this.#jump(pathId, this.paths.end(pathId), id);
  }

  #delivered(event: Sending): void {
    const { msg, source, destination } = event;
    if (destination.node === undefined) return;
    this.activity.moves += 1;
    const { report, countsAsSent } = this.wires.passed(source.node, source.port, destination.node);
    if (countsAsSent) this.#count(report.from, report.port);
    const mark = event[NEXT] ?? 0;
    const pathId = mark % PATHS;
    (msg as Marked)[MARK] = mark - pathId + this.paths.extend(pathId, report.from, report.port, report.to);
  }

  #received({ msg, destination }: { msg: Marked; destination: { node: RunningNode } }): void {
    this.activity.moves += 1;
    const id = idInFlow(destination.node);
    const traffic = this.#trafficOf(id);
    traffic.received += 1;
    traffic.open += 1;
    const mark = msg[MARK] ?? this.#current.getStore() ?? 0;
    const pathId = mark % PATHS;
    msg[MARK] = mark - pathId + this.#jump(pathId, this.paths.end(pathId), id);
    this.#current.enterWith(msg[MARK]);
  }

  /** Link, catch, status and complete nodes are given messages without a wire. */
  #jump(pathId: PathId, from: string, to: string): PathId {
    return from === to || from === "" ? pathId : this.paths.extend(pathId, from, -1, to);
  }

  /** Counts what nodes send also where nothing is wired. */
  #followSends(prototype: NodeClass["prototype"]): void {
    const { updateWires } = prototype;
    const sending = (node: RunningNode, output: unknown) => this.#sending(node, output);
    prototype.updateWires = function (wires) {
      updateWires.call(this, wires);
      const { send } = this;
      this.send = function (msg) {
        sending(this, msg);
        send.call(this, msg);
      };
    };
  }

  #sending(node: RunningNode, sent: unknown): void {
    // What a subflow is given: no output of it.
    if (node.type.startsWith("subflow:")) return;
    const id = idInFlow(node);
    for (const [port, messages] of (Array.isArray(sent) ? sent : [sent]).entries()) {
      for (const msg of Array.isArray(messages) ? messages : [messages]) {
        if (typeof msg !== "object" || msg === null) continue;
        this.#count(id, port);
        if (node.type === "crec-alert") this.#noteAlert(id, port, msg as Message);
      }
    }
  }

  /** Its outputs: an alert, the end of an alert, and events that led to none. */
  #noteAlert(node: string, port: number, msg: Message): void {
    const { payload, crec } = msg as {
      payload?: { title?: unknown };
      crec?: { alert?: { passed?: unknown } };
    };
    if (port < 2) {
      const text = String(payload?.title ?? "");
      this.note({ kind: port === 0 ? "alert" : "resolved", node, text, message: msg }, msg);
      return;
    }
    const why = String(crec?.alert?.passed ?? "");
    if (why === "" || why === "no_match") return;
    this.note({ kind: "suppressed", node, text: why, why, message: msg }, msg);
  }

  #followErrors(prototype: NodeClass["prototype"]): void {
    const { error } = prototype;
    const note = (noted: Noted, msg?: object) => this.note(noted, msg);
    prototype.error = function (message, msg) {
      const ofMessage = typeof msg === "object" && msg !== null ? msg : undefined;
      const noted = { node: idInFlow(this), text: textOf(message), message: ofMessage ?? null };
      note({ kind: "error", ...noted }, ofMessage);
      error.call(this, message, msg);
    };
  }

  #count(id: string, port: number): void {
    const { sent } = this.#trafficOf(id);
    // A list of messages that was sent as if each had an output of its own.
    if (port >= MOST_PORTS) return;
    while (sent.length <= port) sent.push(0);
    sent[port] = (sent[port] ?? 0) + 1;
  }

  #trafficOf(id: string): Traffic {
    const known = this.traffic.get(id);
    if (known !== undefined) return known;
    const added = { received: 0, sent: [], open: 0 };
    this.traffic.set(id, added);
    return added;
  }

  #indexOf(event: PastEvent): number {
    const known = this.#indexes.get(event);
    if (known !== undefined) return known;
    const { channelId } = event;
    const { offset } = event.event.headers;
    const index = this.#events.push({ channelId, offset });
    this.#indexes.set(event, index);
    return index;
  }
}

/** Never throws: an error of a flow may be anything. */
function textOf(error: unknown): string {
  try {
    const text = error instanceof Error || hasMessage(error) ? error.message : error;
    return typeof text === "string" ? text : (JSON.stringify(text) ?? "");
  } catch {
    return asText(error);
  }
}

/** An error of a function node is of another realm. */
function hasMessage(error: unknown): error is { message: string } {
  return typeof error === "object" && error !== null && "message" in error;
}
