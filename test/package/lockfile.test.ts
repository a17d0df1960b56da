import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import should from "should";
import { complete } from "../../scripts/complete-lockfile.mjs";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));

/** What can be checked of it with no registry; scripts/check-npm.mjs runs each npm. */
describe("the lock file", () => {
  it("has the optional binaries of all platforms, and nothing that npm 10 would remove", async () => {
    const text = await readFile(join(root, "package-lock.json"), "utf8");
    const completed = complete(text);
    should(completed.added).be.empty();
    should(completed.text === text).be.true("run: node scripts/complete-lockfile.mjs");
  });

  it("has every dependency in a version that fits, optional peers too, without which npm 10 refuses it", async function () {
    this.timeout(60_000);
    const { stderr } = await run("npm", ["ls", "--all", "--package-lock-only"], {
      cwd: root,
      maxBuffer: 2 ** 26,
    }).catch((error: { stderr: string }) => error);
    // npm ci accepts it: this palette brings its own modules, and overrides what one of them asks for.
    const BUNDLED = "node_modules/node-red-node-email/node_modules/";
    const errors = stderr.split("\n").filter((line) => line.startsWith("npm error invalid: "));
    should(errors.filter((line) => !line.includes(BUNDLED))).be.empty();
    should(stderr).not.match(/npm error (missing|extraneous)/);
  });
});
