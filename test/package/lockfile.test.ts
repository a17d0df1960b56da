import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import should from "should";
import { complete } from "../../scripts/complete-lockfile.ts";

/** The registry is not asked: npm run check:npm runs each npm. */
it("the lock files have the binaries of all platforms, and nothing that npm 10 would remove", async () => {
  for (const file of ["package-lock.json", "site/package-lock.json"]) {
    const text = await readFile(fileURLToPath(new URL(`../../${file}`, import.meta.url)), "utf8");
    const completed = complete(text);
    should(completed.added).be.empty();
    should(completed.text === text).be.true("run: node scripts/complete-lockfile.ts");
  }
});
