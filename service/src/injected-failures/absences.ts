import { CountedList } from "./counted-list.ts";

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
