import type { Node, NodeAPI } from "node-red";
import { formContext } from "../common/fields/field-reader.ts";
import { isDisabled } from "../common/fields/flow-settings.ts";
import { onInput } from "../common/fields/input.ts";
import { onFlowsStarted } from "../common/flows/flows-started.ts";
import { errorText } from "../common/messages/error-texts.ts";
import { toCodedError } from "../common/shared/errors.ts";
import { unsetVariable } from "../common/shared/variables.ts";
import { errorStatus, onReader, showStatus } from "../common/status/status.ts";
import { type AlertDef, NODE } from "./fields.ts";
import { removeMemory } from "./memory.ts";
import { AlertRuntime } from "./runtime.ts";

/** Outputs: alert, what became of an alert, and all other messages. */
export default function register(RED: NodeAPI): void {
  function ConstructAlert(this: Node, def: AlertDef): void {
    RED.nodes.createNode(this, def);
    const context = formContext(RED, this, NODE, def);
    let opened: Promise<AlertRuntime> | undefined;
    let isClosed = false;
    const host = (): Promise<AlertRuntime> => {
      opened ??= AlertRuntime.open(context);
      // Config nodes may be deployed alone, and correct what was wrong.
      opened.catch(() => {
        opened = undefined;
      });
      return opened;
    };
    const start = async (): Promise<void> => {
      const unset = unsetVariable(def);
      // Each message says it in the log.
      if (unset) return showStatus(this, "error", errorStatus(unset));
      const started = await host();
      if (!isClosed) await started.start();
    };
    // What is kept is sent to nodes that listen.
    const forget = onFlowsStarted(RED, () => {
      start().catch((thrown: unknown) => {
        const error = toCodedError(thrown);
        this.warn(errorText(error));
        showStatus(this, "error", errorStatus(error));
      });
    });
    onReader(this, (isStopped) => {
      host().then(
        (opened) => opened.readerStopped(isStopped),
        () => undefined,
      );
    });
    onInput(context, def, async (task) => (await host()).take(task), { isAlwaysOn: true });
    this.on("close", (isRemoved: boolean, done: () => void) => {
      isClosed = true;
      forget();
      const close = async () => {
        await (await opened?.catch(() => undefined))?.close({
          isDisabled: isRemoved && isDisabled(RED.nodes, this),
        });
        if (isRemoved) await removeMemory(RED, this);
      };
      close()
        .catch((thrown: unknown) => this.warn(errorText(thrown)))
        .then(done);
    });
  }
  RED.nodes.registerType("crec-alert", ConstructAlert);
}
