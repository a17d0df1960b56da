import { oneOf } from "../../options/index.ts";
import { type CursorState, stateKind } from "./cursor-state.ts";

/** Keeps a consumer's cursor across restarts. */
export type CursorStore = {
  /** The state that was saved last; undefined when there is none. */
  load(): Promise<CursorState | undefined>;
  /**
   * `now`: resolves when the state will survive a crash; used before a page is handed over.
   * `soon`: may be written later, or be replaced by a newer state before that, to spare the disk.
   * @default "soon"
   */
  save(state: CursorState, urgency?: "now" | "soon"): Promise<void>;
  /**
   * Called with the state that a new consumer starts with, where `load` found none, before anything is handed over.
   * Another state that it resolves with, such as one that another copy remembers, takes its place, and is stored.
   */
  begin?(first: CursorState, signal: AbortSignal): Promise<CursorState | undefined>;
  /** Writes what is still unwritten. The store can be used again afterwards. */
  close?(): Promise<void>;
};

export const urgencyKind = oneOf("now", "soon");

/**
 * Keeps the cursor in memory only. For tests, and for programs that always start at the same position.
 * @example
 * await new MemoryCursorStore().load(); // → undefined
 */
export class MemoryCursorStore implements CursorStore {
  #state: CursorState | undefined;

  async load(): Promise<CursorState | undefined> {
    return this.#state;
  }

  async save(state: CursorState): Promise<void> {
    this.#state = stateKind(state, "state");
  }
}
