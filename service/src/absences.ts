/** What can be absent just after its create. */
export const ABSENT_KINDS = ["channel", "wallet", "watcher", "operation", "query"] as const;
export type AbsentKind = (typeof ABSENT_KINDS)[number];

/** Asked for by a tester: the next `times` creates, of one kind or of any, are answered as usual, and then this follows. */
export type Absence = {
  kind?: AbsentKind;
  times: number;
  /** How long the service says that the resource is not there. */
  delayMs: number;
};

/**
 * Resources that the service does not find just after their create, as the public service documents it. It concerns
 * answers alone: what was created goes its way, and its events come. A restart forgets it.
 */
export class Absences {
  #waiting: Absence[] = [];
  /** When each is found, by its id. */
  readonly #until = new Map<string, number>();

  add(absence: Absence): void {
    this.#waiting.push({ ...absence });
  }

  /** Those that wait for their create. */
  list(): Absence[] {
    return this.#waiting;
  }

  /** Forgets all: everything is found again. */
  clear(): void {
    this.#waiting = [];
    this.#until.clear();
  }

  /** To be told of every create. */
  meet(kind: AbsentKind, id: string): void {
    const absence = this.#waiting.find((waiting) => (waiting.kind ?? kind) === kind);
    if (absence === undefined) return;
    absence.times -= 1;
    if (absence.times <= 0) this.#waiting = this.#waiting.filter((other) => other !== absence);
    this.#until.set(id, performance.now() + absence.delayMs);
  }

  isAbsent(id: string): boolean {
    const until = this.#until.get(id);
    if (until === undefined || performance.now() < until) return until !== undefined;
    this.#until.delete(id);
    return false;
  }

  /** The ids of all that are absent now. */
  get ids(): readonly string[] {
    return [...this.#until.keys()].filter((id) => this.isAbsent(id));
  }
}
