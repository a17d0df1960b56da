import { setTimeout as sleep } from "node:timers/promises";
import type { Node, NodeAPI } from "node-red";
import { isNewerRefused } from "../../../src/storage/newer.ts";
import { isInFlows } from "../fields/flow-settings.ts";
import { onFlowsStarted } from "../flows/flows-started.ts";
import { isNotPermitted } from "../folder/state-files.ts";
import { isStateInMemory } from "../folder/state-folder.ts";
import { errorText, toldError } from "../messages/error-texts.ts";
import { type CrecMessage, crecOf } from "../messages/message.ts";
import { type CodedError, nodeError } from "../shared/errors.ts";
import { serviceIdentity } from "../shared/text.ts";
import {
  interrupted,
  keyOf,
  notStored,
  type Run,
  type StoredTask,
  TAKEN_OVER,
  type Wait,
} from "./durable-task.ts";
import { holdRequest, refuseRequest, takeRequest } from "./requests.ts";
import { noteArrival, type Reserve, ReservedPlaces } from "./reserved-places.ts";
import { storedMessage } from "./stored-message.ts";
import { OWNER, TaskOwners } from "./task-owners.ts";
import { arrivalOf, type TaskRecord, TaskStore } from "./task-store.ts";

/** So many waits are resumed at once, then there is a pause: the service should not get a thousand requests in a second. */
const MOST_AT_ONCE = 10;
const PAUSE_MS = 250;
/** How often a node looks for waits of other processes that have ended since. */
const LOOK_MS = 60_000;

/** Keeps the waits of one node in files, and takes them up after a deploy, a stop or a crash. */
export class DurableTasks {
  readonly #RED: NodeAPI;
  readonly #node: Node;
  readonly #runs: ReadonlySet<Run>;
  readonly #isOn: () => boolean;
  readonly #store: TaskStore;
  readonly #owners: TaskOwners;
  /** Other processes whose waits are taken up when they end, and those whose waits were. */
  readonly #watched = new Set<string>();
  /** Messages that were given to the node again, until it has them. */
  readonly #resumed = new WeakMap<object, Pick<Run, "arrivedAt"> & { kept: StoredTask; file: string }>();
  /** Files of this deploy, which are not taken up again in it. Undefined once the names of the others are known. */
  #own: Set<string> | undefined = new Set();
  readonly #forget: () => void;
  readonly #closing = new AbortController();
  /** Where messages leave in the order of their arrival. */
  readonly #places: ReservedPlaces | undefined;
  /**
   * Messages that arrived before the stored ones were resumed, each with the writing of its file. Undefined once all
   * are resumed.
   */
  #early: Map<string, Array<Promise<void>>> | undefined = new Map();

  constructor(RED: NodeAPI, node: Node, runs: ReadonlySet<Run>, isOn: () => boolean, reserve?: Reserve) {
    this.#RED = RED;
    this.#node = node;
    this.#runs = runs;
    this.#isOn = isOn;
    this.#store = new TaskStore(RED, node.id, OWNER);
    this.#owners = new TaskOwners(RED);
    this.#places = reserve && new ReservedPlaces(reserve, this.#store, this.#closing.signal);
    // Before that, the nodes behind this one may not listen yet.
    this.#forget = onFlowsStarted(RED, () => void this.#resumeAll().catch((error) => this.#warn(error)));
  }

  get isOn(): boolean {
    return this.#isOn() && !isStateInMemory();
  }

  /** Whether the message resumes a wait. */
  take(msg: object): Partial<Pick<Run, "kept" | "file" | "arrivedAt">> {
    return this.#resumed.get(msg) ?? {};
  }

  /**
   * From now on the run waits for this. A message that arrived again replaces the one that was kept: only it
   * is followed by events in. A test message does not replace a real one: the nodes behind this one refuse it.
   * @throws WAIT_NOT_STORED where it is required
   */
  async keep(run: Run, { id, connection, about, isCheap, isRequired, isLater }: Wait): Promise<void> {
    run.id = id;
    const kept = { id, service: serviceIdentity(connection.baseUrl), about };
    if (isLater) {
      if (this.isOn) await this.#save(run, kept);
      if (isRequired && run.problem !== undefined) throw notStored(run.problem);
      return;
    }
    if (run.kept) return;
    const key = keyOf(id, run.msg);
    // One for one: if two messages were kept, the second may be of a branch whose message is still to come.
    const replaced = [...this.#runs].find(
      ({ kept, msg, isOver, controller: { signal } }) =>
        kept !== undefined && !isOver && !signal.aborted && keyOf(kept.id, msg) === key,
    );
    replaced?.controller.abort(TAKEN_OVER);
    if (isCheap && this.isOn) run.unsaved = kept;
    const saved = !isCheap && this.isOn ? this.#save(run, kept) : Promise.resolve();
    if (!replaced) this.#early?.set(key, [...(this.#early.get(key) ?? []), saved]);
    await saved;
    if (isRequired && this.isOn && run.file === undefined) throw notStored(run.problem);
    // Not before: a crash in between would lose both.
    if (replaced?.file !== undefined) await this.#remove(replaced.file);
  }

  /**
   * Keeps a message that the node was stopped with. Where there is nothing to wait for yet, the error is reported after
   * the deploy: at this moment no catch node may listen. A request is held only where the wait goes on. Whether it is
   * kept.
   */
  async keepStopped(run: Run, { code, message }: CodedError): Promise<boolean> {
    const goesOn = run.file !== undefined || run.unsaved !== undefined;
    if (run.file === undefined && this.isOn) {
      const error = { id: run.id ?? "none", service: "", about: undefined, error: { code, message } };
      await this.#save(run, run.unsaved ?? error);
    }
    if (run.file !== undefined && goesOn) holdRequest(this.#RED, this.#node, run.file, run.msg);
    else refuseRequest(this.#RED, run.msg);
    return run.file !== undefined;
  }

  /** The message left, or its error was reported. */
  async end({ file }: Run): Promise<void> {
    if (file !== undefined) await this.#remove(file);
  }

  /**
   * Drops what a deleted node waits for. One that is only disabled, or in a disabled flow, continues when it is enabled.
   * Whether it was dropped.
   */
  async close(removed: boolean): Promise<boolean> {
    this.#closing.abort();
    this.#forget();
    this.#owners.close();
    if (!removed || isInFlows(this.#RED.nodes, this.#node)) return false;
    await this.#store.removeAll().catch((error) => this.#warn(error));
    return true;
  }

  async #remove(file: string): Promise<void> {
    await this.#store.remove(file).catch((error) => this.#warn(error));
  }

  async #save(run: Run, record: Omit<TaskRecord, "version" | "msg" | "cut">): Promise<void> {
    const file = run.file ?? this.#store.nameFor(record.id, run.arrivedAt);
    this.#own?.add(file);
    try {
      await this.#beAlive();
      await this.#store.save(file, { version: 1, ...record, ...storedMessage(run.msg) });
      run.file = file;
      run.problem = undefined;
    } catch (error) {
      run.problem = error;
      this.#warn(error);
    }
  }

  #beAlive(): Promise<void> {
    return this.#owners.beAlive(() => void this.#stopTaken().catch((error) => this.#warn(error)));
  }

  /** After this process was suspended: what others have taken over meanwhile is theirs. */
  async #stopTaken(): Promise<void> {
    for (const { file, controller } of this.#runs) {
      if (file !== undefined && !(await this.#store.has(file))) controller.abort(TAKEN_OVER);
    }
  }

  async #resumeAll(): Promise<void> {
    const { signal } = this.#closing;
    if (isStateInMemory()) {
      // There is no folder, so nothing is resumed, and no other process waits.
      this.#own = undefined;
      this.#early = undefined;
      this.#places?.expect([]);
      return;
    }
    const owners = await this.#store.owners();
    this.#places?.expect(owners);
    const names = owners.has(OWNER) ? await this.#ownNames() : [];
    this.#own = undefined;
    await Promise.all([this.#resumeThese(OWNER, names), this.#watchOthers(owners)]);
    this.#early = undefined;
    while (!signal.aborted) {
      await sleep(LOOK_MS, undefined, { signal, ref: false }).catch(() => {});
      if (!signal.aborted) void this.#watchOthers(await this.#store.owners());
    }
  }

  async #ownNames(): Promise<string[]> {
    await this.#beAlive();
    return this.#store.names(OWNER, this.#own);
  }

  /** Resolves when the waits of those that have ended are resumed. */
  async #watchOthers(owners: ReadonlySet<string>): Promise<void> {
    const fresh = [...owners].filter((owner) => owner !== OWNER && !this.#watched.has(owner));
    for (const owner of fresh) this.#watched.add(owner);
    const take = async (owner: string): Promise<void> => {
      if (this.#closing.signal.aborted) return;
      await this.#beAlive();
      const names = await this.#store.names(owner);
      await this.#resumeThese(owner, names, (name) => this.#store.claim(name));
    };
    await Promise.all(
      fresh.map((owner) =>
        this.#owners
          .whenGone(owner, () => take(owner).catch((error) => this.#warn(error)))
          .finally(() => this.#places?.settle(owner)),
      ),
    );
  }

  /** `claim` makes a file one of this process. */
  async #resumeThese(
    owner: string,
    stored: readonly string[],
    claim: (name: string) => Promise<string | undefined> = async (name) => name,
  ): Promise<void> {
    const { signal } = this.#closing;
    const names = this.#isOn() ? await this.#places?.reserve(stored) : undefined;
    this.#places?.settle(owner);
    for (const [index, name] of (names ?? stored).entries()) {
      if (index > 0 && index % MOST_AT_ONCE === 0)
        await sleep(PAUSE_MS, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      // One that cannot be taken over does not keep the others.
      await this.#resumeThis(name, claim)
        .catch((error) => this.#warn(error))
        .finally(() => this.#places?.leave(name));
    }
  }

  async #resumeThis(name: string, claim: (name: string) => Promise<string | undefined>): Promise<void> {
    const { path, record, isGone, error } = await this.#store.read(name);
    if (this.#closing.signal.aborted) return;
    const claimed = record && (await claim(name));
    if (record && claimed !== undefined) return this.#resume(claimed, record);
    refuseRequest(this.#RED, takeRequest(name));
    if (isNotPermitted(error)) this.#warn(error);
    else if (isNewerRefused(error)) this.#node.warn(errorText(error));
    else if (!record && !isGone) this.#node.warn(this.#RED._("common.warning.wait-unreadable", { path }));
  }

  async #resume(name: string, record: TaskRecord): Promise<void> {
    const { id, service, about, cut } = record;
    const request = takeRequest(name);
    // A message that arrived again was faster.
    const early = this.#early?.get(keyOf(id, record.msg))?.shift();
    if (early) {
      refuseRequest(this.#RED, request);
      return early.then(() => this.#remove(name));
    }
    const crec = crecOf(record.msg);
    const before = Array.isArray(crec?.cut) ? crec.cut : [];
    const marks = { resumed: true, ...(cut.length > 0 ? { cut: [...new Set([...before, ...cut])] } : {}) };
    const msg: CrecMessage = { ...record.msg, ...request, crec: { ...crec, ...marks } };
    if (cut.length > 0) {
      const names = cut.map((one) => `msg.${one}`).join(", ");
      this.#node.warn(this.#RED._("common.warning.wait-cut", { names, id }));
    }
    const error = record.error ?? (this.isOn ? undefined : interrupted());
    if (error) {
      refuseRequest(this.#RED, msg);
      this.#node.error(toldError(nodeError(error.code, error.message)), msg);
      return this.#remove(name);
    }
    const arrivedAt = arrivalOf(name);
    noteArrival(arrivedAt);
    this.#resumed.set(msg, { kept: { id, service, about }, file: name, arrivedAt });
    this.#node.receive(msg);
  }

  #warn(thrown: unknown): void {
    const why = errorText(thrown);
    this.#node.warn(this.#RED._("common.warning.wait-not-kept", { why }));
  }
}
