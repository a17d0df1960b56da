import type { ConfigNode } from "./api.ts";
import { trackOpen } from "./form-open.ts";

/** Tells of each node that is made or changed while this part of a form is open, as by a pencil in the form. */
export function onNodeChange(container: JQuery, changed: (node: ConfigNode) => void): void {
  RED.events.on("nodes:add", changed);
  RED.events.on("nodes:change", changed);
  trackOpen(container, () => {
    RED.events.off("nodes:add", changed);
    RED.events.off("nodes:change", changed);
  });
}

/** The same of contracts only. */
export function onContractChange(container: JQuery, changed: (contract: ConfigNode) => void): void {
  onNodeChange(container, (node) => {
    if (node.type === "crec-contract") changed(node);
  });
}
