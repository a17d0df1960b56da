import type { Node, NodeAPI } from "node-red";
import { fieldReader } from "../lib/runtime/field-reader.ts";
import { onFlowsStarted } from "../lib/runtime/flows-started.ts";
import type { FolderState } from "../lib/runtime/folder/folder-lock.ts";
import type { Tenure } from "../lib/runtime/folder/tenure.ts";
import { lockedStateFolder } from "../lib/runtime/folder/use-state.ts";
import { whileHeld } from "../lib/runtime/folder/while-held.ts";
import { onInput } from "../lib/runtime/input.ts";
import { loadLibrary } from "../lib/runtime/library.ts";
import { showStatus } from "../lib/runtime/status.ts";
import { type CodedError, nodeError, shortText, toCodedError } from "../lib/shared/errors.ts";
import { unsetVariable } from "../lib/shared/variables.ts";
import { command } from "./commands.ts";
import { type EventsInDef, NODE } from "./fields.ts";
import { folderNotices, showFolder } from "./folder-notices.ts";
import { openReader } from "./open-reader.ts";
import { type EventsInNode, registerPanel } from "./panel.ts";
import { cursorLocation } from "./settings.ts";
import { showState } from "./state.ts";

/** Outputs: events, rejected events, and notices. */
export default function register(RED: NodeAPI): void {
  function ConstructEventsIn(this: Node & EventsInNode, def: EventsInDef): void {
    RED.nodes.createNode(this, def);
    const fields = fieldReader(RED, this, NODE, def);
    const { store } = fields.settings;
    const closing = new AbortController();
    const name = String(def.consumer || this.id);
    /** Set while another node has the same consumer name. */
    let taken: CodedError | undefined;
    let leave = () => {};
    let leaveFolder = () => {};
    let folder: FolderState | undefined;
    let closed: Promise<void> = Promise.resolve();

    let stopCountdown = () => {};

    const show = (): void => {
      stopCountdown();
      if (taken) showStatus(this, "error", shortText(taken));
      else if (folder && showFolder(RED, this, folder)) return;
      else if (this.reader) stopCountdown = showState(RED, this, this.reader);
    };
    const open = async (tenure?: Tenure): Promise<void> => {
      const signal = tenure ? AbortSignal.any([closing.signal, tenure.over]) : closing.signal;
      try {
        const unset = unsetVariable(def);
        if (unset) throw unset;
        const reader = await openReader(RED, this, fields, { name, show, signal, tenure });
        if (signal.aborted) return;
        this.reader = reader;
        reader.consumer.start();
      } catch (error) {
        if (!signal.aborted) refuse(error);
      }
    };
    const close = async (): Promise<void> => {
      const { reader } = this;
      delete this.reader;
      stopCountdown();
      closed = reader?.close() ?? closed;
      await closed;
    };
    const refuse = (thrown: unknown): void => {
      const error = toCodedError(thrown);
      showStatus(this, "error", shortText(error));
      this.error(error, {});
    };
    const onFolder = (state: FolderState): void => {
      folder = state;
      if (state.kind === "error") this.error(state.error, {});
      if (state.kind === "held") showStatus(this, "waiting", "node-red:common.status.connecting");
      show();
    };
    let opened = false;
    const openOnce = () => {
      if (opened) return;
      opened = true;
      const path = lockedStateFolder(RED);
      const onChange = folderNotices(RED, path);
      // What a context store keeps is of this Node-RED alone, as far as that store is.
      if (store) void open();
      else
        leaveFolder = whileHeld(path, { open, close, onState: onFolder, onChange, signal: closing.signal });
    };
    const lock = async () => {
      const { consumerNameTaken, lockConsumer } = await loadLibrary();
      if (closing.signal.aborted) return;
      leave = lockConsumer(cursorLocation(RED, store, name), (state) => {
        if (closing.signal.aborted) return;
        const wasAlone = taken === undefined;
        taken = state === "alone" ? undefined : toCodedError(consumerNameTaken(name));
        if (taken && wasAlone) this.error(taken, {});
        show();
        if (state !== "waiting") openOnce();
      });
    };
    const begin = () => void lock().catch(refuse);

    showStatus(this, "waiting", "node-red:common.status.connecting");
    // Before all flows are started, the nodes behind this one may not listen yet.
    const forget = onFlowsStarted(RED, begin);
    onInput(RED, this, def, async ({ msg }) => {
      if (!this.reader) {
        throw nodeError(
          "NOT_CONNECTED",
          "There is nothing to pause, resume or seek yet: the node waits for its channel, or for another Node-RED that uses its folder.",
        );
      }
      command(this.reader.consumer, msg);
      show();
    });
    this.on("close", (done: () => void) => {
      forget();
      closing.abort();
      stopCountdown();
      const left = () => {
        leave();
        leaveFolder();
      };
      // The next reader of this cursor finds it written.
      close().finally(left).then(done, done);
    });
  }
  RED.nodes.registerType("crec-events-in", ConstructEventsIn);
  registerPanel(RED);
}
