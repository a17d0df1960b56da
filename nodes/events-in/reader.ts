import type { CursorIdentity, CursorState, CursorStore, EventConsumer } from "../../src/index.ts";
import { type CodedError, nodeError } from "../lib/errors.ts";
import type { PanelReport } from "../lib/form-types.ts";
import { positionOf } from "./commands.ts";

/** A running consumer with what a form's panel may do to it. */
export class Reader {
  readonly consumer: EventConsumer;
  readonly #store: CursorStore;
  readonly #identity: CursorIdentity;
  #lastError: CodedError | undefined;

  constructor(consumer: EventConsumer, store: CursorStore, identity: CursorIdentity) {
    this.consumer = consumer;
    this.#store = store;
    this.#identity = identity;
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
        ? { delivered: state.delivered, inFlight: state.waitingForAcks, skipped: state.skipped }
        : {}),
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
   * @throws CURSOR_OF_ANOTHER_CHANNEL, INVALID_FIELD
   */
  async importCursor(state: CursorState): Promise<void> {
    const { channelId } = this.#identity;
    if (state?.version !== 1 || !Number.isSafeInteger(state.cursor) || !Array.isArray(state.delivered)) {
      throw nodeError(
        "INVALID_FIELD",
        "This is not an exported cursor. Choose a file that was made by Export.",
      );
    }
    if (state.identity?.channelId !== channelId) {
      const message = `This cursor is of channel ${state.identity?.channelId}, but the node reads ${channelId}.`;
      throw nodeError("CURSOR_OF_ANOTHER_CHANNEL", message);
    }
    await this.consumer.stop();
    await this.#store.save({ ...state, identity: this.#identity }, "now");
    this.consumer.start();
  }
}
