// npm run flows:keep: keeps the flows of this version under test/flows/<version>, as the editor exports them: the examples,
// and a flow that has every field of every node: no tool exports flows. A test opens the flows of all versions with the present nodes. Run it
// before a release; never for a version that is published. Needs Chromium or Chrome.
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Editor } from "../test/support/editor.ts";
import { flowOfEveryField } from "../test/support/every-field.ts";
import { keptFolder } from "../test/support/kept-flows.ts";
import { endShared } from "../test/support/shared.ts";
import { build } from "./build.ts";
import { root } from "./lib/paths.mjs";
import { readJson } from "./lib/read-json.mjs";

const { version } = await readJson(join(root, "package.json"));
const folder = join(keptFolder, version);

await build();
const editor = await Editor.start({});
try {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const marked: Record<string, string[]> = {};
  for (const [file, flows] of await flowsToKeep()) {
    await editor.openWith(flows as import("../test/support/node-red.ts").FlowNode[]);
    const nodes = await editor.inPage.nodes();
    // Nodes of other palettes are unknown here.
    const invalid = nodes.filter(({ type, valid }) => type.startsWith("crec-") && !valid);
    if (invalid.length > 0) marked[file] = invalid.map(({ id }) => id).sort();
    const exported = JSON.parse(await editor.inPage.completeFlow());
    await writeFile(join(folder, file), `${JSON.stringify(exported, null, 1)}\n`);
    process.stdout.write(`${file}: ${exported.length} nodes\n`);
    for (const { id, type, validationErrors } of invalid) {
      process.stdout.write(`  marked: ${type} ${id}: ${validationErrors.join(" ")}\n`);
    }
  }
  await writeFile(join(folder, "marked.json"), `${JSON.stringify(marked, null, 1)}\n`);
} finally {
  await editor.close();
  await endShared();
}

async function flowsToKeep(): Promise<Array<[file: string, flows: object[]]>> {
  const files = (await readdir(join(root, "examples"))).filter((file) => file.endsWith(".json")).sort();
  const examples = files.map(async (file) => {
    const flows = JSON.parse(await readFile(join(root, "examples", file), "utf8"));
    return [file, flows] as [string, object[]];
  });
  return [...(await Promise.all(examples)), ["every-field.json", flowOfEveryField()]];
}
