import type { Node, NodeAPI } from "node-red";
import type { FolderLease } from "../../common/folder/folder-lease.ts";
import { unsetVariable } from "../../common/shared/variables.ts";
import type { EventsInNode } from "../admin/panel.ts";
import type { EventsInDef } from "../fields.ts";
import { type Leased, sharedCursorOf } from "../fleet/shared-cursor.ts";
import type { ReaderActivity } from "../status/reader-activity.ts";
import { openReader } from "./open-reader.ts";
import type { EventsInFields } from "./settings.ts";

type ReaderLifecycleOptions = {
  def: EventsInDef;
  fields: EventsInFields;
  /** Of the consumer. */
  name: string;
  /** Aborted when the node is closed. */
  signal: AbortSignal;
  show: () => void;
  /** Ends a countdown in the status. */
  stopCountdown: () => void;
  /** Reports why nothing can be read. */
  refuse: (error: unknown) => void;
  watched: ReaderActivity;
};

/** By what this process may move the cursor; neither where the cursor is this Node-RED's alone. */
type Held = { folderLease?: FolderLease; leased?: Leased };

/** Opens and closes the reader of a node, each time this process may read. */
export class ReaderLifecycle {
  readonly #RED: NodeAPI;
  readonly #node: Node & EventsInNode;
  readonly #options: ReaderLifecycleOptions;
  /** Aborted when what is open is closed, or is not to be opened any more. */
  #round = new AbortController();
  #closed: Promise<void> = Promise.resolve();

  constructor(RED: NodeAPI, node: Node & EventsInNode, options: ReaderLifecycleOptions) {
    this.#RED = RED;
    this.#node = node;
    this.#options = options;
  }

  /** Never rejects: errors are reported. */
  async open({ folderLease, leased }: Held = {}): Promise<void> {
    const [RED, node] = [this.#RED, this.#node];
    const { def, fields, name, show, refuse, watched } = this.#options;
    this.#round = new AbortController();
    const ends = [folderLease?.over, leased?.lease.over].filter((one) => one !== undefined);
    const signal = AbortSignal.any([this.#options.signal, this.#round.signal, ...ends]);
    const contextStore = fields.settings.store;
    watched.waitFor(undefined);
    try {
      const unset = unsetVariable(def);
      if (unset) throw unset;
      const cursor = leased && (await sharedCursorOf(RED, node, { ...leased, name, contextStore }));
      if (signal.aborted) return;
      const reader = await openReader(RED, node, fields, {
        name,
        show,
        signal,
        folderLease,
        cursor,
        watched,
      });
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
    const { reader } = this.#node;
    delete this.#node.reader;
    this.#round.abort();
    this.#options.stopCountdown();
    this.#closed = reader?.close() ?? this.#closed;
    await this.#closed;
  }

  #giveBack(): void {
    const { leaseReading } = this.#node;
    delete this.#node.leaseReading;
    void leaseReading?.leave();
  }
}
