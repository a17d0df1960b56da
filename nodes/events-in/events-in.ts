import type { Node, NodeAPI } from "node-red";
import type { LeaseState } from "../../src/index.ts";
import { channelOf } from "../lib/runtime/config-nodes.ts";
import { fieldReader } from "../lib/runtime/field-reader.ts";
import { type FleetRef, fleetOf } from "../lib/runtime/fleet.ts";
import { onFlowsStarted } from "../lib/runtime/flows-started.ts";
import type { FolderState } from "../lib/runtime/folder/folder-lock.ts";
import type { Tenure } from "../lib/runtime/folder/tenure.ts";
import { lockedStateFolder } from "../lib/runtime/folder/use-state.ts";
import { whileHeld } from "../lib/runtime/folder/while-held.ts";
import { onInput } from "../lib/runtime/input.ts";
import { fleetKey } from "../lib/runtime/join-fleet.ts";
import { loadLibrary } from "../lib/runtime/library.ts";
import { showStatus } from "../lib/runtime/status.ts";
import { type CodedError, nodeError, shortText, toCodedError } from "../lib/shared/errors.ts";
import { unsetVariable } from "../lib/shared/variables.ts";
import { awaitChannel } from "./await-channel.ts";
import { command } from "./commands.ts";
import { type EventsInDef, NODE } from "./fields.ts";
import { showLease } from "./fleet/lease-status.ts";
import { readByLease } from "./fleet/read-by-lease.ts";
import { type Leased, sharedCursorOf } from "./fleet/shared-cursor.ts";
import { refuseOnStandby } from "./fleet/standby.ts";
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
    let sharing: Promise<void> = Promise.resolve();
    /** Aborted when what is open is closed, or is not to be opened any more. */
    let round = new AbortController();
    let closed: Promise<void> = Promise.resolve();

    let stopCountdown = () => {};

    const show = (): void => {
      stopCountdown();
      if (taken) showStatus(this, "error", shortText(taken));
      else if (folder && showFolder(RED, this, folder)) return;
      else if (this.sharing && this.sharing.state().kind !== "held")
        stopCountdown = showLease(RED, this, this.sharing);
      else if (this.reader) stopCountdown = showState(RED, this, this.reader);
    };
    const open = async (held: { tenure?: Tenure; leased?: Leased } = {}): Promise<void> => {
      const { tenure, leased } = held;
      round = new AbortController();
      const ends = [tenure?.over, leased?.lease.over].filter((one) => one !== undefined);
      const signal = AbortSignal.any([closing.signal, round.signal, ...ends]);
      try {
        const unset = unsetVariable(def);
        if (unset) throw unset;
        const cursor = leased && (await sharedCursorOf(RED, this, { ...leased, name, contextStore: store }));
        if (signal.aborted) return;
        const reader = await openReader(RED, this, fields, { name, show, signal, tenure, cursor });
        if (signal.aborted) return;
        this.reader = reader;
        reader.consumer.start();
      } catch (error) {
        if (signal.aborted) return;
        refuse(error);
        // Another copy may be able to read.
        if (leased) giveBack();
      }
    };
    const giveBack = (): void => {
      const { sharing } = this;
      delete this.sharing;
      void sharing?.leave();
    };
    const close = async (): Promise<void> => {
      const { reader } = this;
      delete this.reader;
      round.abort();
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
    const onLease = (state: LeaseState): void => {
      if (closing.signal.aborted) return;
      if (state.kind === "error") this.error(state.error, {});
      show();
    };
    const share = async (ref: FleetRef): Promise<void> => {
      const unset = unsetVariable(def);
      if (unset) throw unset;
      const channel = channelOf(RED, fields.settings.channel);
      const channelId = await awaitChannel(RED, this, channel, closing.signal);
      this.sharing = await readByLease(RED, {
        ...{ ref, consumer: name, channelId, close, onState: onLease },
        open: (lease, fleet) => open({ leased: { lease, fleet } }),
      });
      show();
    };
    let opened = false;
    const openOnce = (ref: FleetRef | undefined) => {
      if (opened) return;
      opened = true;
      if (ref) {
        sharing = share(ref).catch((error: unknown) => {
          if (!closing.signal.aborted) refuse(error);
        });
        return;
      }
      const path = lockedStateFolder(RED);
      const onChange = folderNotices(RED, path);
      // What a context store keeps is of this Node-RED alone, as far as that store is.
      if (store) void open();
      else
        leaveFolder = whileHeld(path, {
          open: (tenure) => open({ tenure }),
          ...{ close, onState: onFolder, onChange, signal: closing.signal },
        });
    };
    const lock = async () => {
      const { consumerNameTaken, lockConsumer } = await loadLibrary();
      if (closing.signal.aborted) return;
      const ref = fleetOf(RED, fields.settings.fleet);
      const location = ref ? `${fleetKey(ref.settings)}:${name}` : cursorLocation(RED, store, name);
      leave = lockConsumer(location, (state) => {
        if (closing.signal.aborted) return;
        const wasAlone = taken === undefined;
        taken = state === "alone" ? undefined : toCodedError(consumerNameTaken(name));
        if (taken && wasAlone) this.error(taken, {});
        show();
        if (state !== "waiting") openOnce(ref);
      });
    };
    const begin = () => void lock().catch(refuse);

    showStatus(this, "waiting", "node-red:common.status.connecting");
    // Before all flows are started, the nodes behind this one may not listen yet.
    const forget = onFlowsStarted(RED, begin);
    onInput(RED, this, def, async ({ msg }) => {
      if (!this.reader) {
        refuseOnStandby(this);
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
      sharing
        .then(() => this.sharing?.leave() ?? close())
        .finally(left)
        .then(done, done);
    });
  }
  RED.nodes.registerType("crec-events-in", ConstructEventsIn);
  registerPanel(RED);
}
