import { readFile } from "node:fs/promises";
import should from "should";
import { lifecyclesPage } from "../../scripts/lib/lifecycles-page.mjs";

describe("the page of the lifecycles", () => {
  it('says what the tables say; "npm run docs" makes it again', async () => {
    const file = new URL("../../docs/lifecycles.md", import.meta.url);
    const stale = (await readFile(file, "utf8")) !== lifecyclesPage();
    should(stale).equal(false, 'docs/lifecycles.md is not what the tables say now: run "npm run docs".');
  });
});
