import should from "should";
import { useEditor } from "../support/editor.ts";
import type { FlowNode } from "../support/node-red.ts";

const reader = (id: string, z: string, consumer: string): FlowNode => ({
  ...{ id, z, consumer, type: "crec-events-in", x: 200, y: 100, types: [], wires: [[], [], []] },
});
const FLOWS: FlowNode[] = [
  { id: "shown-tab", type: "tab", label: "shown" },
  { id: "hidden-tab", type: "tab", label: "hidden" },
  { id: "template", type: "subflow", name: "Reads", in: [], out: [], env: [] },
  reader("on-shown", "shown-tab", "payments"),
  reader("on-hidden", "hidden-tab", "orders"),
  reader("twin-one", "hidden-tab", "twins"),
  reader("twin-two", "hidden-tab", "twins"),
  reader("inside", "template", "refunds"),
  reader("by-variable", "template", "${CONSUMER}"),
  { id: "instance", z: "shown-tab", type: "subflow:template", x: 400, y: 300, wires: [] },
];
const NAMES = ["${CONSUMER}", "orders", "payments", "refunds", "twins", "twins"];
const NEW_NAME = /^events-[0-9a-f]{16}$/;

type Read = { id: string; z: string; consumer: string };
/** What Node-RED's own dialog for an import calls. */
type ImportOptions = { generateIds?: boolean; importMap?: Record<string, string> };

describe("events in nodes that are copied", function () {
  this.timeout(120_000);
  const editor = useEditor();
  beforeEach(() => editor().openWith(FLOWS));

  const readers = async (): Promise<Read[]> =>
    (JSON.parse(await editor().inPage.completeFlow()) as Array<Read & { type: string }>)
      .filter(({ type }) => type === "crec-events-in")
      .map(({ id, z, consumer }) => ({ id, z, consumer }));
  const ids = new Set(FLOWS.map(({ id }) => id));
  /** Those that are new, by the names that they have; the others have kept theirs. */
  const copies = async (): Promise<Read[]> => {
    const all = await readers();
    should(
      all
        .filter(({ id }) => ids.has(id))
        .map(({ consumer }) => consumer)
        .sort(),
    ).deepEqual(NAMES);
    return all.filter(({ id }) => !ids.has(id));
  };
  const importNodes = (nodes: readonly FlowNode[], options: ImportOptions) =>
    editor().page.evaluate(
      `RED.view.importNodes(${JSON.stringify(nodes)}, ${JSON.stringify({ notify: false, touchImport: true, ...options })}); undefined`,
    );
  const tabOf = (id: string) => FLOWS.filter((node) => node.id === id || node.z === id);

  it("keep their names when they are loaded, also two that were deployed with one", async () => {
    should(await copies()).be.empty();
  });

  it("get new names by Import copy, on tabs that are not shown, too", async () => {
    const { page } = editor();
    await page.keyboard.press("Control+i");
    const box = page.locator("#red-ui-clipboard-dialog-import-text");
    await box.fill(JSON.stringify([...tabOf("shown-tab"), ...tabOf("hidden-tab")]));
    await box.press("End");
    await page.locator("#red-ui-clipboard-dialog-ok").click();
    await page.locator(".red-ui-notification button").last().click();
    const found = await copies();
    should(found).have.length(4);
    for (const { consumer } of found) should(consumer).match(NEW_NAME);
    should(new Set(found.map(({ consumer }) => consumer)).size).equal(4);
  });

  it("get new names in a flow that is imported locked", async () => {
    const tab = tabOf("hidden-tab").map((node) => (node.type === "tab" ? { ...node, locked: true } : node));
    await importNodes(tab, { generateIds: true });
    const found = await copies();
    should(found).have.length(3);
    for (const { consumer } of found) should(consumer).match(NEW_NAME);
  });

  it("get new names in a copied subflow, where a variable names none that each use has of its own", async () => {
    const template = tabOf("template");
    await importNodes(template, { importMap: Object.fromEntries(template.map(({ id }) => [id, "copy"])) });
    const found = (await copies()).map(({ consumer }) => consumer);
    should(found).have.length(2);
    should(found[0]).match(NEW_NAME);
    should(found[1]).equal("${CONSUMER}");
  });

  it("keep their names where the others are replaced, or have other names", async () => {
    const changed = tabOf("hidden-tab").map((node) => ({ ...node, info: "changed" }));
    await importNodes(changed, { importMap: Object.fromEntries(changed.map(({ id }) => [id, "replace"])) });
    should(await copies()).be.empty();
    await importNodes([reader("elsewhere", "other-tab", "from elsewhere")], {});
    should((await copies()).map(({ consumer }) => consumer)).deepEqual(["from elsewhere"]);
  });

  it("keep their names when their deletion is undone", async () => {
    const { page } = editor();
    await page.evaluate(`
      RED.workspaces.show("hidden-tab");
      RED.view.select({ nodes: [RED.nodes.node("twin-one")] });
      RED.actions.invoke("core:delete-selection");
    `);
    should((await readers()).map(({ id }) => id)).not.containEql("twin-one");
    await page.evaluate("RED.history.pop()");
    should(await copies()).be.empty();
  });
});
