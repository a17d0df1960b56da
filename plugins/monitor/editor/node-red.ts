import { word } from "./words.ts";

/**
 * The name of a node as its flow shows it. Node-RED tells of a node without a name only its type, such as
 * `events in`; the editor shows it as `Transfer · quickstart`.
 *
 * @param label as Node-RED sent it
 */
export function nodeName(id: string, label: string): string {
  const node = RED.nodes.node(id);
  if (!node || (node.name ?? "") !== "") return label;
  return RED.utils.getNodeLabel(node, label) || label;
}

export function isInEditor(id: string): boolean {
  return RED.nodes.node(id) !== null && RED.nodes.node(id) !== undefined;
}

/** Shows a node in its flow; of a config node, which has no place in a flow, its form. */
export function showNode(id: string): void {
  const node = RED.nodes.node(id);
  if (!node || isConfig(node)) {
    openForm(id);
    return;
  }
  RED.view.reveal(id);
  RED.view.select({ nodes: [node] });
}

export function openForm(id: string): void {
  const node = RED.nodes.node(id);
  if (!node) say(word("error.no-node"), "warning");
  else if (RED.editor.getEditStack().length > 0) say(word("error.form-open"), "warning");
  else if (isConfig(node)) RED.editor.editConfig("", node.type, id);
  else RED.editor.edit(node);
}

function isConfig(node: object): boolean {
  return (node as { _def?: { category?: string } })._def?.category === "config";
}

/** A notice of Node-RED. It takes texts for HTML: this one is shown as it is. */
export function say(text: string, type: "success" | "warning" | "error"): void {
  RED.notify($("<p>").text(text), { type, timeout: type === "success" ? 3_000 : 8_000 });
}

/** What Node-RED tells its editor. */
type RuntimeState = { state?: "start" | "stop" | "safe"; deploy?: boolean };

/** Calls back now, and whenever the flows are stopped or run again: by a person, in safe mode, without a node type. */
export function onFlowsStopped(call: (areStopped: boolean) => void): void {
  RED.events.on("runtime-state", (told) => {
    const { state, deploy } = told as unknown as RuntimeState;
    // A deploy starts them again.
    if (state !== undefined && !(deploy && state === "stop")) call(state !== "start");
  });
  // Where Node-RED has not told it yet, nothing is shown yet either.
  call(RED.runtime?.started === false);
}

/**
 * Reports whether a part of the page can be seen: its tab is chosen, the sidebar is open, and the browser shows the page.
 * Node-RED informs a tab only when it is opened. A part that is hidden has no size.
 */
export function whenShown(part: HTMLElement, onChange: (isShown: boolean) => void): void {
  let isShown = false;
  const look = (): void => {
    const { width, height } = part.getBoundingClientRect();
    const isNow = width > 0 && height > 0 && document.visibilityState === "visible";
    if (isNow === isShown) return;
    isShown = isNow;
    onChange(isShown);
  };
  new ResizeObserver(look).observe(part);
  document.addEventListener("visibilitychange", look);
}
