/** What a tester can ask for with proofs. */
export const PROOF_ACTIONS = ["withhold", "delay", "corrupt"] as const;
/** What a tester can ask for with events. */
export const DELIVERY_ACTIONS = ["late", "twice", "out_of_order"] as const;

export const FAULT_ACTIONS = ["status", "delay", "reset", "drop_answer", "truncate"] as const;

/**
 * What goes wrong with the next `times` calls that match. `status`: the answer is this status, immediately. `delay`: the
 * call waits `delayMs` and then continues. `reset`: the connection is cut before anything is done. `drop_answer`:
 * everything is done, then the connection is cut without an answer. `truncate`: everything is done, then half of the
 * answer is sent.
 */
export type Fault = {
  action: (typeof FAULT_ACTIONS)[number];
  times: number;
  match?: { method?: string; path?: string };
  status?: number;
  delayMs?: number;
  headers?: Record<string, string>;
  body?: string;
};

/** What can be made to fail; the kinds of `POST /local/failures`. */
export const FAILURE_KINDS = ["deployment", "watcher", "archive", "operation", "query"] as const;
type FailureKind = (typeof FAILURE_KINDS)[number];

/** Asked for by a tester: the next `times` of a kind fail. The status event then has this `reason`. */
type Failure = { kind: FailureKind; times: number; reason: string };

/** What can be absent just after its create. */
export const ABSENT_KINDS = ["channel", "wallet", "watcher", "operation", "query"] as const;
type AbsentKind = (typeof ABSENT_KINDS)[number];

/** Asked for by a tester: the next `times` creates, of one kind or of any, are answered as usual, but not found afterwards. */
type Absence = {
  kind?: AbsentKind;
  times: number;
  /** How long the resource is not found. */
  delayMs: number;
};

/** What a tester asked for, in the order of asking. Each item leaves the list after it was taken `times` times. */
export class CountedList<T extends { times: number }> {
  #items: T[] = [];

  add(item: T): void {
    this.#items.push({ ...item });
  }

  /** The items that are left, with the times that are left. */
  list(): T[] {
    return this.#items;
  }

  clear(): void {
    this.#items = [];
  }

  /** The first item that matches, counted once; undefined when none does. */
  takeFirst(matches: (item: T) => boolean): T | undefined {
    const item = this.#items.find(matches);
    if (item === undefined) return undefined;
    item.times -= 1;
    if (item.times <= 0) this.#items = this.#items.filter((other) => other !== item);
    return item;
  }
}

/** Faults that wait for their calls. */
export class Faults extends CountedList<Fault> {
  /** The fault of this call, counted. `path` matches as a part of the call's path. */
  take(method: string, path: string): Fault | undefined {
    return this.takeFirst(
      ({ match }) =>
        (match?.method === undefined || match.method.toUpperCase() === method) &&
        path.includes(match?.path ?? ""),
    );
  }
}

/**
 * Failures that wait for the next deployment of a wallet, provisioning or archiving of a watcher, relay of an
 * operation, or dispatch of a query. Each lifecycle asks once for each that it begins.
 */
export class Failures extends CountedList<Failure> {
  /** The reason with which this one has to fail, counted; undefined when it runs as usual. */
  take(kind: FailureKind): string | undefined {
    return this.takeFirst((failure) => failure.kind === kind)?.reason;
  }
}

/**
 * Resources that the service does not find just after their create, as the public service documents it. Only answers
 * change: the lifecycle of the resource runs as usual, and its events are sent. A restart forgets all absences.
 */
export class Absences extends CountedList<Absence> {
  /** Until when each resource is absent, by its id. */
  readonly #until = new Map<string, number>();

  /** Also finds all resources again. */
  override clear(): void {
    super.clear();
    this.#until.clear();
  }

  /** Call it after every create. */
  onCreate(kind: AbsentKind, id: string): void {
    const absence = this.takeFirst((waiting) => (waiting.kind ?? kind) === kind);
    if (absence !== undefined) this.#until.set(id, performance.now() + absence.delayMs);
  }

  isAbsent(id: string): boolean {
    const until = this.#until.get(id);
    if (until === undefined || performance.now() < until) return until !== undefined;
    this.#until.delete(id);
    return false;
  }

  /** The ids of all resources that are absent now. */
  get ids(): readonly string[] {
    return [...this.#until.keys()].filter((id) => this.isAbsent(id));
  }
}
