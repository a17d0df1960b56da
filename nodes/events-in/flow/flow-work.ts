import { AsyncLocalStorage } from "node:async_hooks";
import type { Node, NodeAPI } from "node-red";
import { Work } from "./work.ts";

/** Node-RED's own label of our hooks. */
const LABEL = "crec-events-in";
/** A clone keeps it, and nothing that writes a message as JSON shows it. */
const MARK = Symbol(LABEL);

type Message = { [MARK]?: number };
type Delivery = { msg: Message; destination: { id: string; node?: unknown } };
type Completion = { msg: Message; node: { id: string }; error?: unknown };

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
  #lastId = 0;
  /** While flows stop and start, a message may not reach any node. */
  #isDeploying = false;
  /** Nodes that close report as completed what they throw away. */
  readonly #stopping = () => {
    this.#isDeploying = true;
    for (const work of this.#works.values()) work.fail(stopped());
  };
  readonly #started = () => {
    this.#isDeploying = false;
  };

  /** Marks a message that is about to be sent. `ended` is called once, when all that came of it is completed. */
  follow(msg: object, ended: (failure: Error | undefined) => void): Work {
    this.#lastId += 1;
    const id = this.#lastId;
    const work = new Work(id, (failure) => {
      this.#works.delete(id);
      ended(failure);
    });
    this.#works.set(id, work);
    if (this.#isDeploying) work.fail(stopped());
    (msg as Message)[MARK] = id;
    return work;
  }

  /** Forgets one that is not waited for any longer. */
  forget({ id }: Work): void {
    this.#works.delete(id);
  }

  /** Runs until the last that asked for it has left. */
  listen({ hooks, events }: NodeAPI): void {
    events.on("flows:stopping", this.#stopping);
    events.on("flows:started", this.#started);
    // Each handler takes one argument: with a second one, Node-RED would wait for it to be called.
    hooks.add(`preDeliver.${LABEL}`, ({ msg, destination }: Delivery) => {
      this.#workOf(msg)?.sentTo(destination.id);
    });
    hooks.add(`onReceive.${LABEL}`, ({ msg, destination }: Delivery) => {
      const work = this.#workOf(msg);
      if (this.#current.getStore() !== work?.id) this.#current.enterWith(work?.id);
      work?.receivedBy(destination.id);
    });
    hooks.add(`postReceive.${LABEL}`, ({ msg, destination }: Delivery) => {
      // Such a node never says when it is done.
      if (!reports(destination.node)) this.#workOf(msg)?.completedBy(destination.id);
    });
    hooks.add(`onComplete.${LABEL}`, ({ msg, node, error }: Completion) => {
      this.#workOf(msg)?.completedBy(node.id, error);
    });
  }

  stopListening({ hooks, events }: NodeAPI): void {
    events.off("flows:stopping", this.#stopping);
    events.off("flows:started", this.#started);
    this.#isDeploying = false;
    hooks.remove(`*.${LABEL}`);
    this.#works.clear();
  }

  /**
   * What a message belongs to: by its mark, else by what the node that sends it was given. A node may send one object
   * again and again: then its mark is an old one.
   */
  #workOf(msg: Message): Work | undefined {
    const work = this.#find(msg[MARK]) ?? this.#find(this.#current.getStore());
    if (work !== undefined) msg[MARK] = work.id;
    return work;
  }

  #find(id: number | undefined): Work | undefined {
    return id === undefined ? undefined : this.#works.get(id);
  }
}

function stopped(): Error {
  return new Error("A deploy or a stop ended nodes behind this one.");
}

/** Node-RED counts the handlers that take `done`; it has no public name for that. */
function reports(node: unknown): boolean {
  const { _expectedDoneCount: expected } = node as Node & { _expectedDoneCount?: number };
  return expected === undefined || expected > 0;
}

const listening = new WeakMap<object, { flowWork: FlowWork; users: number }>();

/** What follows messages in this Node-RED, shared by all nodes; `leave` when it is not used any longer. */
export function useFlowWork(RED: NodeAPI): { flowWork: FlowWork; leave: () => void } {
  const { hooks } = RED;
  const shared = listening.get(hooks) ?? { flowWork: new FlowWork(), users: 0 };
  if (shared.users === 0) shared.flowWork.listen(RED);
  shared.users += 1;
  listening.set(hooks, shared);
  let hasLeft = false;
  const leave = () => {
    if (hasLeft) return;
    hasLeft = true;
    shared.users -= 1;
    if (shared.users === 0) shared.flowWork.stopListening(RED);
  };
  return { flowWork: shared.flowWork, leave };
}
