import should from "should";
import { useEditor } from "../support/editor.ts";
import { example, idOf } from "../support/node-red.ts";
import { itWide } from "../support/wide.ts";

/** The guide docs/first-flow.md, done as it says. */
describe("the guide to the first flow", function () {
  this.timeout(180_000);
  const editor = useEditor();
  /** The ids of the dragged nodes. */
  let ids: Record<string, string> = {};

  beforeEach(async () => {
    editor().expect(/status of 404.*\/inject\//);
    const quickstart = await example("01-quickstart");
    await editor().openWith(quickstart);
    await editor().nodeRed.press(idOf(quickstart, "inject", "Set up"));
    await editor().nodeRed.status(idOf(quickstart, "crec-create-watcher"), /active/);
  });

  const drag = async (name: string, type: string, x: number, y: number) => {
    ids[name] = await editor().drag(type, { x, y });
  };
  const wire = (from: string, to: string, output?: number) =>
    editor().wire(ids[from] ?? "", ids[to] ?? "", output);
  const form = (name: string) => editor().formByDoubleClick(ids[name] ?? "");
  /** A deploy is answered before the new flows run: until then there is no such button. */
  const press = async (name: string) => {
    const { page } = editor();
    for (;;) {
      const answered = page.waitForResponse((response) => response.url().includes("/inject/"));
      await page.locator(`[id="${ids[name]}"] .red-ui-flow-node-button-button`).click();
      if ((await answered).ok()) return;
    }
  };

  const watchContract = async () => {
    ids = {};
    await editor().page.evaluate(addTab);
    await drag("create", "inject", 120, 100);
    await drag("watcher", "crec-create-watcher", 380, 100);
    await drag("watching", "debug", 780, 80);
    await wire("create", "watcher");
    await wire("watcher", "watching");
    const watcher = await form("watcher");
    const channel = await watcher.addConfig("channel");
    await channel.choose("channel service");
    await channel.fill("channel", "counting");
    await channel.fill("createMissing", true);
    await channel.done();
    const contract = await watcher.addConfig("contract");
    await contract.fill("name", "counter");
    await contract.fill("address", "${CREC_COUNTER_ADDRESS}");
    await contract.root.getByRole("button", { name: "counter", exact: true }).click();
    await contract.root.getByText("functions: 7 · events: 1").waitFor();
    await contract.settled("chainSelector", /^\d+$/);
    await contract.done();
    await watcher.fill("watcherName", "my-counter");
    await watcher.root.getByText("Incremented(").click();
    await watcher.done();
    await editor().deploy();
    await press("create");
    await editor().nodeRed.status(ids.watcher ?? "", /active/);
  };

  const receiveEvents = async () => {
    await drag("events", "crec-events-in", 120, 260);
    await drag("verify", "crec-verify-event", 420, 260);
    await drag("verified", "debug", 780, 240);
    await drag("rejected", "debug", 780, 300);
    await wire("events", "verify");
    await wire("verify", "verified");
    await wire("verify", "rejected", 1);
    const events = await form("events");
    await events.choose("counting");
    should(await events.shows("confidence")).equal("highest");
    await events.done();
    const verify = await form("verify");
    await verify.choose("counter");
    await verify.done();
    await editor().deploy();
    await editor().nodeRed.status(ids.events ?? "", /connected/);
  };

  const sendOperation = async () => {
    await drag("send", "inject", 120, 420);
    await drag("submit", "crec-submit-operation", 420, 420);
    await drag("sent", "debug", 780, 420);
    await wire("send", "submit");
    await wire("submit", "sent");
    const submit = await form("submit");
    await submit.choose("counting");
    await submit.choose("counter");
    await submit.choose("increment()");
    await submit.done();
    await editor().deploy();
    await press("send");
    const { value } = await editor().nodeRed.showing("debug 2", () => true);
    should(value).have.properties({ name: "Incremented", confidence: "finalized" });
    should((value as { params: object }).params).have.properties({ amount: "1", count: "1" });
  };

  const runQuery = async () => {
    await drag("read", "inject", 120, 560);
    await drag("query", "crec-run-query", 420, 560);
    await drag("count", "debug", 780, 560);
    await wire("read", "query");
    await wire("query", "count");
    const query = await form("query");
    await query.choose("counting");
    await query.choose("counter");
    await query.choose("count()");
    await query.done();
    await editor().deploy();
    await press("read");
    await editor().nodeRed.shows(({ name, value }) => name === "debug 5" && value === "1");
  };

  const correctError = async () => {
    const { nodeRed, page } = editor();
    const wrong = await form("submit");
    await wrong.choose("add(uint256)");
    await wrong.fillLabelled(/^amount \(/, "many");
    await wrong.done();
    await page.locator("#red-ui-header-button-deploy").click();
    await page.getByRole("button", { name: "Confirm deploy" }).click();
    await page.locator("#red-ui-header-button-deploy.disabled").waitFor();
    await press("send");
    await nodeRed.status(ids.submit ?? "", ({ fill }) => fill === "red");
    const right = await form("submit");
    await right.fillLabelled(/^amount \(/, "5");
    await right.done();
    await editor().deploy();
    await press("send");
    await nodeRed.status(ids.submit ?? "", "confirmed");
    await press("read");
    await nodeRed.shows(({ name, value }) => name === "debug 5" && value === "6");
  };

  it("watches a contract, and reads and verifies its events", async () => {
    for (const step of [watchContract, receiveEvents]) await step();
  });

  itWide(
    "watches a contract, verifies its events, acts, reads, and goes on after an error is corrected",
    async () => {
      for (const step of [watchContract, receiveEvents, sendOperation, runQuery, correctError]) await step();
    },
  );
});

function addTab(): void {
  const { RED } = globalThis as unknown as { RED: { actions: { invoke(name: string): void } } };
  RED.actions.invoke("core:add-flow");
}
