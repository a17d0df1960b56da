import { unsetVariable } from "../../common/shared/variables.ts";
import type { EventsInContext } from "../context.ts";
import { sharedCursorOf } from "../cursor-store.ts";
import type { Hold } from "../hold.ts";
import type { ReaderActivity } from "../status/reader-activity.ts";
import { openReader } from "./open-reader.ts";

type ReaderLifecycleOptions = {
  watched: ReaderActivity;
  show: () => void;
  /** Ends a countdown in the status. */
  stopCountdown: () => void;
  /** Reports why nothing can be read. */
  refuse: (error: unknown) => void;
};

/** Opens and closes the reader of a node, each time this process may read. */
export class ReaderLifecycle {
  readonly #context: EventsInContext;
  readonly #options: ReaderLifecycleOptions;
  /** Aborted when what is open is closed, or is not to be opened any more. */
  #round = new AbortController();
  #closed: Promise<void> = Promise.resolve();

  constructor(context: EventsInContext, options: ReaderLifecycleOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** Never rejects: errors are reported. */
  async open(hold: Hold): Promise<void> {
    const { RED, node, def, fields, name, closed } = this.#context;
    const { show, refuse, watched } = this.#options;
    this.#round = new AbortController();
    const ends = hold.over ? [hold.over] : [];
    const { leased } = hold;
    const signal = AbortSignal.any([closed, this.#round.signal, ...ends]);
    const contextStore = fields.settings.store;
    watched.waitFor(undefined);
    try {
      const unset = unsetVariable(def);
      if (unset) throw unset;
      const cursor = leased && (await sharedCursorOf(RED, node, { ...leased, name, contextStore }));
      if (signal.aborted) return;
      const reader = await openReader(this.#context, { show, signal, hold, cursor, watched });
      if (signal.aborted) return;
      node.reader = reader;
      reader.consumer.start();
    } catch (error) {
      if (signal.aborted) return;
      refuse(error);
      // Another copy may be able to read.
      if (leased) this.#giveBack();
    }
  }

  async close(): Promise<void> {
    const { reader } = this.#context.node;
    delete this.#context.node.reader;
    this.#round.abort();
    this.#options.stopCountdown();
    this.#closed = reader?.close() ?? this.#closed;
    await this.#closed;
  }

  #giveBack(): void {
    const { leaseReading } = this.#context.node;
    delete this.#context.node.leaseReading;
    void leaseReading?.leave();
  }
}
