import type {
  ChannelReader,
  ConsumerStart,
  CursorIdentity,
  CursorState,
  CursorStore,
  EventConsumer,
  LevelSource,
} from "../../../src/index.ts";
import { isSameId } from "../../../src/protocol/ids.ts";
import { isNewer } from "../../../src/storage/newer.ts";
import { type ClockReading, systemClock, timeOf } from "../../../src/timing/clock.ts";
import { loadLibrary } from "../../common/library.ts";
import { type CodedError, nodeError } from "../../common/shared/errors.ts";
import type { PanelReport, SentLast, Started } from "../../common/shared/form-types.ts";
import type { Outputs } from "../outputs/outputs.ts";
import type { CopiesNote, UnitsNote } from "../status/notes.ts";
import { seek } from "./commands.ts";
import type { WatcherCheck } from "./unwatched.ts";

/** A poll that waits longer than this for its turn is worth a line in the panel. */
const LONG_TURN_MS = 30_000;

/** A running consumer with what a form's panel may do to it. */
export class Reader {
  readonly consumer: EventConsumer;
  readonly #store: CursorStore;
  readonly #identity: CursorIdentity;
  readonly #units: Pick<UnitsNote, "report"> | undefined;
  readonly outputs: Pick<
    Outputs,
    "dropped" | "givenUp" | "notices" | "undecoded" | "unknownTypes" | "inFlow" | "silentNodes"
  >;
  readonly watcherCheck: Pick<WatcherCheck, "unwatched">;
  readonly copies: Pick<CopiesNote, "isNoted">;
  readonly #lower: () => number;
  readonly #position: () => number | undefined;
  /** Where the levels of the channel's networks are read. */
  readonly levels: LevelSource;
  /** Of the lease, where several copies share the cursor. */
  readonly epoch: number | undefined;
  readonly #channelReader: Pick<ChannelReader, "turnMs"> | undefined;
  /** Sends the newest event that matches, as a test. @throws LAST_EVENT_NOT_FOUND; what reading the channel throws */
  readonly sendLast: () => Promise<SentLast>;
  /** Where it started the last time. */
  started: ConsumerStart | undefined;
  #lastError: CodedError | undefined;
  #readUpTo: ClockReading | undefined;
  /** Unix milliseconds. */
  readonly openedAt = Date.now();
  #closed = false;

  constructor(
    consumer: EventConsumer,
    parts: {
      store: CursorStore;
      identity: CursorIdentity;
      outputs: Reader["outputs"];
      watcherCheck: Reader["watcherCheck"];
      copies: Reader["copies"];
      lower: () => number;
      position: () => number | undefined;
      levels: LevelSource;
      epoch?: number;
      sendLast: Reader["sendLast"];
      units?: Pick<UnitsNote, "report">;
      channelReader?: Pick<ChannelReader, "turnMs">;
    },
  ) {
    this.consumer = consumer;
    this.#store = parts.store;
    this.#identity = parts.identity;
    this.outputs = parts.outputs;
    this.watcherCheck = parts.watcherCheck;
    this.copies = parts.copies;
    this.#lower = parts.lower;
    this.#position = parts.position;
    this.levels = parts.levels;
    this.epoch = parts.epoch;
    this.sendLast = parts.sendLast;
    this.#units = parts.units;
    this.#channelReader = parts.channelReader;
  }

  /** How many events were passed over because their confidence is too low; since the last deploy. */
  get lower(): number {
    return this.#lower();
  }

  /** How many events are given out: to the flow, or until they are acknowledged. */
  get inFlight(): number {
    const { state } = this.consumer;
    const waiting = state.kind === "connected" ? state.waitingForAcks : 0;
    return Math.max(waiting, this.outputs.inFlow.count);
  }

  /** The offset up to which everything is settled, as it was stored last. Reads no file. */
  get position(): number | undefined {
    return this.#position();
  }

  /** Like `readUpTo` of the consumer, where also the flow has completed what it was sent. */
  get readUpTo(): number | undefined {
    if (this.outputs.inFlow.count === 0) {
      const wall = this.consumer.readUpTo;
      const sinceMs = systemClock.now() - (wall ?? 0);
      this.#readUpTo = wall === undefined ? undefined : { wall, monotonic: systemClock.elapsed() - sinceMs };
    }
    return this.#readUpTo && timeOf(this.#readUpTo, systemClock);
  }

  get deliveredUpTo(): number | undefined {
    return this.consumer.deliveredUpTo;
  }

  noteError(error: CodedError): void {
    this.#lastError = error;
  }

  /** The channel that it reads, and for whom. */
  get identity(): CursorIdentity {
    return this.#identity;
  }

  async report(): Promise<PanelReport> {
    const { state } = this.consumer;
    const { unknownTypes } = this.outputs;
    const turnMs = this.#channelReader?.turnMs ?? 0;
    const stored = await this.#store.load().catch(() => undefined);
    const isMoved = stored && stored.identity.service !== this.#identity.service;
    const units = this.#units?.report();
    const isLacking = units && units.noDecimals.length + units.differing.length > 0;
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
            inFlight: this.inFlight,
            skipped: state.skipped,
            filtered: state.filtered,
            late: state.late,
          }
        : {}),
      ...(isMoved && isSameId(stored.identity.channelId, this.#identity.channelId) ? { isMoved } : {}),
      dropped: this.outputs.dropped,
      givenUp: this.outputs.givenUp,
      notices: this.outputs.notices,
      ...(this.lower > 0 ? { lower: this.lower } : {}),
      ...(unknownTypes.length > 0 ? { unknownTypes } : {}),
      ...(this.started?.from === "start" ? { started: startedOf(this.started) } : {}),
      ...(isLacking ? { units } : {}),
      ...(turnMs > LONG_TURN_MS ? { turnMs } : {}),
      ...(this.#lastError ? { lastError: this.#lastError.message } : {}),
    };
  }

  /** @throws INVALID_FIELD; INVALID_ARGUMENT */
  seek(to: unknown): void {
    seek(this.consumer, to);
  }

  exportCursor(): Promise<CursorState | undefined> {
    return this.#store.load();
  }

  /**
   * Imports a cursor that was exported on another machine.
   * @throws CURSOR_OF_ANOTHER_CHANNEL, CURSOR_NOT_SAVED, INVALID_FIELD
   */
  async importCursor(state: unknown): Promise<void> {
    const { channelId } = this.#identity;
    const { isCursorState } = await loadLibrary();
    if (!isCursorState(state)) {
      const what = isNewer(state)
        ? "This cursor was exported by a newer version of this package. Install that version here, too."
        : "This is not an exported cursor. Choose a file that was made by Export.";
      throw nodeError("INVALID_FIELD", what);
    }
    if (!isSameId(state.identity.channelId, channelId)) {
      const message = `This cursor is of another channel than the one that the node reads. The cursor is of channel ${state.identity.channelId}, the node reads ${channelId}.`;
      throw nodeError("CURSOR_OF_ANOTHER_CHANNEL", message);
    }
    await this.consumer.stop();
    try {
      // It may come from a running node, which is not a crash.
      const imported = { suspectUpTo: -1, ...state, restored: true, identity: this.#identity };
      await this.#store.save(imported, "now");
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

function startedOf({ position, after }: ConsumerStart): Started {
  return { ...(position === undefined ? {} : { position }), after };
}
