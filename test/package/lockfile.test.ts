import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import { complete } from "../../scripts/complete-lockfile.mjs";
import { runNpm } from "../../scripts/lib/npm-command.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** What can be checked of it with no registry; scripts/check-npm.mjs runs each npm. */
describe("the lock file", () => {
  for (const file of ["package-lock.json", "site/package-lock.json"]) {
    it(`has the optional binaries of all platforms, and nothing that npm 10 would remove (${file})`, async () => {
      const text = await readFile(join(root, file), "utf8");
      const completed = complete(text);
      should(completed.added).be.empty();
      should(completed.text === text).be.true("run: node scripts/complete-lockfile.mjs");
    });
  }

  it("has every dependency in a version that fits, optional peers too, without which npm 10 refuses it", async function () {
    this.timeout(60_000);
    const { stderr } = await runNpm(["ls", "--all", "--package-lock-only"], {
      cwd: root,
      maxBuffer: 2 ** 26,
    }).catch((error: { stderr: string }) => error);
    should(stderr.split("\n").filter((line) => line.startsWith("npm error"))).be.empty();
  });
});
