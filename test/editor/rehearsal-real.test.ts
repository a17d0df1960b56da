import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import should from "should";
import { root } from "../../scripts/lib/paths.mjs";
import { type ChannelEvent, CrecClient } from "../../src/index.ts";
import { markChosen } from "../support/chosen-rehearsal.ts";
import { useEditor } from "../support/editor.ts";
import { eventually } from "../support/eventually.ts";
import { example, type FlowNode, idOf } from "../support/node-red.ts";
import { flowEnvironment } from "../support/service.ts";

const COMMAND = join(root, "bin/crec-rehearse.cjs");
const RECEIVER = "0x0000000000000000000000000000000000000D02";
/** In tokens. Two are at least 100, and one is at least 200, as the example has it. */
const TRANSFERS = [250, 30, 120];
/** Of a scenario: three of these transfers are as large. */
const EVENTS = 120;
/** A rehearsal leaves the processor to others, such as the tests beside this one. */
const REPORT_MS = 150_000;

/**
 * The way of a person from a guess to a rule that is kept as a test, with the events of a real service and the command. What
 * the dialog and the panel show is in rehearsal.test.ts.
 */
describe("a real rehearsal in the editor", function () {
  this.timeout(180_000);
  const editor = useEditor();
  let flows: FlowNode[];
  let folder: string;
  let panel: Locator;
  let dialog: Locator;
  const file = (name: string) => join(folder, name);

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "rehearsal-real-"));
    flows = await example("02-large-transfer-alert");
    const { page, nodeRed } = editor();
    await page.setViewportSize({ width: 1280, height: 800 });
    await editor().openWith(flows);
    await nodeRed.press(idOf(flows, "inject", "Set up"));
    await nodeRed.status(idOf(flows, "crec-create-watcher"), /active/);
    for (const tokens of TRANSFERS)
      await call("POST", "/local/faucet", { to: RECEIVER, amount: `${tokens}${"0".repeat(18)}` });
    await untilFinal();
    const recorded = await call<{ events: unknown[] }>("GET", "/local/scenarios/drain?seed=1");
    const few = { ...recorded, events: recorded.events.slice(0, EVENTS) };
    await writeFile(file("events.json"), JSON.stringify(few));
    panel = page.locator(".crec-rehearsal");
    dialog = page.locator(".crec-rehearse-form");
  });
  after(async () => {
    await editor().page.setViewportSize({ width: 1500, height: 1200 });
    await rm(folder, { recursive: true, force: true });
  });

  async function call<T>(method: "GET" | "POST", path: string, body?: object): Promise<T> {
    const { base_url, api_key } = editor().service.ready;
    const response = await fetch(`${base_url}${path}`, {
      method,
      headers: { authorization: `Apikey ${api_key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    return (await response.json()) as T;
  }

  /** Each transfer becomes two events: one of its newest block, and one when the block is final. */
  async function untilFinal(): Promise<void> {
    const { base_url: baseUrl, api_key: apiKey } = editor().service.ready;
    const client = new CrecClient({ baseUrl, apiKey });
    try {
      const channel = await client.channels.findByName("quickstart");
      const isTransfer = ({ headers }: ChannelEvent) => headers.type === "watcher.event";
      await eventually(
        "the final transfers",
        () => client.events.poll(String(channel?.channel_id), { limit: 100 }),
        ({ events }) => events.filter(isTransfer).length >= 2 * TRANSFERS.length,
      );
    } finally {
      await client.close();
    }
  }

  /** Changes the rule in its form, and deploys nothing. */
  async function setThreshold(tokens: number): Promise<void> {
    const form = await editor().form(idOf(flows, "crec-alert", "large?"));
    await form.fillLabelled("condition 1: value", { type: "str", value: String(tokens) });
    await form.done();
  }

  /** Runs the command as CI does, on what the editor exports. */
  async function command(name: string): Promise<{ code: number; out: string }> {
    await writeFile(file(name), await editor().inPage.completeFlow());
    const env = { PATH: process.env.PATH, ...flowEnvironment(editor().service.ready) } as NodeJS.ProcessEnv;
    const files = ["--flow", file(name), "--events", file("events.json"), "--expect", file("expect.json")];
    return new Promise((resolve) => {
      execFile(process.execPath, [COMMAND, ...files], { cwd: root, env }, (error, out, err) =>
        resolve({ code: error ? Number(error.code) : 0, out: out + err }),
      );
    });
  }

  const press = (name: string, within = panel) => within.getByRole("button", { name }).click();
  const start = async () => {
    await markChosen(editor());
    await press("Start", editor().page.locator(".ui-dialog"));
  };
  const shot = async (name: string) => {
    if (process.env.SHOTS) await editor().page.screenshot({ path: `${process.env.SHOTS}/${name}.png` });
  };
  /** Waits for the report, and returns how many alerts it has. */
  async function alerts(): Promise<number> {
    const kind = panel.getByRole("button", { name: /^[\d,]+ alerts?$/ });
    await kind.waitFor({ timeout: REPORT_MS });
    return Number.parseInt((await kind.textContent())?.replaceAll(",", "").trim() ?? "", 10);
  }

  it("rehearses a rule that is not deployed, over the last hour and a file, and keeps a test for the command", async () => {
    const { page } = editor();
    await setThreshold(100);
    await page.evaluate("RED.actions.invoke('crec:rehearse')");
    await dialog.waitFor();
    await dialog.getByLabel("Events").selectOption("last");
    await dialog.getByLabel("Hours").fill("1");
    await start();
    await shot("real-running");
    should(await alerts()).equal(2);
    await shot("real-service");

    await press("Change choices…");
    await dialog.getByLabel("Events").selectOption("file");
    await dialog.locator('input[type="file"]').setInputFiles(file("events.json"));
    await start();
    await panel.locator("progress").waitFor();
    should(await alerts()).equal(3);
    await shot("real-file");

    const saved = page.waitForEvent("download");
    await press("Keep as a test");
    await (await saved).saveAs(file("expect.json"));
    const { code, out } = await command("kept.json");
    should(code).equal(0, out);
  });
});
