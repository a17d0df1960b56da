import type { ChannelEvent } from "../protocol/index.ts";

/** What is stored of it, beside the place. */
export type StartsState = {
  /**
   * Up to here, an event that is not settled may have ended the process. An orderly end stores it; where it is
   * missing, the end was none, and this is as far as events were handed over.
   */
  suspectUpTo?: number;
  /** How often a suspect was handed over without the process coming to an orderly end afterwards. */
  starts?: Array<[eventId: string, count: number]>;
};

/** The events that may have ended the process, and how often each was handed over alone before it did. */
export class Starts {
  readonly suspectUpTo: number;
  readonly #counts: Map<string, number>;
  /** Counted in this run. */
  readonly #counted = new Set<string>();
  #isNews: boolean;

  constructor({ suspectUpTo, starts = [] }: StartsState) {
    this.suspectUpTo = suspectUpTo ?? -1;
    this.#isNews = suspectUpTo !== undefined;
    this.#counts = new Map(starts);
  }

  /**
   * Whether the state has to be stored before anything is handed over: the stored one tells of an orderly end, which
   * the next one may not be, or counts an event that is settled by now.
   */
  get isNews(): boolean {
    return this.#isNews;
  }

  isSuspect({ event_id: eventId, headers: { offset } }: ChannelEvent): boolean {
    return offset <= this.suspectUpTo || this.#counts.has(eventId);
  }

  /**
   * Notes that a suspect is about to be handed over; store the state then. Tells how often the process ended while it
   * was handed over before. However often it comes again within a run, the run counts once.
   */
  begin(eventId: string): number {
    const before = this.#counts.get(eventId) ?? 0;
    if (this.#counted.has(eventId)) return before - 1;
    this.#counted.add(eventId);
    this.#counts.set(eventId, before + 1);
    return before;
  }

  /** Takes back what `begin` counted in this run: the end of the process would not be laid to this event alone. */
  acquit(eventId: string): void {
    if (!this.#counted.delete(eventId)) return;
    const left = (this.#counts.get(eventId) ?? 0) - 1;
    if (left > 0) this.#counts.set(eventId, left);
    else this.#counts.delete(eventId);
  }

  settled(eventId: string): void {
    this.#counted.delete(eventId);
    if (this.#counts.delete(eventId)) this.#isNews = true;
  }

  /** The present state is stored. */
  stored(): void {
    this.#isNews = false;
  }

  /** What to store; `exact` for an orderly end, which is laid to none of them. */
  snapshot({ exact }: { exact: boolean }): StartsState {
    const starts = [...this.#counts]
      .map(([id, count]): [string, number] => [id, exact && this.#counted.has(id) ? count - 1 : count])
      .filter(([, count]) => count > 0);
    return {
      ...(exact ? { suspectUpTo: this.suspectUpTo } : {}),
      ...(starts.length > 0 ? { starts } : {}),
    };
  }
}

/** Whether a value read from a store has the shape. */
export function isStartsState({ suspectUpTo, starts }: Record<string, unknown>): boolean {
  const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) > 0;
  return (
    (suspectUpTo === undefined || (Number.isSafeInteger(suspectUpTo) && Number(suspectUpTo) >= -1)) &&
    (starts === undefined ||
      (Array.isArray(starts) &&
        starts.every((one) => Array.isArray(one) && typeof one[0] === "string" && isCount(one[1]))))
  );
}
