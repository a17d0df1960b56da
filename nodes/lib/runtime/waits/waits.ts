import type { Node, NodeAPI } from "node-red";
import { type CodedError, nodeError, toCodedError } from "../../shared/errors.ts";
import type { Connection } from "../config-nodes.ts";
import { onFlowsStarted } from "../flows-started.ts";
import type { CrecMessage } from "../message.ts";
import { serviceIdentity } from "../service-identity.ts";
import { isTest } from "../test-message.ts";
import { keptMessage } from "./kept-message.ts";
import { type StoredWait, type WaitRecord, WaitStore } from "./wait-store.ts";

/** What a node waits for, with what it needs to go on after a deploy. */
export type Wait = {
  /** The same for each message about the same operation. */
  id: string;
  connection: Connection;
  /** JSON. */
  about: unknown;
  /** A crash may lose it: the file is written only when the node is stopped. */
  isCheap?: true;
};

/** What was kept of a wait that a deploy, a stop or a crash interrupted. */
export type Kept = Pick<WaitRecord, "id" | "service" | "about">;

/** A message at work in a node. */
export type Run = {
  msg: CrecMessage;
  controller: AbortController;
  /** Set for a message that takes up a wait. */
  kept: Kept | undefined;
  /** What it waits for, once that is known. */
  id: string | undefined;
  /** Its file. */
  file: string | undefined;
  /** What is written when the node is stopped. */
  unsaved: Kept | undefined;
  /** Whether the message left, or its error was reported. */
  isOver: boolean;
};

/** With this reason a run ends silently: another message goes on with its wait. */
export const TAKEN_OVER = new Error("Another message goes on with this wait.");

/** Keeps the waits of one node in files, and takes them up after a deploy, a stop or a crash. */
export class Waits {
  readonly #RED: NodeAPI;
  readonly #node: Node;
  readonly #runs: ReadonlySet<Run>;
  readonly #isOn: () => boolean;
  readonly #store: WaitStore;
  /** Messages that were given to the node again, until it has them. */
  readonly #resumed = new WeakMap<CrecMessage, { kept: Kept; file: string }>();
  /** Files of this deploy: they are not taken up again in it. */
  readonly #own = new Set<string>();
  readonly #forget: () => void;
  #isClosed = false;

  constructor(RED: NodeAPI, node: Node, runs: ReadonlySet<Run>, isOn: () => boolean) {
    this.#RED = RED;
    this.#node = node;
    this.#runs = runs;
    this.#isOn = isOn;
    this.#store = new WaitStore(RED, node.id);
    // Before that, the nodes behind this one may not listen yet.
    this.#forget = onFlowsStarted(RED, () => void this.#resumeAll().catch((error) => this.#warn(error)));
  }

  get isOn(): boolean {
    return this.#isOn();
  }

  /** Whether the message takes up a wait. */
  take(msg: CrecMessage): Pick<Run, "kept" | "file"> {
    const { kept, file } = this.#resumed.get(msg) ?? {};
    return { kept, file };
  }

  /**
   * From now on the run waits for this. A message that arrived again goes on in place of the one that was kept: only it
   * is followed by events in. A test message goes on beside a real one: behind this node, it is refused.
   */
  async keep(run: Run, { id, connection, about, isCheap }: Wait): Promise<void> {
    run.id = id;
    if (run.kept) return;
    for (const other of this.#runs) {
      if (other.kept?.id === id && isTest(other.msg) === isTest(run.msg)) other.controller.abort(TAKEN_OVER);
    }
    if (!this.isOn) return;
    const kept = { id, service: serviceIdentity(connection.baseUrl), about };
    if (isCheap) run.unsaved = kept;
    else await this.#save(run, kept);
  }

  /**
   * Keeps a message that the node was stopped with. Where there is nothing to wait for yet, the error is reported after
   * the deploy: at this moment no catch node may listen. Whether it is kept.
   */
  async keepStopped(run: Run, { code, message }: CodedError): Promise<boolean> {
    if (run.file !== undefined) return true;
    if (!this.isOn) return false;
    const error = { id: run.id ?? "none", service: "", about: undefined, error: { code, message } };
    await this.#save(run, run.unsaved ?? error);
    return run.file !== undefined;
  }

  async end(run: Run): Promise<void> {
    // Also of a message whose place another one took.
    run.isOver = true;
    if (run.file === undefined) return;
    await this.#store.remove(run.file).catch((error) => this.#warn(error));
  }

  /**
   * Drops what a deleted node waits for. One that is only disabled, or in a disabled flow, goes on when it is enabled.
   * Whether it was dropped.
   */
  async close(removed: boolean): Promise<boolean> {
    this.#isClosed = true;
    this.#forget();
    if (!removed || this.#isInFlows()) return false;
    await this.#store.removeAll().catch((error) => this.#warn(error));
    return true;
  }

  #isInFlows(): boolean {
    const { id, _alias: alias } = this.#node as Node & { _alias?: string };
    let found = false;
    this.#RED.nodes.eachNode((node) => {
      found ||= node.id === id || node.id === alias;
    });
    return found;
  }

  async #save(run: Run, record: Omit<WaitRecord, "version" | "msg" | "cut">): Promise<void> {
    const file = run.file ?? this.#store.nameFor(record.id);
    this.#own.add(file);
    try {
      await this.#store.save(file, { version: 1, ...record, ...keptMessage(run.msg) });
      run.file = file;
    } catch (error) {
      this.#warn(error);
    }
  }

  async #resumeAll(): Promise<void> {
    const stored = await this.#store.list();
    for (const one of stored) {
      if (this.#isClosed) return;
      if (this.#own.has(one.name)) continue;
      if (one.record) await this.#resume(one, one.record);
      else this.#node.warn(this.#RED._("common.warning.wait-unreadable", { path: one.path }));
    }
  }

  async #resume({ name }: StoredWait, record: WaitRecord): Promise<void> {
    const { id, service, about, cut } = record;
    // A message that arrived again is faster.
    const isTaken = [...this.#runs].some(
      (run) => run.id === id && !run.kept && isTest(run.msg) === isTest(record.msg),
    );
    if (isTaken) return this.#store.remove(name);
    const marks = { resumed: true, ...(cut.length > 0 ? { cut } : {}) };
    const msg: CrecMessage = { ...record.msg, crec: { ...record.msg.crec, ...marks } };
    if (cut.length > 0) {
      const names = cut.map((one) => `msg.${one}`).join(", ");
      this.#node.warn(this.#RED._("common.warning.wait-cut", { names, id }));
    }
    const error = record.error ?? (this.isOn ? undefined : interrupted());
    if (error) {
      this.#node.error(nodeError(error.code, error.message), msg);
      return this.#store.remove(name);
    }
    this.#resumed.set(msg, { kept: { id, service, about }, file: name });
    this.#node.receive(msg);
  }

  #warn(thrown: unknown): void {
    const why = toCodedError(thrown).message;
    this.#node.warn(this.#RED._("common.warning.wait-not-kept", { why }));
  }
}

/** @throws WAIT_DROPPED where the connection is one to another service now, which would know nothing, or something else */
export function requireSameService({ id, service }: Kept, connection: Connection): void {
  if (serviceIdentity(connection.baseUrl) === service) return;
  const message = `The connection is to another service now, so the wait was not resumed. Look for the operation at the service that it was sent to. Service ${service}, id ${id}.`;
  throw nodeError("WAIT_DROPPED", message);
}

export function interrupted(cause?: unknown): CodedError {
  return nodeError(
    "WAIT_INTERRUPTED",
    "A deploy or a stop ended this node while it was still waiting. What it had requested may still happen: look for it before you send the message again.",
    cause,
  );
}
