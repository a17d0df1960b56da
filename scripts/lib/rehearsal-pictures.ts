// The pictures of the guide on rehearsals: the large-transfer example over half a day of a scenario, with three rules.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { root } from "./paths.mjs";
import { deploy, type FlowNode, load, type Ready, STILL, save, VIEW } from "./pictures.ts";

export const REHEARSAL_PICTURES = ["rehearsal-dialog", "rehearsal", "rehearsal-compared", "rehearsal-drain"];
const EXAMPLE = "02-large-transfer-alert";
const SCENARIO = "drain";

export async function takeRehearsal(page: Page, ready: Ready) {
  const response = await fetch(new URL(`local/scenarios/${SCENARIO}?seed=1`, ready.base_url), {
    headers: { Authorization: `Apikey ${ready.api_key}` },
  });
  if (!response.ok) throw new Error(`The service has no scenario: ${await response.text()}`);
  const buffer = Buffer.from(await response.arrayBuffer());
  const panel = page.locator(".crec-rehearsal");

  const show = async (rule: { limit: number; sum?: number }) => {
    await deploy(ready.editor_url, await flowsWith(rule));
    await load(page, ready.editor_url);
    // Beside the flow, only the panel is of interest.
    await page.addStyleTag({ content: STILL });
    await page.evaluate("RED.actions.invoke('crec:rehearse')");
    const dialog = page.locator(".crec-rehearse-form");
    await dialog.getByLabel("Events").selectOption("file");
    const file = { name: `${SCENARIO}.json`, mimeType: "application/json", buffer };
    await dialog.locator("input[type=file]").setInputFiles(file);
  };
  const start = async () => {
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await panel.getByRole("button", { name: "Keep as a test" }).waitFor({ timeout: 60_000 });
    // The part of the flow that reads events.
    await page.evaluate('document.querySelector("#red-ui-workspace-chart").scrollTo({ top: 180, left: 0 })');
  };

  await page.setViewportSize(VIEW);
  await show({ limit: 20 });
  await save(page, "rehearsal-dialog");
  await start();
  await save(page, "rehearsal");
  await show({ limit: 200 });
  await start();
  await panel.getByRole("button", { name: "Compare with the previous" }).click();
  await panel.getByText("Compared with the previous rehearsal").waitFor();
  await save(page, "rehearsal-compared");
  await show({ limit: 200, sum: 300 });
  await start();
  await page.locator(".crec-mark-chip", { hasText: "4 alerts" }).last().click();
  await panel.getByText("Wallet being emptied").first().click();
  await panel.getByText("tokens left").first().waitFor();
  await save(page, "rehearsal-drain");
}

type Tab = FlowNode & { env: [{ value: string }] };
type AlertNode = FlowNode & { x: number; y: number; wires: string[][] };

/** The example with another limit, and with a sum within an hour. */
async function flowsWith({ limit, sum }: { limit: number; sum?: number }): Promise<FlowNode[]> {
  const flows: FlowNode[] = JSON.parse(await readFile(join(root, "examples", `${EXAMPLE}.json`), "utf8"));
  const tab = flows.find(({ type }) => type === "tab") as Tab | undefined;
  const large = flows.find(({ name }) => name === "large?") as AlertNode | undefined;
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
