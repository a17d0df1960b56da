import type { Node, NodeAPI } from "node-red";
import { formContext } from "../common/fields/field-reader.ts";
import { onInput, type Task } from "../common/fields/input.ts";
import { onFlowsStarted, watchRestarts } from "../common/flows/flows-started.ts";
import { nodeError } from "../common/shared/errors.ts";
import { noteReader } from "../common/status/channel-progress.ts";
import { showStatus, statusText } from "../common/status/status.ts";
import { activity } from "../common/telemetry/activity.ts";
import { registerPanel } from "./admin/panel.ts";
import type { EventsInNode } from "./context.ts";
import { type EventsInDef, NODE } from "./fields.ts";
import { refuseOnStandby } from "./fleet/read-by-lease.ts";
import { command } from "./reader/commands.ts";
import { NodeReading } from "./reader/node-reading.ts";

/** Outputs: events, rejected events, and notices. */
export default function register(RED: NodeAPI): void {
  function ConstructEventsIn(this: Node & EventsInNode, def: EventsInDef): void {
    RED.nodes.createNode(this, def);
    const name = String(def.consumer || this.id);
    const context = { ...formContext(RED, this, NODE, def), def, name };
    const reading = new NodeReading(context);
    const forgetReader = noteReader({
      ...{ node: this.id, label: this.name || name, channelNode: reading.channelNode, consumer: name },
      isAway: () => reading.isAway,
      reading: () => this.reader,
    });
    const forgetReports = activity.readers.add(() => reading.report());
    showStatus(this, "waiting", statusText(context.t, "events-in.status.connecting"));
    // Before all flows are started, the nodes behind this one may not listen yet.
    const forgetStart = onFlowsStarted(RED, () => reading.begin());
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
      reading.show();
    };
    onInput(context, def, act, { isAlwaysOn: true });
    this.on("close", (done: () => void) => {
      forgetStart();
      forgetReader();
      forgetReports();
      reading.close().then(done, done);
    });
  }
  RED.nodes.registerType("crec-events-in", ConstructEventsIn);
  registerPanel(RED);
  watchRestarts(RED);
}
