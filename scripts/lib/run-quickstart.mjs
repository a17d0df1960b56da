// @ts-check
// Runs the quickstart as a new user does, in a Node-RED that a check has started.
import { quickstartFlows } from "./node-red.mjs";

/** @typedef {import("./installed-node-red.mjs").FlowNode} FlowNode */
/** @typedef {import("./installed-node-red.mjs").InstalledNodeRed} InstalledNodeRed */

/**
 * Presses the buttons and waits for the verified event.
 *
 * @param {InstalledNodeRed} nodeRed
 * @param {readonly FlowNode[]} [more] what is imported before the quickstart
 * @returns {Promise<string>} what happened
 * @throws {Error} when a step does not complete
 */
export async function runQuickstart(nodeRed, more = []) {
  const flows = await importedFlows();
  await nodeRed.deploy([...more, ...flows]);
  await nodeRed.press(idOf(flows, "inject", "Set up"));
  await nodeRed.status(idOf(flows, "crec-create-watcher"), (text) => /active/.test(text));
  // Events are received from the beginning only after this.
  await nodeRed.status(idOf(flows, "crec-events-in"), (text) => /connected/.test(text));
  await nodeRed.press(idOf(flows, "inject", "Send 1 token"));
  await nodeRed.showing("verified", (value) => value.params?.value === "1000000000000000000");
  return "the quickstart runs, from the button to the verified event";
}

/**
 * Does the rest of the quickstart, after `runQuickstart`: the rejected copy, and the balance with its proof.
 *
 * @param {InstalledNodeRed} nodeRed
 * @returns {Promise<string>} what happened
 * @throws {Error} when a step does not complete
 */
export async function finishQuickstart(nodeRed) {
  const flows = await importedFlows();
  await nodeRed.press(idOf(flows, "inject", "Tamper"));
  await nodeRed.showing("rejected", (value) => value.verified === false);
  await nodeRed.press(idOf(flows, "inject", "Read balance"));
  await nodeRed.showing("balance", (value) => value.verified === true && Number(value.balance) >= 1);
  return "rejects a changed copy, and reads a balance with its proof";
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
