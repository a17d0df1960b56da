import type { Request } from "playwright-core";
import should from "should";
import { useEditor } from "../support/editor.ts";
import type { Form } from "../support/editor-form.ts";
import { ask, harnessFlow } from "../support/flow-harness.ts";
import type { FlowNode } from "../support/node-red.ts";
import {
  channelNode,
  connectionNode,
  contractNode,
  createWatcherNode,
  eventsInNode,
  verifyEventNode,
} from "../support/nodes.ts";

describe("the form of events in", function () {
  this.timeout(120_000);
  const editor = useEditor();
  const WARNING = "No watcher has the event Transfr. Watchers have: Transfer.";

  before(async () => {
    const { service, nodeRed } = editor();
    await editor().openWith(
      harnessFlow(
        [
          connectionNode(service.ready),
          channelNode({ channel: "watched", createMissing: true }),
          contractNode(service.ready),
        ],
        [
          [createWatcherNode(), 2],
          [eventsInNode({ id: "reader", contractEvent: "Transfer", types: ["watcher.event"] }), 3],
          [verifyEventNode(), 3],
          [{ id: "search", type: "crec-search-events", channel: "channel", types: ["watcher.event"] }, 1],
          [eventsInNode({ id: "advanced", consumer: "reads-slowly", crashes: "9" }), 3],
        ] as ReadonlyArray<[FlowNode, number]>,
      ),
    );
    await ask(nodeRed, "watcher", {});
  });

  const summary = (form: Form) => form.root.locator("#crec-events-in-summary");
  const says = (form: Form, text: string) => summary(form).getByText(text, { exact: true }).waitFor();

  it("of a new node says that it sends verified contract events, each once, at the highest confidence", async () => {
    const id = await editor().drag("crec-events-in", { x: 400, y: 500 });
    const { inPage } = editor();
    should((await inPage.stored(id)).values).containDeep({
      ...{ types: ["watcher.event"], confidence: "highest", verify: true },
    });
    const form = await editor().form(id);
    await form.fill("channel", "channel");
    await says(
      form,
      "Sends verified contract events at the highest confidence of their network (finalized here).",
    );
    await form.fill("confidence", "latest");
    await form.fill("verify", false);
    await says(form, "Sends contract events at every confidence.");
    await form.fill("confidence", "finalized");
    await form.fill("contractEvent", "Transfer, Approval");
    await says(form, "Sends contract events (Transfer, Approval) from finalized blocks.");
    await form.fill("contractEvent", "");
    await form.root.locator("#crec-events-in-types-watcher-event").setChecked(false);
    await says(form, "Sends events of all types.");
    await form.done();
    // A copy, and a node that was stored before, keep what they say.
    should((await inPage.stored(id)).values).containDeep({ types: [], confidence: "finalized" });
    const stored = await editor().form("reader");
    should(await stored.shows("confidence")).equal("");
    await says(stored, "Sends verified contract events (Transfer) at every confidence.");
    await stored.cancel();
  });

  it("keeps what an imported node says, also by saying nothing", async () => {
    const { inPage } = editor();
    const before = new Set((await inPage.nodes()).map(({ id }) => id));
    const written = {
      id: "written",
      type: "crec-events-in",
      z: "",
      channel: "channel",
      x: 400,
      y: 600,
      wires: [],
    };
    await editor().importText(JSON.stringify([written]));
    const imported = (await inPage.nodes()).find(({ id }) => !before.has(id));
    const { confidence, types, consumer } = (await inPage.stored(imported?.id ?? "")).values;
    should([confidence ?? "", types ?? []]).deepEqual(["", []]);
    should(consumer).match(/^events-/);
  });

  it("says under which header a value is set, of a node that was stored and of a new one", async () => {
    const headers = async (id: string) => {
      const form = await editor().form(id);
      const found = await form.root.locator("details > summary").allTextContents();
      await form.cancel();
      return found;
    };
    should(await headers("advanced")).containDeep(["Verification", "Reliability · changed", "State"]);
    const id = await editor().drag("crec-events-in", { x: 400, y: 550 });
    should(await headers(id)).deepEqual(["More filters", "Verification", "Reliability", "Advanced", "State"]);
  });

  it("offers the names that watchers have, and warns of one that none has; so do verify and search events", async () => {
    const { page } = editor();
    for (const [id, name] of [
      ["reader", "contractEvent"],
      ["verify", "expectEvents"],
      ["search", "contractEvent"],
    ] as const) {
      const form = await editor().form(id);
      await form.box(name).fill("");
      await form.box(name).press("Shift");
      const offered = page.locator(".red-ui-autoComplete-container:visible li", {
        hasText: "harness-transfers",
      });
      await offered.getByText("Transfer", { exact: true }).click();
      should(await form.field(name).inputValue()).equal("Transfer");
      await form.fill(name, "Transfr");
      await form.root.getByText(WARNING).waitFor();
      await form.fill(name, "Transfer");
      await form.root.getByText(WARNING).waitFor({ state: "hidden" });
      await form.cancel();
    }
  });

  it("warns of nothing where the watchers cannot be listed", async () => {
    const { page } = editor();
    const broken = { problem: "The service cannot be reached.", code: "SERVICE_UNREACHABLE" };
    await page.route("**/crec/lookup/watcher-events/**", (route) => route.fulfill({ json: broken }));
    // Nothing is remembered of an earlier answer. The editor may ask as it loads.
    const answered = page.waitForResponse(/watcher-events/);
    await editor().reload();
    const form = await editor().form("reader");
    await answered;
    await form.fill("contractEvent", "Transfr");
    await says(form, "Sends verified contract events (Transfr) at every confidence.");
    should(await form.root.getByText(WARNING).count()).equal(0);
    await form.cancel();
    await page.unroute("**/crec/lookup/watcher-events/**");
  });

  it("sends the last event only after a question, and says what became of it", async () => {
    const { page, service, nodeRed } = editor();
    const dialog = page.locator(".ui-dialog:has(.crec-dialog)");
    const press = async (form: Form, button: string) => {
      await form.root.locator("#crec-events-in-last").click();
      await dialog.getByText(/email, MQTT or HTTP request really send/).waitFor();
      await dialog.getByRole("button", { name: button, exact: true }).click();
      await dialog.waitFor({ state: "detached" });
    };
    const form = await editor().form("reader");
    const posts: string[] = [];
    const note = (request: Request) => {
      if (request.method() === "POST" && request.url().endsWith("/last")) posts.push(request.url());
    };
    page.on("request", note);
    await press(form, "Cancel");
    should(posts).be.empty();
    page.off("request", note);
    await press(form, "Send");
    await form.root.getByText("The channel has no matching event yet.").waitFor();
    const answer = await fetch(`${service.ready.base_url}/local/faucet`, {
      method: "POST",
      headers: { authorization: `Apikey ${service.ready.api_key}`, "content-type": "application/json" },
      body: JSON.stringify({ to: "0x00000000000000000000000000000000DeaDBeef", amount: "1" }),
    });
    should(answer.ok).be.true();
    await nodeRed.showing("reader:0");
    await press(form, "Send");
    await form.root.getByText(/^Sent by the first output: watcher\.event\/Transfer, offset \d+\.$/).waitFor();
    await nodeRed.showing("reader:0", (value) => (value as { crec: { test?: boolean } }).crec.test === true);
    await form.cancel();
  });
});
