import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import should from "should";
import { pages } from "../../scripts/docs.mjs";

const folder = fileURLToPath(new URL("../../docs/nodes/", import.meta.url));

describe("the pages of the nodes", () => {
  it('say what the editor\'s help says; "npm run docs" makes them again', async () => {
    const wanted = await pages();
    should((await readdir(folder)).sort()).deepEqual([...wanted.keys()].sort());
    for (const [file, text] of wanted) {
      const stale = (await readFile(`${folder}${file}`, "utf8")) !== text;
      should(stale).equal(false, `docs/nodes/${file} is not what the help says now: run "npm run docs".`);
    }
  });
});
