import type { Node, NodeAPI } from "node-red";
import { contractOf } from "../lib/runtime/config-nodes.ts";
import { fieldReader } from "../lib/runtime/field-reader.ts";
import { onInput } from "../lib/runtime/input.ts";
import { loadLibrary } from "../lib/runtime/library.ts";
import { showStatus } from "../lib/runtime/status.ts";
import { Alerting } from "./alerting.ts";
import { eachRule } from "./each-rule.ts";
import { type AlertDef, NODE } from "./fields.ts";
import { alertSettings } from "./settings.ts";

/** Outputs: alert, what became of an alert, and all other messages. */
export default function register(RED: NodeAPI): void {
  function ConstructAlert(this: Node, def: AlertDef): void {
    RED.nodes.createNode(this, def);
    const fields = fieldReader(RED, this, NODE, def);
    let opened: Promise<Alerting> | undefined;
    const open = async (): Promise<Alerting> => {
      const library = await loadLibrary();
      const { contract } = fields.settings;
      const decimals = contract ? contractOf(RED, contract).decimals : undefined;
      return new Alerting(RED, this, { fields, library, settings: alertSettings(fields, decimals) });
    };
    onInput(RED, this, def, async ({ msg, send, signal }) => {
      opened ??= open();
      const leaving = await (await opened).take(msg, eachRule, signal);
      for (const one of leaving.resolved) send(null, one, null);
      for (const one of leaving.alert) send(one, null, null);
      for (const one of leaving.passed) send(null, null, one);
      showStatus(this, "done", "alert.status.watching");
    });
  }
  RED.nodes.registerType("crec-alert", ConstructAlert);
}
