import type { Node, NodeAPI } from "node-red";
import { nodeError, shortText, toCodedError } from "../lib/errors.ts";
import { onInput } from "../lib/input.ts";
import { showStatus } from "../lib/status.ts";
import { unsetVariable } from "../lib/variables.ts";
import { command } from "./commands.ts";
import { openReader } from "./open-reader.ts";
import { type EventsInNode, registerPanel } from "./panel.ts";
import { claimPlace, nameTaken, type Standing } from "./place.ts";
import { type EventsInDef, placeOf } from "./settings.ts";
import { showState } from "./state.ts";
import { whenStarted } from "./when-started.ts";

/** Ports: events, and rejected ones. */
export default function register(RED: NodeAPI): void {
  function ConstructEventsIn(this: Node & EventsInNode, def: EventsInDef): void {
    RED.nodes.createNode(this, def);
    const closing = new AbortController();
    const name = String(def.consumer || this.id);
    let standing: Standing = "alone";
    let leave = () => {};

    const show = (): void => {
      if (standing !== "alone") showStatus(this, "trouble", shortText(nameTaken(name)));
      else if (this.reader) showState(RED, this, this.reader);
    };
    const open = async (): Promise<void> => {
      const unset = unsetVariable(def);
      if (unset) throw unset;
      this.reader = await openReader(RED, this, def, { name, show, signal: closing.signal });
      if (!closing.signal.aborted) this.reader.consumer.start();
    };
    let opened = false;
    const refuse = (thrown: unknown): void => {
      if (closing.signal.aborted) return;
      const error = toCodedError(thrown);
      showStatus(this, "trouble", shortText(error));
      this.error(error, {});
    };
    const claim = () => {
      leave = claimPlace(placeOf(RED, def, name), (now) => {
        if (closing.signal.aborted) return;
        if (now !== "alone" && standing === "alone") this.error(nameTaken(name), {});
        standing = now;
        show();
        if (now === "barred" || opened) return;
        opened = true;
        open().catch(refuse);
      });
    };
    const begin = () => {
      try {
        claim();
      } catch (error) {
        refuse(error);
      }
    };

    showStatus(this, "waiting", "events-in.status.connecting");
    // Before all flows are started, the nodes behind this one may not listen yet.
    const forget = whenStarted(RED, begin);
    onInput(RED, this, def, async ({ msg }) => {
      if (!this.reader) {
        throw nodeError(
          "NOT_CONNECTED",
          "There is nothing to pause, resume or seek yet: the node waits for its channel.",
        );
      }
      command(this.reader.consumer, msg);
      show();
    });
    this.on("close", (done: () => void) => {
      forget();
      closing.abort();
      // Whoever comes next to this place finds it written.
      (this.reader?.close() ?? Promise.resolve()).finally(leave).then(done, done);
    });
  }
  RED.nodes.registerType("crec-events-in", ConstructEventsIn);
  registerPanel(RED);
}
