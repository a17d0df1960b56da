import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import should from "should";
import { useEditor } from "../support/editor.ts";
import type { FlowNode } from "../support/node-red.ts";

const examples = fileURLToPath(new URL("../../examples", import.meta.url));

describe("the examples, imported by hand", function () {
  this.timeout(120_000);
  const editor = useEditor();

  before(() => editor().openWith([{ id: "tab", type: "tab", label: "empty" }]));

  for (const file of readdirSync(examples).filter((name) => name.endsWith(".json"))) {
    it(`have every node valid: ${file}`, async () => {
      const { inPage } = editor();
      const before = new Set((await inPage.nodes()).map(({ id }) => id));
      const text = readFileSync(`${examples}/${file}`, "utf8");
      await editor().importText(text);
      const wanted = (JSON.parse(text) as FlowNode[]).filter(({ type }) => !["tab", "group"].includes(type));
      const arrived = (await inPage.nodes()).filter(({ id }) => !before.has(id));
      should(arrived.map(({ type }) => type).sort()).deepEqual(wanted.map(({ type }) => type).sort());
      for (const { type, valid, validationErrors } of arrived) {
        should(valid).equal(true, `${type}: ${validationErrors.join(" ")}`);
      }
    });
  }
});
