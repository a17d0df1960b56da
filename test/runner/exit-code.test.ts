import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Each in a file of unit tests, which need neither a build nor the service. */
const TESTS = {
  "passes.test.ts": 'it("passes", () => {}); it("is skipped", function () { this.skip(); });',
  "fails.test.ts": 'it("passes", () => {}); it("fails", () => { throw new Error("for a reason"); });',
  "breaks.test.ts": 'import "./none.ts"; it("is never there", () => {});',
  "leaves.test.ts": 'it("passes", () => {}); it("ends all", () => { process.exit(0); });',
};

describe("npm test -- FILE", function () {
  this.timeout(60_000);
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "crec-runner-"));
    for (const name of ["scripts", "package.json"])
      await cp(join(root, name), join(folder, name), { recursive: true });
    await symlink(join(root, "node_modules"), join(folder, "node_modules"), "junction");
    for (const name of ["test/http", "service/test"]) await mkdir(join(folder, name), { recursive: true });
    for (const [file, text] of Object.entries(TESTS)) await writeFile(join(folder, "test/http", file), text);
  });
  after(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));

  function run(name: string): Promise<{ code: number; stdout: string }> {
    // A mocha that this test starts is no worker of the one that runs it.
    const { MOCHA_WORKER_ID: _worker, ...env } = process.env;
    const args = [join(folder, "scripts/test.mjs"), `test/http/${name}`];
    return new Promise((resolve) => {
      execFile(process.execPath, args, { cwd: folder, env }, (error, stdout) =>
        resolve({ code: Number(error?.code ?? 0), stdout }),
      );
    });
  }

  it("is green where no test fails, and lists what was skipped", async () => {
    const { code, stdout } = await run("passes.test.ts");
    should(code).equal(0);
    should(stdout).match(/1 passing.*\n {2}1 skipped$/m);
    should(stdout).containEql("test/http/passes.test.ts: is skipped");
  });

  it("is red where a test fails, with its title and the reason", async () => {
    const { code, stdout } = await run("fails.test.ts");
    should(code).equal(1);
    should(stdout).match(/1 failing\n {4}test\/http\/fails\.test\.ts: fails\n {6}for a reason/);
  });

  it("is red where a file cannot be loaded, is not there, or ends the process of the tests", async () => {
    for (const name of ["breaks.test.ts", "none.test.ts", "leaves.test.ts"])
      should((await run(name)).code).equal(1, name);
  });
});
