import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";

const root = fileURLToPath(new URL("../..", import.meta.url));
const COMMAND = join(root, "bin/crec-rehearse.cjs");
const EXAMPLE = join(root, "examples/02-large-transfer-alert.json");
const isWindows = process.platform === "win32";
const [FIRST, OTHER] = isWindows ? ["TEMP", "TMP"] : ["TMPDIR", "TMP"];

describe("crec-rehearse without a folder for temporary files", function () {
  this.timeout(60_000);
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "crec-temporary-"));
    await writeFile(join(folder, "file"), "");
  });
  after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

  const run = (variables: NodeJS.ProcessEnv) =>
    new Promise<{ code: unknown; err: string }>((resolve) => {
      const { TMPDIR: _1, TMP: _2, TEMP: _3, ...env } = process.env;
      const options = { cwd: root, env: { ...env, ...variables } };
      const args = [COMMAND, "--flow", EXAMPLE, "--events", join(folder, "none.json")];
      execFile(process.execPath, args, options, (error, _out, err) =>
        resolve({ code: error?.code ?? 0, err }),
      );
    });

  for (const variable of [FIRST, OTHER]) {
    it(`names the variable ${variable}, and what to do`, async () => {
      const at = join(folder, "file");
      const { code, err } = await run({ [variable as string]: at });
      should(code).equal(2);
      should(err).startWith(`The folder for temporary files, ${at}, cannot be used: `);
      should(err).containEql(
        `The environment variable ${variable} names it: set ${variable} to a folder that`,
      );
    });
  }

  it("names the variable where its own folder there cannot be written", async function () {
    const user = process.getuid?.();
    if (user === undefined) return this.skip();
    const own = join(folder, `crec-rehearse-${user}`);
    // Nobody may write into a file of this name, root included.
    await writeFile(own, "");
    const { code, err } = await run({ TMPDIR: folder });
    await rm(own);
    should(code).equal(2);
    should(err).match(/cannot be used: E[A-Z]+.*The environment variable TMPDIR names it/);
  });

  it("goes on to what else is wrong, where there is one", async () => {
    const { code, err } = await run({ [FIRST as string]: folder });
    should(code).equal(2);
    should(err)
      .match(/none\.json/)
      .and.not.match(/temporary files/);
  });
});
