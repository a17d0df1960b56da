import type { CursorIdentity, CursorState, CursorStore, EventConsumer } from "../../src/index.ts";
import { type CodedError, nodeError } from "../lib/errors.ts";
import type { PanelReport } from "../lib/form-types.ts";
import { loadLibrary } from "../lib/library.ts";
import { positionOf } from "./commands.ts";

/** What the flow has not completed, and whether the next event waits for it. */
export type InFlow = { count: number; holdsUp: boolean };

/** A running consumer with what a form's panel may do to it. */
export class Reader {
  readonly consumer: EventConsumer;
  readonly #store: CursorStore;
  readonly #identity: CursorIdentity;
  readonly #inFlow: () => InFlow;
  #lastError: CodedError | undefined;
  #dropped = 0;
  #closed = false;

  constructor(
    consumer: EventConsumer,
    parts: { store: CursorStore; identity: CursorIdentity; inFlow: () => InFlow },
  ) {
    this.consumer = consumer;
    this.#store = parts.store;
    this.#identity = parts.identity;
    this.#inFlow = parts.inFlow;
  }

  /** How many messages the flow has not finished with, where that holds up the next. */
  get heldUpBy(): number {
    const { count, holdsUp } = this.#inFlow();
    return holdsUp ? count : 0;
  }

  /** How many events went nowhere, as the node is set to, because their proof failed; since the last deploy. */
  get dropped(): number {
    return this.#dropped;
  }

  noteDropped(): void {
    this.#dropped += 1;
  }

  noteError(error: CodedError): void {
    this.#lastError = error;
  }

  async report(): Promise<PanelReport> {
    const { state } = this.consumer;
    const stored = await this.#store.load().catch(() => undefined);
    return {
      deployed: true,
      state: state.kind,
      channelId: this.#identity.channelId,
      ...(stored ? { cursor: stored.cursor } : {}),
      ...(state.kind === "connected" && state.behind !== undefined && stored
        ? { behind: state.behind, end: stored.cursor + state.behind }
        : {}),
      ...(state.kind === "connected"
        ? {
            delivered: state.delivered,
            inFlight: Math.max(state.waitingForAcks, this.#inFlow().count),
            skipped: state.skipped,
            filtered: state.filtered,
          }
        : {}),
      dropped: this.#dropped,
      ...(this.#lastError ? { lastError: this.#lastError.message } : {}),
    };
  }

  /** @throws INVALID_FIELD */
  seek(to: unknown): void {
    this.consumer.seek(positionOf(to));
  }

  exportCursor(): Promise<CursorState | undefined> {
    return this.#store.load();
  }

  /**
   * Puts down a place that was taken along from another machine.
   * @throws CURSOR_OF_ANOTHER_CHANNEL, CURSOR_NOT_SAVED, INVALID_FIELD
   */
  async importCursor(state: unknown): Promise<void> {
    const { channelId } = this.#identity;
    const { isCursorState } = await loadLibrary();
    if (!isCursorState(state)) {
      throw nodeError(
        "INVALID_FIELD",
        "This is not an exported cursor. Choose a file that was made by Export.",
      );
    }
    if (state.identity.channelId !== channelId) {
      const message = `This cursor is of channel ${state.identity.channelId}, but the node reads ${channelId}.`;
      throw nodeError("CURSOR_OF_ANOTHER_CHANNEL", message);
    }
    await this.consumer.stop();
    try {
      await this.#store.save({ ...state, identity: this.#identity }, "now");
    } finally {
      if (!this.#closed) this.consumer.start();
    }
  }

  /** For good: what was asked for by the panel does not start it again. */
  close(): Promise<void> {
    this.#closed = true;
    return this.consumer.stop();
  }
}
