import type { CursorState, CursorStore } from "../../../src/index.ts";

/** A cursor store that knows the last position, so that a report reads no file. */
export class PositionStore implements CursorStore {
  readonly #store: CursorStore;
  #position: number | undefined;

  constructor(store: CursorStore) {
    this.#store = store;
  }

  /** The offset up to which everything is settled. Undefined before the first event. */
  get position(): number | undefined {
    return this.#position;
  }

  async load(): Promise<CursorState | undefined> {
    const state = await this.#store.load();
    this.#note(state);
    return state;
  }

  async save(state: CursorState, urgency?: "now" | "soon"): Promise<void> {
    await this.#store.save(state, urgency);
    this.#note(state);
  }

  async begin(first: CursorState, signal: AbortSignal): Promise<CursorState | undefined> {
    const other = await this.#store.begin?.(first, signal);
    this.#note(other);
    return other;
  }

  async close(): Promise<void> {
    await this.#store.close?.();
  }

  #note(state: CursorState | undefined): void {
    this.#position = state === undefined || state.cursor < 0 ? undefined : state.cursor;
  }
}
