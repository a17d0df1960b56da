import { AsyncLocalStorage } from "node:async_hooks";
import type { Node, NodeAPI } from "node-red";
import { crecOf } from "../../common/messages/message.ts";
import { onWaiting } from "../../common/tasks/waiting.ts";
import { Turns } from "./turns.ts";
import { type NodePath, SilentNodes, Work, type WorkListener } from "./work.ts";

type Message = { [MARK]?: number };

type End = { id: string; node?: unknown };

type Received = { msg: Message; destination: End };

type Sent = Received & { source?: End };

type Completion = { msg: Message; node: End; error?: unknown };

/** Node-RED's own label of our hooks. */
const LABEL = "crec-events-in";

/** A clone keeps it, and nothing that writes a message as JSON shows it. */
const MARK = Symbol(LABEL);

/**
 * Follows messages through the flows, by the hooks in which Node-RED tells which node was given a message and which
 * node has completed it. Messages that a node makes anew belong to the one that it was given: the asynchronous
 * context tells which that was.
 *
 * Source: https://nodered.org/docs/api/hooks/messaging
 */
export class FlowWork {
  readonly #works = new Map<number, Work>();
  readonly #current = new AsyncLocalStorage<number | undefined>();
  readonly #silentNodes = new SilentNodes();
  readonly #turns = new Turns();
  /** Messages of nobody, on their way to a node. */
  readonly #strays = new WeakSet<object>();
  /** Messages with which nodes only wait. */
  readonly #waiting = new WeakSet<object>();
  #forgetWaiting = () => {};
  /** Those that have ended, by the ids of their events. */
  readonly #kept = new Map<unknown, Work>();
  #lastId = 0;
  /** Between the stop and the start of flows, nodes may be missing. It lasts while the start waits for missing types. */
  isDeploying = false;
  /** What was at nodes that are being stopped. It can be sent again when the flows have started. */
  #interrupted: Work[] = [];
  /** What closing nodes report proves nothing: they report as completed what they throw away. */
  readonly #stopping = (stopping: Stopping) => {
    const isStopped = stoppedBy(stopping);
    this.isDeploying = true;
    for (const work of [...this.#works.values()]) if (work.isAt(isStopped)) work.interrupt();
  };
  readonly #started = () => {
    this.isDeploying = false;
    for (const work of this.#interrupted.splice(0)) work.end("interrupted");
  };

  /** Marks a message that is about to be sent. `onEnd` is called once, when all that came of it is completed. */
  follow(msg: object, { onEnd, ...listener }: WorkListener): Work {
    this.#lastId += 1;
    const work = new Work(this.#lastId, {
      ...listener,
      onInterrupt: () => {
        this.#works.delete(work.id);
        this.#interrupted.push(work);
      },
      onEnd: (outcome) => {
        this.#works.delete(work.id);
        onEnd(outcome);
      },
    });
    this.#works.set(work.id, work);
    (msg as Message)[MARK] = work.id;
    return work;
  }

  /** Forgets one that is not waited for any longer, unless another one is part of it. */
  forget(work: Work): void {
    work.forget(() => this.#works.delete(work.id));
    for (const [eventId, kept] of this.#kept) if (kept === work) this.#kept.delete(eventId);
    this.#interrupted = this.#interrupted.filter((one) => one !== work);
  }

  /**
   * Follows one that has ended, while its event is not acknowledged: a node that reported too early may still send
   * something of it, and a message about the event may come from elsewhere, such as when a person has approved it.
   */
  keep(work: Work, eventId: string): void {
    this.#works.set(work.id, work);
    this.#kept.set(eventId, work);
  }

  /** Runs until the last that asked for it has left. */
  listen({ hooks, events, nodes }: Pick<NodeAPI, "hooks" | "events" | "nodes">): void {
    this.#forgetWaiting = onWaiting((msg) => {
      const work = this.#workOf(msg);
      if (work === undefined || this.#waiting.has(msg)) return;
      this.#waiting.add(msg);
      work.waits();
    });
    events.on("flows:stopping", this.#stopping);
    events.on("flows:started", this.#started);
    // Each handler takes one argument: with a second one, Node-RED would wait for it to be called.
    hooks.add(`preRoute.${LABEL}`, ({ msg, source, destination }: Sent) => {
      // A node that was stopped gets nothing, and no further hook is called.
      if (!this.isDeploying || nodes.getNode(destination.id)) return;
      this.#sent(msg, source, (work) => work.interrupt());
    });
    hooks.add(`preDeliver.${LABEL}`, ({ msg, source, destination: { id, node } }: Sent) => {
      this.#sent(msg, source, (work) => work.sentTo(pathOf(node, id)));
    });
    hooks.add(`onReceive.${LABEL}`, ({ msg, destination: { id, node } }: Received) => {
      const work = this.#workOf(msg);
      if (this.#current.getStore() !== work?.id) this.#current.enterWith(work?.id);
      if (work) this.#turns.received(id, work);
      else this.#strays.delete(msg);
      return work?.receivedBy(pathOf(node, id));
    });
    hooks.add(`postReceive.${LABEL}`, ({ msg, destination: { id, node } }: Received) => {
      if (reports(node)) return;
      // Also messages of others: they may be before ours in the node's queue.
      const work = this.#workOf(msg);
      this.#silentNodes.received(id, () => work?.completedBy(id));
    });
    hooks.add(`onComplete.${LABEL}`, ({ msg, node, error }: Completion) => {
      // Marked as it was sent: then nothing else has it, also where nobody waits for that any longer.
      const work = msg[MARK] === undefined ? this.#workOf(msg) : this.#find(msg[MARK]);
      if (work === undefined) return;
      if (this.#waiting.delete(msg)) work.waitsNoLonger();
      if (hasTimers(node.node)) work.mayActLater();
      if (!error) this.#turns.completed(node.id, this.#current.getStore(), work);
      work.completedBy(node.id, error ? failureAt(node, error) : undefined);
    });
  }

  stopListening({ hooks, events }: Pick<NodeAPI, "hooks" | "events">): void {
    events.off("flows:stopping", this.#stopping);
    events.off("flows:started", this.#started);
    this.isDeploying = false;
    this.#interrupted = [];
    hooks.remove(`*.${LABEL}`);
    this.#forgetWaiting();
    this.#works.clear();
    this.#kept.clear();
    this.#turns.clear();
  }

  #sent(msg: Message, source: End | undefined, noteIn: (work: Work) => void): void {
    const work = this.#workOf(msg);
    if (work) noteIn(work);
    // Where nothing is followed, a node completes nothing that it could have made the message of.
    if (!source || this.#works.size === 0) return;
    const behalf = this.#current.getStore();
    if (work) {
      this.#turns.sent(source.id, behalf, work);
      return;
    }
    this.#strays.add(msg);
    this.#turns.sentStray(source.id, behalf, (owner) => {
      if (this.#strays.delete(msg) && Reflect.set(msg, MARK, owner.id)) noteIn(owner);
    });
  }

  /**
   * What a message belongs to: by its mark, else by what the node that sends it was given. A node may send one object
   * again and again: then its mark is an old one.
   */
  #workOf(msg: Message): Work | undefined {
    const work =
      this.#find(msg[MARK]) ??
      this.#find(this.#current.getStore()) ??
      (this.#kept.size > 0 ? this.#kept.get(String(crecOf(msg)?.eventId)) : undefined);
    // A frozen message has none.
    if (work !== undefined) Reflect.set(msg, MARK, work.id);
    return work;
  }

  #find(id: number | undefined): Work | undefined {
    return id === undefined ? undefined : this.#works.get(id);
  }
}

/** What Node-RED says when it stops flows: what kind of deploy does it, and how the flows differ. */
type Stopping = {
  type?: string;
  diff?: Partial<
    Record<"added" | "changed" | "removed" | "linked" | "rewired" | "flowChanged", readonly string[]>
  >;
};

/**
 * Which nodes a deploy or a stop ends: those of tabs that come, go or change, and those that differ themselves or are in
 * a subflow that does; with the deploy of modified flows also those that are wired to them.
 */
function stoppedBy({ type = "full", diff }: Stopping): (path: NodePath) => boolean {
  if (type === "full" || diff === undefined) return () => true;
  const { added = [], changed = [], removed = [], linked = [], rewired = [], flowChanged = [] } = diff;
  // A tab counts as changed already when one of its nodes does.
  const tabs = new Set([...flowChanged, ...added, ...removed]);
  const nodes = new Set([...changed, ...removed, ...(type === "flows" ? [...linked, ...rewired] : [])]);
  return ([tab = "", ...inner]) => tabs.has(tab) || inner.some((id) => nodes.has(id));
}

const paths = new WeakMap<object, NodePath>();

/** A node knows its path in a property without a public name. Nodes of tests may have none. */
function pathOf(node: unknown, id: string): NodePath {
  const { _path: stored, z } = (node ?? {}) as { _path?: string; z?: string };
  const known = node ? paths.get(node) : undefined;
  if (known !== undefined) return known;
  const outer = stored?.split("/") ?? (z ? [z] : []);
  const path = outer.at(-1) === id ? outer : [...outer, id];
  if (node) paths.set(node, path);
  return path;
}

/** Names the node, which its error may not. */
function failureAt({ id, node }: End, error: unknown): Error {
  const { name, type = id } = (node ?? {}) as { name?: string; type?: string };
  return new Error(`"${name || type}": ${error instanceof Error ? error.message : error}`, { cause: error });
}

/** Node-RED counts the handlers that take `done`; it has no public name for that. */
function reports(node: unknown): boolean {
  const { _expectedDoneCount: expected } = node as Node & { _expectedDoneCount?: number };
  return expected === undefined || expected > 0;
}

/** A function node lists the timers that its code has started, in a property without a public name. */
function hasTimers(node: unknown): boolean {
  const { outstandingTimers: timers } = (node ?? {}) as { outstandingTimers?: unknown[] };
  return timers !== undefined && timers.length > 0;
}
