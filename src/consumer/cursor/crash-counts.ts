import type { ChannelEvent } from "../../protocol/index.ts";
import type { CrashCountState } from "../../storage/cursor/cursor-state.ts";

/** The events that may have ended the process, and how often the process ended while each was handed over alone. */
export class CrashCounts {
  readonly suspectUpTo: number;
  readonly #counts: Map<string, number>;
  /** Counted in this run. */
  readonly #counted = new Set<string>();
  #needsSave: boolean;

  constructor({ suspectUpTo, starts = [] }: CrashCountState) {
    this.suspectUpTo = suspectUpTo ?? -1;
    this.#needsSave = suspectUpTo !== undefined;
    this.#counts = new Map(starts);
  }

  /**
   * Whether the state must be stored before anything is handed over: the stored one says that the process ended in
   * order, which may not be true the next time, or counts an event that is settled.
   */
  get needsSave(): boolean {
    return this.#needsSave;
  }

  isSuspect({ event_id: eventId, headers: { offset } }: ChannelEvent): boolean {
    return offset <= this.suspectUpTo || this.#counts.has(eventId);
  }

  /**
   * Counts a suspect that is about to be handed over; store the state then. Returns how often the process ended while
   * it was handed over before. A run of the process counts once, however often the event is sent again.
   */
  count(eventId: string): number {
    const before = this.#counts.get(eventId) ?? 0;
    if (this.#counted.has(eventId)) return before - 1;
    this.#counted.add(eventId);
    this.#counts.set(eventId, before + 1);
    return before;
  }

  /** Undoes what was counted in this run: the event is not alone any more, so a crash would not prove anything. */
  uncount(eventId: string): void {
    if (!this.#counted.delete(eventId)) return;
    const left = (this.#counts.get(eventId) ?? 0) - 1;
    if (left > 0) this.#counts.set(eventId, left);
    else this.#counts.delete(eventId);
  }

  settled(eventId: string): void {
    this.#counted.delete(eventId);
    if (this.#counts.delete(eventId)) this.#needsSave = true;
  }

  /** The present state is stored. */
  saved(): void {
    this.#needsSave = false;
  }

  /** The state to store; `exact` for an orderly end, which no event has caused. */
  snapshot({ exact }: { exact: boolean }): CrashCountState {
    const starts = [...this.#counts]
      .map(([id, count]): [string, number] => [id, exact && this.#counted.has(id) ? count - 1 : count])
      .filter(([, count]) => count > 0);
    return {
      ...(exact ? { suspectUpTo: this.suspectUpTo } : {}),
      ...(starts.length > 0 ? { starts } : {}),
    };
  }
}
