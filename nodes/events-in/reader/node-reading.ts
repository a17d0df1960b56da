import type { LeaseState } from "../../../src/index.ts";
import { type ChannelNode, channelOf } from "../../common/fields/config-nodes.ts";
import { type FleetRef, fleetOf } from "../../common/fleet/fleet.ts";
import { fleetKey } from "../../common/fleet/join-fleet.ts";
import { areFlowsRestarting, onFlowsStarted } from "../../common/flows/flows-started.ts";
import type { FolderState } from "../../common/folder/folder-lock.ts";
import { lockedStateFolder } from "../../common/folder/migrate-state.ts";
import { withLease } from "../../common/folder/shared-folder.ts";
import { stateFolderFor } from "../../common/folder/state-folder.ts";
import { loadLibrary } from "../../common/library.ts";
import { toldError } from "../../common/messages/error-texts.ts";
import { type CodedError, nodeError, toCodedError } from "../../common/shared/errors.ts";
import { serviceIdentity } from "../../common/shared/text.ts";
import { unsetVariable } from "../../common/shared/variables.ts";
import { showStatus, statusText, tellBehind } from "../../common/status/status.ts";
import { originOf } from "../../common/telemetry/origin.ts";
import type { ReaderReport } from "../../common/telemetry/types.ts";
import { ConsumerMemory } from "../consumer-memory.ts";
import type { EventsInContext } from "../context.ts";
import { readByLease } from "../fleet/read-by-lease.ts";
import { ALONE, byFolder, byLease } from "../hold.ts";
import { folderNotices, leaseNotices } from "../status/notes.ts";
import { ReaderActivity } from "../status/reader-activity.ts";
import { showState } from "../status/status.ts";
import { awaitChannel } from "./await-channel.ts";
import { ReaderLifecycle } from "./lifecycle.ts";
import { askForTurn, ranLast, type Turn } from "./same-name.ts";
import { cursorLocation } from "./settings.ts";

/** Ends a way to read. */
type End = () => Promise<void>;

/** How one node reads, from its start until it is closed: when it is its turn, alone, with its folder, or by a lease. */
export class NodeReading {
  readonly #context: EventsInContext;
  readonly #activity: ReaderActivity;
  readonly #lifecycle: ReaderLifecycle;
  /** Set while another node with the same consumer name reads. */
  #taken: CodedError | undefined;
  #folder: FolderState | undefined;
  #stopCountdown = () => {};
  #end: End | undefined;
  #turn: Turn | undefined;
  #leaveName = () => {};
  #forgetStart = () => {};

  constructor(context: EventsInContext) {
    this.#context = context;
    const { RED, node, name, closed } = context;
    const channelLabel = () =>
      (RED.nodes.getNode(this.channelNode) as Partial<ChannelNode> | null)?.channel?.label ?? "";
    this.#activity = new ReaderActivity(originOf(node), name, channelLabel, (isStopped) => {
      if (!closed.aborted) tellBehind(RED.nodes, node, isStopped);
    });
    this.#lifecycle = new ReaderLifecycle(context, {
      watched: this.#activity,
      show: () => this.show(),
      stopCountdown: () => this.#stopCountdown(),
      refuse: (error) => this.#refuse(error),
    });
  }

  /** The id of the channel's config node. */
  get channelNode(): string {
    return this.#context.fields.settings.channel ?? "";
  }

  /** Whether another copy reads in its place, or it has stopped for good. */
  get isAway(): boolean {
    return ["standby", "stopped"].includes(this.#activity.look(this.#standing()).state);
  }

  report(): ReaderReport {
    return this.#activity.report(this.#standing());
  }

  /** Shows in the status what the node does. */
  show(): void {
    const { of } = this.#activity.look(this.#standing());
    this.#stopCountdown();
    // What it waits for before it reads was shown when the wait began.
    const isShown = of.kind === "waits" || of.kind === "opening";
    if (!isShown && !this.#context.closed.aborted) this.#stopCountdown = showState(this.#context, of);
  }

  /** Waits for the turn of this node, and reads. What keeps it from that is reported. */
  begin(): void {
    this.#begin().catch((error: unknown) => this.#refuse(error));
  }

  /** The next reader of this cursor finds it written. */
  async close(): Promise<void> {
    this.#forgetStart();
    this.#stopCountdown();
    try {
      await (this.#end ?? this.#close)();
    } finally {
      this.#turn?.leave();
      this.#leaveName();
    }
  }

  readonly #close: End = () => this.#lifecycle.close();

  #standing() {
    const { reader, leaseReading } = this.#context.node;
    return { taken: this.#taken, folder: this.#folder, lease: leaseReading?.state(), reader };
  }

  #refuse(thrown: unknown): void {
    const { node } = this.#context;
    const error = toCodedError(thrown);
    showState(this.#context, { kind: "waits", waitsFor: this.#activity.giveUp(error) });
    node.error(toldError(error), {});
  }

  async #begin(): Promise<void> {
    const { RED, node, name, fields, closed } = this.#context;
    const { store } = fields.settings;
    const ref = fleetOf(RED, fields.settings.fleet);
    const location = ref ? `${fleetKey(ref.settings)}:${name}` : cursorLocation(RED, store, name);
    const lastUser = (nodes: ReadonlyMap<string, unknown>) =>
      ranLast(stateFolderFor(RED, "started"), name, nodes);
    const turn = askForTurn(location, node.id, lastUser);
    this.#turn = turn;
    const { lockConsumer } = await loadLibrary();
    await turn.come();
    if (closed.aborted) return;
    let hasWaited = false;
    this.#leaveName = lockConsumer(location, (state) => {
      if (closed.aborted) return;
      if (state === "waiting") {
        hasWaited = true;
        if (this.#taken) return;
        this.#taken = nodeError(
          "CONSUMER_NAME_TAKEN",
          `Another node has the consumer name "${name}", and only that one reads. Give this node another name, or remove one of them.`,
        );
        node.error(toldError(this.#taken), {});
      } else if (hasWaited) {
        // The node that reads has stopped. Where that is for a deploy, it comes back, and has the first turn again.
        this.#leaveName();
        if (areFlowsRestarting()) this.#forgetStart = onFlowsStarted(RED, () => this.begin());
        else this.begin();
        return;
      } else {
        this.#taken = undefined;
        this.#end ??= this.#read(ref);
      }
      this.show();
    });
    turn.take();
  }

  /** Each of these ways to read returns what ends it. */
  #read(ref: FleetRef | undefined): End {
    if (ref) return this.#readWithLease(ref);
    const path = lockedStateFolder(this.#context.RED);
    // What a context store keeps is of this Node-RED alone, as far as that store is.
    return this.#context.fields.settings.store ? this.#readAlone() : this.#readWithFolder(path);
  }

  #readAlone(): End {
    void this.#lifecycle.open(ALONE);
    return this.#close;
  }

  #readWithFolder(path: string): End {
    const { node, t, closed } = this.#context;
    const leave = withLease(path, {
      ...{ close: this.#close, signal: closed, onChange: folderNotices(this.#context, path) },
      open: (lease) => this.#lifecycle.open(byFolder(lease)),
      onState: (state) => {
        this.#folder = state;
        if (state.kind === "error") node.error(toldError(state.error), {});
        if (state.kind === "held") showStatus(node, "waiting", statusText(t, "events-in.status.connecting"));
        this.show();
      },
    });
    return () => this.#close().finally(leave);
  }

  #readWithLease(ref: FleetRef): End {
    const { node, closed } = this.#context;
    const notice = leaseNotices(this.#context);
    const onState = (state: LeaseState): void => {
      if (closed.aborted) return;
      notice(state);
      if (state.kind === "error") node.error(toldError(state.error), {});
      this.show();
    };
    const shared = this.#share(ref, onState).catch((error: unknown) => {
      if (!closed.aborted) this.#refuse(error);
    });
    return async () => {
      await shared;
      await (node.leaseReading?.leave() ?? this.#close());
    };
  }

  async #share(ref: FleetRef, onState: (state: LeaseState) => void): Promise<void> {
    const { RED, node, def, name: consumer, fields, closed } = this.#context;
    const unset = unsetVariable(def);
    if (unset) throw unset;
    const channel = channelOf(RED.nodes, fields.settings.channel);
    const onWait: ReaderActivity["waitFor"] = (waitsFor) => this.#activity.waitFor(waitsFor);
    const channelId = await awaitChannel(this.#context, channel, closed, onWait);
    const service = serviceIdentity(channel.connection().baseUrl);
    const memory = new ConsumerMemory(RED, node, { consumer, channelId, service });
    node.leaseReading = await readByLease(RED, {
      ...{ ref, consumer, channelId, memory, close: this.#close, onState },
      open: (lease, fleet) => this.#lifecycle.open(byLease({ lease, fleet, memory })),
    });
    this.show();
  }
}
