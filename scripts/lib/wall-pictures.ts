// The pictures of the example of a dashboard, in use: alerts, one of them taken back, and two payments.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { root } from "./paths.mjs";
import { deploy, type FlowNode, save } from "./pictures.ts";

/** The secret of an approver, where pictures are taken. */
const SECRET = "a-long-secret";
export const APPROVERS = `anna:${SECRET}`;
const VIEWS = { "alert-wall": { width: 1280, height: 900 }, "alert-wall-phone": { width: 390, height: 844 } };
export const WALL_PICTURES = Object.keys(VIEWS);
/** Nobody waits for half a minute for each point of the chart. */
const QUICK: Record<string, object> = { trigger: { duration: "-2" }, "crec-alert": { slack: "2s" } };

/** @param url of the editor of a product with these approvers */
export async function takeWall(page: Page, url: string) {
  const shipped = await readFile(join(root, "examples/24-alert-wall.json"), "utf8");
  const flows = (JSON.parse(shipped) as FlowNode[]).map((node) => ({ ...node, ...QUICK[node.type] }));
  await deploy(url, flows);
  const shows = (selector: string) => page.locator(selector).first().waitFor({ timeout: 60_000 });
  const press = async (name: string, selector: string) => {
    const button = flows.find((node) => node.type === "inject" && node.name === name);
    const response = await fetch(new URL(`inject/${button?.id}`, url), { method: "POST" });
    if (!response.ok) throw new Error(`The example has no button "${name}".`);
    await shows(selector);
  };
  await page.setViewportSize(VIEWS["alert-wall"]);
  await page.goto(new URL("dashboard/alert-wall", url).href);
  // The first point: the channel is there, and events are read.
  await press("Set up", ".nrdb-ui-chart canvas");
  await page.waitForTimeout(5_000);
  await press("Receive 120 tokens, and undo them", ".wall-list del");
  await press("Receive 60 tokens", ".wall-warning");
  await press("Request 25 tokens", ".wall-payment");
  await page.getByLabel("Your secret").fill(SECRET);
  await page.getByRole("button", { name: "Approve" }).click();
  await shows(".wall-payment[data-status=confirmed]");
  await press("Request 25 tokens", ".wall-payment[data-status=waiting]");
  await press("Receive 120 tokens", ".wall-critical li:not([data-state=takenBack])");
  await page.locator(".nrdb-ui-table tbody tr", { hasText: "finalized" }).nth(3).waitFor({ timeout: 60_000 });
  for (const [name, size] of Object.entries(VIEWS)) {
    await page.setViewportSize(size);
    await page.reload();
    // The chart fits itself to its place in steps.
    await page.waitForTimeout(1_500);
    await save(page, name, { fullPage: true });
  }
}
