import type { Node, NodeAPI } from "node-red";
import { type Evidence, isHighlyAvailable, onOtherCopy } from "../common/fleet/other-copies.ts";
import { stateFolder } from "../common/folder/state-folder.ts";

type CopiesNoteOptions = {
  consumer: string;
  channelId: string;
  /** Whether the copies share the cursor in an engine. */
  isFleet: boolean;
  /** Whether the cursor is in a context store: each copy of FlowFuse has a cache of its own in front of it. */
  inContext: boolean;
  onChange: () => void;
};

/** Says once, in the log, that another copy of the flow reads the same channel; the status says it from then on. */
export class CopiesNote {
  readonly #RED: NodeAPI;
  readonly #node: Node;
  readonly #options: CopiesNoteOptions;
  readonly #leave: () => void;
  #evidence: Evidence | undefined;

  constructor(RED: NodeAPI, node: Node, options: CopiesNoteOptions) {
    this.#RED = RED;
    this.#node = node;
    this.#options = options;
    const { consumer, channelId } = options;
    this.#leave = onOtherCopy({ consumer, channelId, note: (evidence) => this.note(evidence) });
    // The storage of FlowFuse is one for all copies, and has the lock.
    const isShared = options.isFleet || (!options.inContext && stateFolder(RED).chosenBy !== "default");
    if (isHighlyAvailable(RED) && !isShared) this.note("flowfuse");
  }

  /** Whether another copy was noticed. */
  get isNoted(): boolean {
    return this.#evidence !== undefined;
  }

  note(evidence: Evidence): void {
    if (this.isNoted) return;
    this.#evidence = evidence;
    const why = this.#RED._(`events-in.copies.${evidence}`);
    this.#node.warn(this.#RED._("events-in.warning.copies", { consumer: this.#options.consumer, why }));
    this.#options.onChange();
  }

  close(): void {
    this.#leave();
  }
}
