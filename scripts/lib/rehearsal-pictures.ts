// The pictures of the guide on rehearsals: the large-transfer example over half a day of a scenario, with three rules.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { root } from "./paths.mjs";
import { smallPng } from "./small-png.ts";

export type FlowNode = Record<string, any> & { id: string; type: string; name?: string };

export const REHEARSAL_PICTURES = ["rehearsal-dialog", "rehearsal", "rehearsal-compared", "rehearsal-drain"];
const EXAMPLE = "02-large-transfer-alert";
const SCENARIO = "drain";
const VIEW = { width: 1580, height: 1070 };
/** Beside the flow, only the panel is of interest. */
const ONLY_FLOW = `.red-ui-notification, .red-ui-popover, .red-ui-flow-node-status-group { display: none !important }
  * { transition: none !important; animation: none !important }`;

export async function takeRehearsal(
  page: Page,
  ready: { editor_url: string; base_url: string; api_key: string },
  deploy: (url: string, flows: FlowNode[]) => Promise<void>,
) {
  const response = await fetch(new URL(`local/scenarios/${SCENARIO}?seed=1`, ready.base_url), {
    headers: { Authorization: `Apikey ${ready.api_key}` },
  });
  if (!response.ok) throw new Error(`The service has no scenario: ${await response.text()}`);
  const buffer = Buffer.from(await response.arrayBuffer());
  const panel = page.locator(".crec-rehearsal");

  const show = async (flows: FlowNode[]) => {
    await deploy(ready.editor_url, flows);
    await page.goto(ready.editor_url);
    await page.locator("#red-ui-header-toolbar:not(.hide)").waitFor();
    await page.addStyleTag({ content: ONLY_FLOW });
    await page.evaluate(rehearse);
    const dialog = page.locator(".crec-rehearse-form");
    await dialog.getByLabel("Events").selectOption("file");
    await dialog
      .locator("input[type=file]")
      .setInputFiles({ name: `${SCENARIO}.json`, mimeType: "application/json", buffer });
  };
  const start = async () => {
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await panel.getByRole("button", { name: "Keep as a test" }).waitFor({ timeout: 60_000 });
    await page.evaluate(toFlow);
  };
  const take = async (name: string) => {
    const picture = await page.screenshot();
    await writeFile(join(root, "docs/images", `${name}.png`), smallPng(picture));
  };

  await page.setViewportSize(VIEW);
  await show(await flowsWith({ limit: 20 }));
  await take("rehearsal-dialog");
  await start();
  await take("rehearsal");
  await show(await flowsWith({ limit: 200 }));
  await start();
  await panel.getByRole("button", { name: "Compare with the previous" }).click();
  await panel.getByText("Compared with the previous rehearsal").waitFor();
  await take("rehearsal-compared");
  await show(await flowsWith({ limit: 200, sum: 300 }));
  await start();
  await page.locator(".crec-mark-chip", { hasText: "4 alerts" }).last().click();
  await panel.getByText("Wallet being emptied").first().click();
  await panel.getByText("tokens left").first().waitFor();
  await take("rehearsal-drain");
}

/** The example with another limit, and with a sum within an hour. */
async function flowsWith({ limit, sum }: { limit: number; sum?: number }): Promise<FlowNode[]> {
  const flows: FlowNode[] = JSON.parse(await readFile(join(root, "examples", `${EXAMPLE}.json`), "utf8"));
  const [tab, large] = [
    flows.find(({ type }) => type === "tab"),
    flows.find(({ name }) => name === "large?"),
  ];
  if (!tab || !large) throw new Error(`The example ${EXAMPLE} has changed.`);
  tab.env[0].value = String(limit);
  if (sum === undefined) return flows;
  const emptied = {
    ...large,
    ...{ id: "5d2a7c41e09b3f68", name: "emptied?", conditions: [], when: "sum", limit: String(sum) },
    ...{ within: "1h", forEach: "field", forEachField: "params.from", quiet: "1h" },
    ...{ title: "Wallet being emptied", text: "{{sum}} tokens left {{key}} in {{count}} parts" },
    ...{ x: large.x + 20, y: large.y + 80, wires: structuredClone(large.wires) },
  };
  large.wires[2] = [emptied.id];
  return [...flows, emptied];
}

// The functions below run in the page.

function rehearse() {
  (globalThis as any).RED.actions.invoke("crec:rehearse");
}

/** Shows the part of the flow that reads events. */
function toFlow() {
  const { document } = globalThis as any;
  document.querySelector("#red-ui-workspace-chart").scrollTo({ top: 180, left: 0 });
}
