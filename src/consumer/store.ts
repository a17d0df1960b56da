import type { CursorState } from "./cursor-state.ts";

/** Keeps a consumer's place over restarts. */
export type CursorStore = {
  /** What was saved last, or undefined when nothing ever was. */
  load(): Promise<CursorState | undefined>;
  /**
   * `now`: resolves when the state will survive a crash; the consumer asks for it before it hands over a page.
   * `soon` (when left out): may be written later, and be overtaken by a newer state, to spare the disk.
   */
  save(state: CursorState, urgency?: "now" | "soon"): Promise<void>;
  /** Writes what is still unwritten. The store can be used again afterwards. */
  close?(): Promise<void>;
};

/**
 * Forgets with the process. For tests, and for programs that always start at the same position.
 * @example
 * await new MemoryCursorStore().load(); // → undefined
 */
export class MemoryCursorStore implements CursorStore {
  #state: CursorState | undefined;

  async load(): Promise<CursorState | undefined> {
    return this.#state;
  }

  async save(state: CursorState): Promise<void> {
    this.#state = state;
  }
}
