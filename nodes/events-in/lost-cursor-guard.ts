import type { CursorState, CursorStore, StartPosition } from "../../src/index.ts";
import { loadLibrary } from "../common/library.ts";
import type { ConsumerMemory } from "./consumer-memory.ts";

type LostCursorGuardOptions = {
  store: CursorStore;
  memory: Pick<ConsumerMemory, "recall" | "note">;
  start: StartPosition;
  /** Where the cursor should be, for people. */
  place: string;
  /** Called when a missing cursor is replaced by the start, and events of before are sent again. */
  onStartsOver: () => void;
};

/**
 * A cursor store that does not take a lost cursor for a new consumer. Starting with new events would skip all events since
 * the cursor was stored: the consumer stops with `CURSOR_LOST` until a person chooses. Another start skips nothing.
 */
export class LostCursorGuard implements CursorStore {
  readonly #options: LostCursorGuardOptions;
  #isNoted = false;

  constructor(options: LostCursorGuardOptions) {
    this.#options = options;
  }

  /** @throws CURSOR_LOST; what the store throws */
  async load(): Promise<CursorState | undefined> {
    const { store, memory, start, place, onStartsOver } = this.#options;
    const state = await store.load();
    if (state !== undefined) await this.#note();
    else if (await memory.recall()) {
      if (start === "now") throw await cursorLost(place);
      onStartsOver();
    }
    return state;
  }

  async save(state: CursorState, urgency?: "now" | "soon"): Promise<void> {
    await this.#options.store.save(state, urgency);
    await this.#note();
  }

  async close(): Promise<void> {
    await this.#options.store.close?.();
  }

  async #note(): Promise<void> {
    if (this.#isNoted) return;
    this.#isNoted = true;
    await this.#options.memory.note();
  }
}

/** Instead of a start with new events, which would skip all events since the cursor was stored. */
export async function cursorLost(place: string): Promise<Error> {
  const { CrecError } = await loadLibrary();
  return new CrecError(
    "CURSOR_LOST",
    `The cursor is missing, although this consumer has run here before. No event is sent, and none is skipped, until you choose where to continue: press Move cursor in the form, send a message with the topic seek, or set Start to anything but new events and deploy. To continue where it was, restore the cursor from a backup and deploy. It was expected in ${place}`,
  );
}
