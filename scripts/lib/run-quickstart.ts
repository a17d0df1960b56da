// Runs the quickstart as a new user does, in a Node-RED that a check has started.
import type { FlowNode, NodeRed } from "../../test/support/node-red.ts";
import { quickstartFlows } from "./node-red.ts";

const WAIT_MS = 120_000;

export const importedFlows = async () => (await quickstartFlows()) as FlowNode[];

/**
 * Presses the buttons, and waits for the verified event.
 *
 * @param more what is imported before the quickstart
 * @param isWhole also does the rest: the rejected copy, and the balance with its proof
 * @returns what happened
 */
export async function runQuickstart(nodeRed: NodeRed, more: readonly FlowNode[] = [], isWhole = false) {
  const flows = await importedFlows();
  const idOf = (type: string, name?: string) => {
    const found = flows.find((node) => node.type === type && (name === undefined || node.name === name));
    if (!found) throw new Error(`there is no ${type} named "${name}" in the quickstart`);
    return found.id;
  };
  const press = (name: string) => nodeRed.press(idOf("inject", name));
  const shows = (name: string, accept: (value: Shown) => boolean) => {
    const reported = nodeRed.shown("error")[0];
    if (reported) throw new Error(`the flow reported an error: ${JSON.stringify(reported.value)}`);
    return nodeRed.showing(name, (value) => accept(value as Shown), WAIT_MS);
  };
  await nodeRed.deploy([...more, ...flows]);
  await press("Set up");
  await nodeRed.status(idOf("crec-create-watcher"), /active/, WAIT_MS);
  // Events are received from the beginning only after this.
  await nodeRed.status(idOf("crec-events-in"), /connected/, WAIT_MS);
  await press("Send 1 token");
  await shows("verified", ({ params }) => params?.value === "1000000000000000000");
  if (!isWhole) return "the quickstart runs, from the button to the verified event";
  await press("Tamper");
  await shows("rejected", ({ verified }) => verified === false);
  await press("Read balance");
  await shows("balance", ({ verified, balance }) => verified === true && Number(balance) >= 1);
  return "the quickstart runs, rejects a changed copy, and reads a balance with its proof";
}

type Shown = { params?: { value?: string }; verified?: boolean; balance?: string };
