import type { Node, NodeAPI } from "node-red";
import type { LeaseState } from "../../src/index.ts";
import { type ChannelNode, channelOf } from "../common/fields/config-nodes.ts";
import { formContext } from "../common/fields/field-reader.ts";
import { onInput, type Task } from "../common/fields/input.ts";
import { type FleetRef, fleetOf } from "../common/fleet/fleet.ts";
import { fleetKey } from "../common/fleet/join-fleet.ts";
import { areFlowsRestarting, onFlowsStarted, watchRestarts } from "../common/flows/flows-started.ts";
import type { FolderState } from "../common/folder/folder-lock.ts";
import { lockedStateFolder } from "../common/folder/migrate-state.ts";
import { withLease } from "../common/folder/shared-folder.ts";
import { loadLibrary } from "../common/library.ts";
import { toldError } from "../common/messages/error-texts.ts";
import { serviceIdentity } from "../common/service-identity.ts";
import { type CodedError, nodeError, toCodedError } from "../common/shared/errors.ts";
import { unsetVariable } from "../common/shared/variables.ts";
import { tellBehind } from "../common/status/behind-reader.ts";
import { noteReader } from "../common/status/channel-progress.ts";
import { errorStatus, showStatus, statusText } from "../common/status/status.ts";
import { activity } from "../common/telemetry/activity.ts";
import { originOf } from "../common/telemetry/origin.ts";
import { type EventsInNode, registerPanel } from "./admin/panel.ts";
import { ConsumerMemory } from "./consumer-memory.ts";
import { type EventsInDef, NODE } from "./fields.ts";
import { showLease } from "./fleet/lease-status.ts";
import { readByLease } from "./fleet/read-by-lease.ts";
import { refuseOnStandby } from "./fleet/read-by-lease.ts";
import { awaitChannel } from "./reader/await-channel.ts";
import { command } from "./reader/commands.ts";
import { ReaderLifecycle } from "./reader/lifecycle.ts";
import { askForTurn, type Turn } from "./reader/same-name.ts";
import { cursorLocation } from "./reader/settings.ts";
import { folderNotices, showFolder } from "./status/notes.ts";
import { ReaderActivity } from "./status/reader-activity.ts";
import { showState } from "./status/status.ts";

/** Outputs: events, rejected events, and notices. */
export default function register(RED: NodeAPI): void {
  function ConstructEventsIn(this: Node & EventsInNode, def: EventsInDef): void {
    RED.nodes.createNode(this, def);
    const context = formContext(RED, this, NODE, def);
    const { fields } = context;
    const { store } = fields.settings;
    const closing = new AbortController();
    const { signal } = closing;
    const name = String(def.consumer || this.id);
    const channelNode = fields.settings.channel ?? "";
    const channelLabel = () =>
      (RED.nodes.getNode(channelNode) as Partial<ChannelNode> | null)?.channel?.label ?? "";
    const watched = new ReaderActivity(originOf(this), name, channelLabel, (isStopped) => {
      if (!signal.aborted) tellBehind(RED.nodes, this, isStopped);
    });
    /** Set while another node with the same consumer name reads. */
    let taken: CodedError | undefined;
    let folder: FolderState | undefined;
    let stopCountdown = () => {};

    const sample = () => ({ taken, folder, lease: this.leaseReading?.state(), reader: this.reader });
    const show = (): void => {
      watched.look(sample());
      stopCountdown();
      if (signal.aborted) return;
      if (taken) showStatus(this, "error", errorStatus(taken));
      else if (folder && showFolder(RED, this, folder)) return;
      else if (this.leaseReading && this.leaseReading.state().kind !== "held")
        stopCountdown = showLease(RED, this, this.leaseReading);
      else if (this.reader) stopCountdown = showState(RED, this, this.reader);
    };
    const refuse = (thrown: unknown): void => {
      const error = toCodedError(thrown);
      watched.giveUp(error);
      showStatus(this, "error", errorStatus(error));
      this.error(toldError(error), {});
    };
    const reading = new ReaderLifecycle(RED, this, {
      ...{ def, fields, name, signal, show, refuse, watched },
      stopCountdown: () => stopCountdown(),
    });
    const close = () => reading.close();

    /** Each of these ways to read returns what ends it. */
    const readAlone = (): (() => Promise<void>) => {
      void reading.open();
      return close;
    };
    const readWithFolder = (path: string): (() => Promise<void>) => {
      const onState = (state: FolderState): void => {
        folder = state;
        if (state.kind === "error") this.error(toldError(state.error), {});
        if (state.kind === "held")
          showStatus(this, "waiting", statusText(RED._, "events-in.status.connecting"));
        show();
      };
      const leave = withLease(path, {
        open: (folderLease) => reading.open({ folderLease }),
        ...{ close, onState, onChange: folderNotices(RED, path), signal },
      });
      return () => close().finally(leave);
    };
    const readWithLease = (ref: FleetRef): (() => Promise<void>) => {
      const notice = leaseNotices(RED, this, name);
      const onState = (state: LeaseState): void => {
        if (signal.aborted) return;
        notice(state);
        if (state.kind === "error") this.error(toldError(state.error), {});
        show();
      };
      const share = async (): Promise<void> => {
        const unset = unsetVariable(def);
        if (unset) throw unset;
        const channel = channelOf(RED.nodes, fields.settings.channel);
        const onWait: ReaderActivity["waitFor"] = (waitsFor) => watched.waitFor(waitsFor);
        const channelId = await awaitChannel(RED, this, channel, signal, onWait);
        const service = serviceIdentity(channel.connection().baseUrl);
        const memory = new ConsumerMemory(RED, this, { consumer: name, channelId, service });
        this.leaseReading = await readByLease(RED, {
          ...{ ref, consumer: name, channelId, memory, close, onState },
          open: (lease, fleet) => reading.open({ leased: { lease, fleet, memory } }),
        });
        show();
      };
      const shared = share().catch((error: unknown) => {
        if (!signal.aborted) refuse(error);
      });
      return async () => {
        await shared;
        await (this.leaseReading?.leave() ?? close());
      };
    };

    const read = (ref: FleetRef | undefined): (() => Promise<void>) => {
      if (ref) return readWithLease(ref);
      const path = lockedStateFolder(RED);
      // What a context store keeps is of this Node-RED alone, as far as that store is.
      return store ? readAlone() : readWithFolder(path);
    };
    let end: (() => Promise<void>) | undefined;
    let leaveName = () => {};
    let turn: Turn | undefined;
    const begin = async () => {
      const ref = fleetOf(RED, fields.settings.fleet);
      const location = ref ? `${fleetKey(ref.settings)}:${name}` : cursorLocation(RED, store, name);
      const current = askForTurn(location, this.id);
      turn = current;
      const { lockConsumer } = await loadLibrary();
      await current.come(RED, name);
      if (signal.aborted) return;
      let hasWaited = false;
      leaveName = lockConsumer(location, (state) => {
        if (signal.aborted) return;
        if (state === "waiting") {
          hasWaited = true;
          if (taken) return;
          taken = nodeError(
            "CONSUMER_NAME_TAKEN",
            `Another node has the consumer name "${name}", and only that one reads. Give this node another name, or remove one of them.`,
          );
          this.error(toldError(taken), {});
        } else if (hasWaited) {
          // The node that reads has stopped. Where that is for a deploy, it comes back, and has the first turn again.
          leaveName();
          if (areFlowsRestarting()) forget = onFlowsStarted(RED, again);
          else again();
          return;
        } else {
          taken = undefined;
          end ??= read(ref);
        }
        show();
      });
      current.take();
    };
    const again = () => void begin().catch(refuse);

    const isAway = () => ["standby", "stopped"].includes(watched.look(sample()).state);
    const forgetReader = noteReader({
      ...{ node: this.id, label: this.name || name, channelNode, consumer: name, isAway },
      reading: () => this.reader,
    });
    const forgetReports = activity.readers.add(() => watched.report(sample()));
    showStatus(this, "waiting", statusText(RED._, "events-in.status.connecting"));
    // Before all flows are started, the nodes behind this one may not listen yet.
    let forget = onFlowsStarted(RED, again);
    const act = async ({ msg }: Task): Promise<void> => {
      if (!this.reader) {
        if (msg.topic === "seek" && (await this.leaseReading?.moveLost(msg.payload))) return;
        refuseOnStandby(this);
        throw nodeError(
          "NOT_CONNECTED",
          "There is nothing to pause, resume or seek yet: the node waits for its channel, or for another Node-RED that uses its folder.",
        );
      }
      command(this.reader.consumer, msg);
      show();
    };
    onInput(context, def, act, { isAlwaysOn: true });
    this.on("close", (done: () => void) => {
      forget();
      forgetReader();
      forgetReports();
      closing.abort();
      stopCountdown();
      // The next reader of this cursor finds it written.
      (end ?? close)()
        .finally(() => {
          turn?.leave();
          leaveName();
        })
        .then(done, done);
    });
  }
  RED.nodes.registerType("crec-events-in", ConstructEventsIn);
  registerPanel(RED);
  watchRestarts(RED);
}

/** Returns the function that logs which copy reads, for hosts where nobody sees the editor. */
function leaseNotices(RED: NodeAPI, node: Node, consumer: string): (state: LeaseState) => void {
  let hasRead = false;
  return (state) => {
    if (state.kind === "held") node.log(RED._("events-in.log.reads", { consumer }));
    if (state.kind === "elsewhere") {
      const text = RED._("events-in.log.standby", { consumer, copy: state.holder.copy.name });
      // It was suspended, or cut off from the shared state.
      if (hasRead) node.warn(text);
      else node.log(text);
    }
    if (state.kind === "waiting_for_share") {
      const { share, copies } = state;
      node.log(RED._("events-in.log.standby-share", { consumer, share, copies }));
    }
    if (state.kind !== "looking" && state.kind !== "error") hasRead = state.kind === "held";
  };
}
