// @ts-check
// The quickstart as a newcomer runs it, in a Node-RED that a check has started.
import { quickstartFlows } from "./node-red.mjs";

/** @typedef {import("./installed-node-red.mjs").FlowNode} FlowNode */
/** @typedef {import("./installed-node-red.mjs").InstalledNodeRed} InstalledNodeRed */

/**
 * From the button to the verified event.
 *
 * @param {InstalledNodeRed} nodeRed
 * @returns {Promise<string>} what happened
 * @throws {Error} when a step does not come to its end
 */
export async function runQuickstart(nodeRed) {
  const flows = await importedFlows();
  await nodeRed.deploy(flows);
  await nodeRed.press(idOf(flows, "inject", "Set up"));
  await nodeRed.showing("ready");
  // Only then are events received from the beginning on.
  await nodeRed.status(idOf(flows, "crec-events-in"), (text) => /connected/.test(text));
  await nodeRed.press(idOf(flows, "inject", "Send 1 token"));
  const { transactionHash } = await nodeRed.showing("operation");
  await nodeRed.showing(
    "verified",
    (value) => value.transactionHash === transactionHash && value.params?.value === "1000000000000000000",
  );
  return "the quickstart runs, from the button to the verified event";
}

/** @returns {Promise<FlowNode[]>} */
export async function importedFlows() {
  return /** @type {FlowNode[]} */ (await quickstartFlows());
}

/**
 * @param {readonly FlowNode[]} flows
 * @param {string} type
 * @param {string} [name]
 */
function idOf(flows, type, name) {
  const found = flows.find((node) => node.type === type && (name === undefined || node.name === name));
  if (!found) throw new Error(`there is no ${type} named "${name}" in the quickstart`);
  return found.id;
}
