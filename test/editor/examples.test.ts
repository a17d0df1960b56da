import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import should from "should";
import { useEditor } from "../support/editor.ts";
import type { FlowNode } from "../support/node-red.ts";
import { overlapping } from "../support/overlapping.ts";
import { sized, withVariants } from "../support/variants.ts";

const folder = fileURLToPath(new URL("../../examples", import.meta.url));
/** Each needs a palette that Node-RED does not have here. The test of 24 opens it in an editor that has it. */
const NEED_A_PALETTE = ["22-e-mail-outlet.json", "24-alert-wall.json"];
const names = readdirSync(folder)
  .filter((file) => file.endsWith(".json") && !NEED_A_PALETTE.includes(file))
  .map((file) => file.replace(/\.json$/, ""))
  .sort();
const textOf = (name: string) => readFileSync(`${folder}/${name}.json`, "utf8");
const nodesOf = (name: string) => JSON.parse(textOf(name)) as FlowNode[];
const QUICKSTART = "01-quickstart";
const OTHERS = names.filter((name) => name !== QUICKSTART);

/** The name of the subflow that a node of an example is in. */
const nameOf = (name: string, z: unknown) =>
  nodesOf(name).find(({ id, type }) => type === "subflow" && id === z)?.name ?? "";

/** What all examples together need of each type. */
const SHARED = {
  "crec-connection": 1,
  "crec-signer": 1,
  // The demo token, the sensor registry, the guarded token and the settlement coordinator: one that an earlier import has
  // copied is taken by later ones.
  "crec-contract": 4,
  // Those that archive a watcher, or log all operations of a channel, have their own.
  "crec-channel": 3,
  // The one of the quickstart, and the device's that example 09 creates.
  "crec-wallet": 2,
  // Of the examples 02 and 21.
  "mqtt-broker": 2,
  "crec-fleet": 1,
};

const drawnIn = (name: string) => {
  const [tab, ...nodes] = nodesOf(name);
  return nodes.filter(({ z }) => z === tab?.id).length;
};

/** All nodes of all examples: what several have, such as the connection, once. */
const everyNode = [...new Map(names.flatMap(nodesOf).map((node) => [node.id, node])).values()];

describe("the examples, loaded together", function () {
  this.timeout(120_000);
  const editor = useEditor();

  before(() => editor().openWith(everyNode));

  it("have every node valid", async () => {
    for (const { type, valid, validationErrors } of await editor().inPage.nodes()) {
      should(valid).equal(true, `${type}: ${validationErrors.join(" ")}`);
    }
  });

  it("are drawn with no node over another, nor over its status", async () => {
    const { page } = editor();
    const found: string[] = [];
    for (const [label, count] of names.map((name) => [nodesOf(name)[0]?.label, drawnIn(name)] as const)) {
      await page.evaluate(showFlow, String(label));
      await page.waitForFunction(isDrawn, count);
      found.push(...(await page.evaluate(overlapping)).map((both) => `${label}: ${both}`));
    }
    should(found).be.empty();
  });

  it("are deployed without a warning", async () => {
    const { page } = editor();
    await page.evaluate("RED.nodes.dirty(true)");
    await editor().deploy();
    await page.locator(".red-ui-notification-success").first().waitFor({ timeout: 60_000 });
    const warnings = page.locator(".red-ui-notification-warning, .red-ui-notification-error");
    should(await warnings.allTextContents()).be.empty();
  });
});

/** With a contract of their own, with nodes of others, and with the same subflow. */
const IMPORTED = [
  "00-first-alert",
  "02-large-transfer-alert",
  "03-sensor-anchored",
  "13-ownership-or-role-changed",
];

describe("the examples, imported by hand", function () {
  this.timeout(300_000);
  const editor = useEditor();

  /** Imports an example as under Import → Examples, or as text, and returns the nodes that it added. */
  async function importing(name: string, from: "examples" | "text") {
    const { inPage, page } = editor();
    const before = new Set((await inPage.nodes()).map(({ id }) => id));
    if (from === "text") await editor().importText(textOf(name));
    else {
      await page.keyboard.press("Control+i");
      await page.locator("#red-ui-clipboard-dialog-import-tabs").getByText("Examples").click();
      const offered = page.locator("#red-ui-clipboard-dialog-import-tab-examples");
      await offered.getByText("@crec-nodes/node-red-crec").click();
      if (before.size > 0) {
        await offered.getByText(QUICKSTART).waitFor();
        // The simple ones first.
        const order = await offered.getByText(/^\d\d-/).allTextContents();
        should(order.slice(0, 2)).deepEqual(["00-first-alert", QUICKSTART]);
      }
      await offered.getByText(name).click();
      await page.locator("#red-ui-clipboard-dialog-ok").click();
    }
    const isThere = page.locator("#red-ui-notifications").getByText("already exist");
    if (before.size > 0) {
      await isThere.waitFor();
      await page.getByRole("button", { name: "Import copy" }).click();
      await isThere.waitFor({ state: "detached" });
    }
    return (await inPage.nodes()).filter(({ id }) => !before.has(id));
  }

  async function configNodes(): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { type, z } of await editor().inPage.nodes()) {
      if (z === "" || z === undefined) counts[type] = (counts[type] ?? 0) + 1;
    }
    return counts;
  }

  it("have every node valid after the quickstart, use its config nodes, and leave one of each subflow", async () => {
    await editor().openWith(nodesOf(QUICKSTART));
    const known = new Set(nodesOf(QUICKSTART).map(({ id }) => id));
    for (const name of sized(IMPORTED, OTHERS)) {
      const isThere = await editor().inPage.subflows();
      const wanted = nodesOf(name).filter(
        ({ id, type, z }) =>
          type !== "tab" && type !== "subflow" && !known.has(id) && !isThere.includes(nameOf(name, z)),
      );
      // A contract that an earlier import has copied is taken by later ones.
      for (const { id, type } of wanted) if (type === "crec-contract") known.add(id);
      const arrived = await importing(name, "examples");
      // A subflow has a new id, and so has its type.
      const typesOf = (nodes: ReadonlyArray<{ type: string }>) =>
        nodes.map(({ type }) => type.replace(/^subflow:.*/, "subflow")).sort();
      should(typesOf(arrived)).deepEqual(typesOf(wanted), name);
      for (const { type, valid, validationErrors } of arrived) {
        should(valid).equal(true, `${name}, ${type}: ${validationErrors.join(" ")}`);
      }
    }
    const { "crec-connection": connections, "crec-signer": signers } = await configNodes();
    should([connections, signers]).deepEqual([1, 1]);
    should(await editor().inPage.subflows()).deepEqual(["notify"]);
    if (withVariants) should(await configNodes()).deepEqual(SHARED);
  });

  it("leave one guarded token, which all use that need it, also after undo and redo", async () => {
    const { page, inPage } = editor();
    await editor().openWith(nodesOf(QUICKSTART));
    for (const name of ["13-ownership-or-role-changed", "16-unknown-spender"]) await importing(name, "text");
    const contracts = () => page.evaluate(contractsIn);
    const both = await contracts();
    should(both.map(({ name }) => name)).deepEqual(["demo token", "guarded token"]);
    const [, { users }] = both as [object, { users: string[] }];
    should(users.length).be.above(2);
    should(new Set(users).size).equal(users.length);
    await page.evaluate("RED.history.pop()");
    should((await contracts())[1]?.users.length).be.within(1, users.length - 1);
    await page.evaluate("RED.history.redo()");
    should(await contracts()).deepEqual(both);
    for (const { type, valid } of await inPage.nodes()) should(valid).equal(true, type);
  });

  it("leave one connection in any order, pasted as text", async () => {
    await editor().openWith([]);
    for (const name of ["06-balance-on-schedule", QUICKSTART]) {
      await importing(name, "text");
      should(await configNodes()).have.property("crec-connection", 1);
    }
  });
});

describe("the quickstart in a window of 1280 × 800", function () {
  this.timeout(60_000);
  const editor = useEditor();
  let size: { width: number; height: number } | null;

  before(async () => {
    const { page } = editor();
    size = page.viewportSize();
    await page.setViewportSize({ width: 1280, height: 800 });
    await editor().openWith(nodesOf(QUICKSTART));
  });
  after(async () => {
    if (size) await editor().page.setViewportSize(size);
  });

  it("has every node in view, beside the sidebar with the debug messages", async () => {
    const { page } = editor();
    const box = async (selector: string) => {
      const found = await page.locator(selector).first().boundingBox();
      if (!found) throw new Error(`${selector} is not visible.`);
      return found;
    };
    await page.locator(".red-ui-debug-content-list").waitFor();
    const [chart, sidebar, footer] = await Promise.all(
      ["#red-ui-workspace-chart", "#red-ui-sidebar", "#red-ui-workspace-footer"].map(box),
    );
    const drawn = page.locator(".red-ui-flow-node-group");
    should(await drawn.count()).equal(drawnIn(QUICKSTART));
    for (const node of await drawn.all()) {
      const text = await node.textContent();
      const { x = 0, y = 0, width = 0, height = 0 } = (await node.boundingBox()) ?? {};
      should(x).be.aboveOrEqual(chart?.x ?? 0, `${text}: left`);
      should(y).be.aboveOrEqual(chart?.y ?? 0, `${text}: top`);
      should(x + width).be.belowOrEqual(sidebar?.x ?? 0, `${text}: right`);
      should(y + height).be.belowOrEqual(footer?.y ?? 0, `${text}: bottom`);
    }
  });
});

// The functions below run in the page.

type Contract = { type: string; name: string; users: Array<{ id: string }> };

function contractsIn(): Array<{ name: string; users: string[] }> {
  const { RED } = globalThis as unknown as {
    RED: { nodes: { eachConfig(each: (one: Contract) => void): void } };
  };
  const found: Array<{ name: string; users: string[] }> = [];
  RED.nodes.eachConfig(({ type, name, users }) => {
    if (type === "crec-contract") found.push({ name, users: users.map(({ id }) => id).sort() });
  });
  return found.sort((one, other) => one.name.localeCompare(other.name));
}

type Editor_ = {
  document: { querySelectorAll(selector: string): { length: number } };
  RED: {
    nodes: {
      eachWorkspace(each: (flow: { id: string; label: string }) => void): void;
    };
    workspaces: { show(id: string): void };
  };
};

function showFlow(label: string): void {
  const { RED } = globalThis as unknown as Editor_;
  RED.nodes.eachWorkspace((flow) => {
    if (flow.label === label) RED.workspaces.show(flow.id);
  });
}

function isDrawn(count: number): boolean {
  const { document } = globalThis as unknown as Editor_;
  return document.querySelectorAll(".red-ui-flow-node-group").length === count;
}
