import { postJson, refusalOf } from "../../../nodes/common/editor/lookups/admin-requests.ts";
import {
  type OpenAnswer,
  type Row,
  type SectionChange,
  type SectionName,
  TOPICS,
  type Update,
} from "../types.ts";

/**
 * `forbidden`: without `crec.read`; `logged-out`: the login has ended; `unsupported`: by this version of Node-RED; `lost`:
 * Node-RED does not answer; `cut`: it answers, but no update has come over the web socket for a while.
 */
export type LiveState = "connecting" | "live" | "forbidden" | "logged-out" | "unsupported" | "lost" | "cut";

/** Node-RED sends at least every ten seconds. */
const LOST_MS = 25_000;
const RETRY_MS = 5_000;

/**
 * The updates of the sidebar while it can be seen. They come over the editor's web socket; the permission to get them
 * comes by a request, which is repeated each minute. After a lost connection they start again.
 */
export class LiveUpdates {
  readonly #onState: (state: LiveState) => void;
  readonly #onUpdate: (update: Update) => void;
  /** Of the editor's web socket: before it is logged in, Node-RED would close it at the first message. */
  #isConnected = false;
  #isWanted = false;
  /** No update has come for `LOST_MS`. */
  #isOverdue = false;
  #renewal: ReturnType<typeof setTimeout> | undefined;
  #watchdog: ReturnType<typeof setTimeout> | undefined;

  constructor(onState: (state: LiveState) => void, onUpdate: (update: Update) => void) {
    this.#onState = onState;
    this.#onUpdate = onUpdate;
    RED.comms.on?.("connect", () => this.#connected());
    // The editor connects before it loads plugins: mostly, the connection is there already.
    RED.comms.subscribe(TOPICS.connected, () => this.#isConnected || this.#connected());
    RED.comms.subscribe(TOPICS.update, (_topic, data) => this.#take(data as Update));
  }

  start(): void {
    this.#isWanted = true;
    const isSupported = RED.comms.send !== undefined;
    this.#onState(isSupported ? "connecting" : "unsupported");
    if (!isSupported) return;
    this.#watch();
    if (this.#isConnected) void this.#open();
  }

  stop(): void {
    this.#isWanted = false;
    clearTimeout(this.#renewal);
    clearTimeout(this.#watchdog);
    if (this.#isConnected) RED.comms.send?.(TOPICS.close, {});
  }

  #connected(): void {
    this.#isConnected = true;
    void this.#open();
  }

  #watch(): void {
    clearTimeout(this.#watchdog);
    this.#isOverdue = false;
    this.#watchdog = setTimeout(() => {
      this.#isOverdue = true;
      this.#onState("lost");
      // Whether it answers this.
      void this.#open();
    }, LOST_MS);
  }

  async #open(): Promise<void> {
    clearTimeout(this.#renewal);
    if (!this.#isWanted || RED.comms.send === undefined) return;
    try {
      const answer = await postJson<OpenAnswer>("crec/monitor/open");
      if (answer.problem !== undefined || !this.#isWanted) return;
      if (this.#isConnected) RED.comms.send(TOPICS.open, { ticket: answer.ticket });
      if (this.#isOverdue) this.#onState("cut");
      this.#again(answer.renewMs);
    } catch (failure) {
      if (!this.#isWanted) return;
      this.#onState(refusalOf(failure) ?? "lost");
      this.#again(RETRY_MS);
    }
  }

  #again(milliseconds: number): void {
    clearTimeout(this.#renewal);
    this.#renewal = setTimeout(() => void this.#open(), milliseconds);
  }

  #take(update: Update): void {
    if (!this.#isWanted) return;
    RED.comms.send?.(TOPICS.seen, { number: update.number });
    this.#watch();
    this.#onState("live");
    this.#onUpdate(update);
  }
}

type Rows = { [S in SectionName]: Map<string, Row<S>> };

/** What Node-RED has sent. */
export class Store {
  #rows = noRows();
  /** Whether all rows have come once. */
  isComplete = false;

  rows<S extends SectionName>(section: S): Array<Row<S>> {
    return [...this.#rows[section].values()];
  }

  /** @returns the sections that have changed */
  take({ isFirst, isComplete, changes }: Update): Set<SectionName> {
    const all = Object.keys(this.#rows) as SectionName[];
    const wasComplete = this.isComplete && !isFirst;
    if (isFirst) this.#rows = noRows();
    for (const name of all) this.#change(name, changes[name]);
    this.isComplete = wasComplete || isComplete;
    const isNewView = isFirst || this.isComplete !== wasComplete;
    return new Set(isNewView ? all : all.filter((name) => changes[name] !== undefined));
  }

  #change<S extends SectionName>(name: S, change: SectionChange<S> | undefined): void {
    const rows: Map<string, Row<S>> = this.#rows[name];
    for (const key of change?.gone ?? []) rows.delete(key);
    for (const row of change?.set ?? []) rows.set(row.key, row);
  }
}

function noRows(): Rows {
  return {
    issues: new Map(),
    approvals: new Map(),
    connections: new Map(),
    readers: new Map(),
    operations: new Map(),
    watchers: new Map(),
    wallets: new Map(),
    events: new Map(),
  };
}

/** The clock of Node-RED, as of its last update: that of the browser may differ. */
export class RuntimeClock {
  #ahead = Date.now() - performance.now();

  /** @param now Unix milliseconds, as Node-RED has just sent it */
  set(now: number): void {
    this.#ahead = now - performance.now();
  }

  /** Unix milliseconds. */
  now(): number {
    return performance.now() + this.#ahead;
  }
}
