import type { CursorState, CursorStore, Lease, StartPosition } from "../../../src/index.ts";
import { loadLibrary } from "../../common/library.ts";
import { type ConsumerMemory, isLater, type Position, type Remembered } from "../consumer-memory.ts";

export type RestoringStoreOptions = {
  /** Of the lease. */
  store: CursorStore;
  lease: Pick<Lease, "state" | "replaced" | "epoch" | "clock" | "over">;
  memory: Pick<ConsumerMemory, "recall" | "note" | "flush">;
  /** How long other copies have to publish what they remember, in milliseconds; 0 where there are none. */
  waitMs: number;
  /** What other copies remember. */
  published: () => Promise<Remembered[]>;
  /** The cursor that this Node-RED had alone, before copies shared one. */
  former: CursorState | undefined;
  start: StartPosition;
  /** Where the cursor should be, for people. */
  place: string;
  /** Called when the former cursor has become that of all copies. */
  onAdopted: () => void;
  /** Called when a cursor that no copy remembers is replaced by the start. */
  onStartsOver: () => void;
  /** Called when no copy remembers this consumer. */
  onFirst: () => void;
};

/**
 * The shared cursor of a lease, where the engine may have lost it, or an older backup of the engine was restored. Then
 * nothing is sent for one lease, in which the other copies publish what they remember, and the position that was saved
 * last is restored.
 */
export class RestoringStore implements CursorStore {
  readonly #options: RestoringStoreOptions;
  readonly #waitsUntil: number;

  constructor(options: RestoringStoreOptions) {
    this.#options = options;
    this.#waitsUntil = options.lease.clock.elapsed() + options.waitMs;
  }

  /** Undefined also where it is not the cursor that was saved last. @throws what the store throws */
  async load(): Promise<CursorState | undefined> {
    const { store, lease, memory } = this.#options;
    const state = await store.load();
    if (state === undefined || (state === lease.state && (await this.#isLost(state)))) return undefined;
    void memory.note({ epoch: lease.epoch });
    return state;
  }

  save(state: CursorState, urgency?: "now" | "soon"): Promise<void> {
    return this.#options.store.save(state, urgency);
  }

  /** @throws CURSOR_LOST; what the store and the engine throw */
  async begin(_first: CursorState, signal: AbortSignal): Promise<CursorState | undefined> {
    const { store, lease, memory, waitMs, published, former, start, place, onFirst } = this.#options;
    const { clock, over } = lease;
    const ends = AbortSignal.any([signal, over]);
    await clock.sleep(this.#waitsUntil - clock.elapsed(), ends);
    ends.throwIfAborted();
    const own = await memory.recall();
    const known = [...(own ? [own] : []), ...(await published())];
    const positions = known.flatMap(({ position }) => position ?? []);
    const kept = lease.state && positionOf(lease, lease.state);
    const last = [...(kept ? [kept] : []), ...positions].reduce(later, undefined);
    if (last !== undefined) {
      // It may come from a copy that runs, which is not a crash.
      const restored = { suspectUpTo: -1, ...last, restored: true };
      await store.save(restored, "now");
      return restored;
    }
    // Once copies have shared a cursor, the one before is of no use.
    if (former !== undefined && known.every(({ epoch }) => epoch === undefined)) {
      await store.save(former, "now");
      this.#options.onAdopted();
      return former;
    }
    if (known.length === 0) {
      if (waitMs > 0) onFirst();
    } else if (start === "now") throw await cursorLost(place);
    else this.#options.onStartsOver();
    return undefined;
  }

  async close(): Promise<void> {
    const { store, memory } = this.#options;
    await store.close?.();
    await memory.flush();
  }

  async #isLost(state: CursorState): Promise<boolean> {
    const { lease, memory } = this.#options;
    const { epoch = 0, position } = (await memory.recall()) ?? {};
    const { replaced = epoch } = lease;
    return replaced < epoch || (position !== undefined && isLater(position, positionOf(lease, state)));
  }
}

/** A copy of an older version does not say with which epoch it saved a state. */
function positionOf({ replaced = 0 }: Pick<Lease, "replaced">, state: CursorState): Position {
  return { epoch: replaced, saved: 0, ...state };
}

function later(last: Position | undefined, position: Position): Position {
  return last === undefined || isLater(position, last) ? position : last;
}

/** Instead of a start with new events, which would skip all events since the cursor was stored. */
export async function cursorLost(place: string): Promise<Error> {
  const { CrecError } = await loadLibrary();
  return new CrecError(
    "CURSOR_LOST",
    `The cursor is missing, although this consumer has run here before. No event is sent, and none is skipped, until you choose where to continue: press Move cursor in the form, send a message with the topic seek, or set Start to anything but new events and deploy. To continue where it was, restore the cursor from a backup and deploy. It was expected in ${place}`,
  );
}
