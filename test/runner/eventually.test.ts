import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import { eventually } from "../support/eventually.ts";

const root = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

describe("a wait in a test", () => {
  it("gives what it waited for", async () => {
    let looks = 0;
    should(await eventually("the third look", () => ++looks === 3 && "there")).equal("there");
    should(
      await eventually(
        "a sixth",
        async () => ++looks,
        (seen) => seen > 5,
      ),
    ).equal(6);
  });

  it("passes on what looking throws", async () => {
    const look = () => {
      throw new Error("no such file");
    };
    await should(eventually("a file", look)).rejectedWith("no such file");
  });

  it("ends before the test does, with its sentence and what it saw last", async () => {
    const wait = eventually(
      "two events",
      () => [{ offset: 1 }],
      (seen) => seen.length === 2,
      { withinMs: 30 },
    );
    await should(wait).rejectedWith("Waited 0.0 s for two events. Last seen: [ { offset: 1 } ]");
  });

  it("knows the time-out of its test, and of its hook", () => {
    const folder = mkdtempSync(join(tmpdir(), "crec-eventually-"));
    const file = join(folder, "waits.test.ts");
    const helper = JSON.stringify(root("test/support/eventually.ts"));
    writeFileSync(
      file,
      `import { eventually } from ${helper};
      describe("a suite", () => {
        it("a test", async function () { this.timeout(200); await eventually("a test's", () => false); });
        describe("inner", () => {
          before(async function () { this.timeout(100); await eventually("a hook's", () => false); });
          it("never runs", () => {});
        });
      });`,
    );
    const args = [root("node_modules/mocha/bin/mocha.js"), "--reporter", "json", file];
    const { stdout } = spawnSync(process.execPath, args, { cwd: root("."), encoding: "utf8" });
    rmSync(folder, { recursive: true });
    const { failures } = JSON.parse(stdout) as { failures: Array<{ err: { message: string } }> };
    should(failures.map(({ err }) => err.message.replace(/\d\.\d s/, "… s"))).eql([
      "Waited … s for a test's. Last seen: false",
      "Waited … s for a hook's. Last seen: false",
    ]);
  });
});
