import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, rename, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { NodeAPI } from "node-red";
import should from "should";
import { cleanUp, type FoundFile, removeIf } from "../../../nodes/common/folder/clean-up.ts";
import { fileClaims } from "../../../nodes/common/signing/claims.ts";
import { removeOldLocks } from "../../../nodes/common/tasks/task-owners.ts";

const OLD = new Date(Date.now() - 40 * 86_400_000);

const CLEANER = new URL("cleaner.ts", import.meta.url);
const ROUNDS = 300;

describe("a clean-up of a folder", () => {
  let folder: string;
  let warnings: string[];
  let RED: NodeAPI;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "crec-clean-up-"));
    warnings = [];
    RED = {
      settings: { userDir: folder },
      log: { warn: (text: string) => warnings.push(text) },
      _: (key: string, values: object) => `${key} ${JSON.stringify(values)}`,
    } as unknown as NodeAPI;
  });

  afterEach(async () => {
    await chmod(folder, 0o700);
    await rm(folder, { recursive: true, force: true });
  });

  /** Written long ago. */
  const oldFile = async (path: string, text = "old") => {
    await writeFile(path, text);
    await utimes(path, OLD, OLD);
  };

  it("removes what is old, and nothing else", async () => {
    for (const name of ["1", "2"]) await oldFile(join(folder, name));
    await writeFile(join(folder, "new"), "new");
    await cleanUp(RED, folder, { leastAgeMs: 0, isOld: ({ text }) => text === "old" });
    should(await readdir(folder)).eql(["new"]);
    should(warnings).be.empty();
  });

  it("goes on when a file is gone meanwhile", async () => {
    for (const name of ["1", "2", "3"]) await oldFile(join(folder, name));
    let isFirst = true;
    const isOld = ({ writtenAt }: FoundFile) => {
      if (isFirst) for (const name of ["1", "2"]) removeIf(join(folder, name), () => isFirst);
      isFirst = false;
      return writtenAt < Date.now() - 1_000;
    };
    await cleanUp(RED, folder, { leastAgeMs: 0, isOld });
    should(await readdir(folder)).be.empty();
    should(warnings).be.empty();
  });

  it("does not read what is younger than the least age", async () => {
    await oldFile(join(folder, "old"));
    await writeFile(join(folder, "new"), "new");
    const read: string[] = [];
    const isOld = ({ text }: FoundFile) => read.push(text) > 0;
    await cleanUp(RED, folder, { leastAgeMs: 60_000, isOld });
    should(await readdir(folder)).eql(["new"]);
    should(new Set(read)).eql(new Set(["old"]));
  });

  it("says nothing about a folder that is not there", async () => {
    await cleanUp(RED, join(folder, "none"), { leastAgeMs: 0, isOld: () => true });
    should(warnings).be.empty();
  });

  it("puts back a file that took the place of the one it judged", async () => {
    const path = join(folder, "claim");
    await oldFile(path);
    let judgements = 0;
    // As another process would: after the judgement, before the file is removed.
    removeIf(path, ({ text }) => {
      judgements += 1;
      if (judgements > 1) return text === "old";
      rmSync(path);
      writeFileSync(path, "new");
      return true;
    });
    should(judgements).equal(2);
    should(removeIf(path, () => false)?.text).equal("new");
    should(await readdir(folder)).eql(["claim"]);
  });

  it("puts back what replaced an old file and cannot be judged", async () => {
    const path = join(folder, "1");
    await oldFile(path);
    const isOld = ({ text }: FoundFile) => {
      if (text === "newer") throw new Error("It is of a newer version.");
      writeFileSync(path, "newer");
      return true;
    };
    should(() => removeIf(path, isOld)).throw("It is of a newer version.");
    should(await readdir(folder)).deepEqual(["1"]);
    should(removeIf(path, () => false)?.text).equal("newer");
  });

  it("reports a failure once for each folder, and removes the rest", async () => {
    // A folder in the place of a file cannot be read as one.
    await mkdir(join(folder, "1-not-a-file"));
    await oldFile(join(folder, "2"));
    for (let time = 0; time < 2; time += 1)
      await cleanUp(RED, folder, { leastAgeMs: 0, isOld: ({ text }) => text === "old" });
    should(await readdir(folder)).eql(["1-not-a-file"]);
    should(warnings).have.length(1);
    should(warnings[0]).startWith("[crec] common.warning.clean-up-failed").and.containEql(folder);
  });

  it("of lock files keeps those of processes that are alive", async () => {
    const waits = join(folder, "crec-waits");
    await mkdir(waits);
    await oldFile(join(waits, ".in-use-gone"));
    await writeFile(join(waits, ".in-use-alive"), "{}");
    await oldFile(join(waits, "not-a-lock"));
    await removeOldLocks(RED);
    should((await readdir(waits)).sort()).eql([".in-use-alive", "not-a-lock"]);
  });

  it("never removes a claim that replaced an old one, while another thread cleans up all the time", async function () {
    this.timeout(60_000);
    const claims = fileClaims(RED);
    const signing = join(folder, "crec-signing");
    const aside = join(folder, "aside");
    await mkdir(signing);
    const cleaner = new Worker(CLEANER, { workerData: folder });
    try {
      await once(cleaner, "message");
      const lost: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        await mkdir(aside);
        await oldFile(join(aside, "old.json"), JSON.stringify({ digest: "0xold", deadline: 1 }));
        await rename(aside, join(signing, "id"));
        await claims.claim("id", { digest: "0xfirst", deadline: 0 });
        const second = await claims.claim("id", { digest: "0xsecond", deadline: 0 });
        if (second.digest !== "0xfirst") lost.push(round);
        await claims.release("id", second.digest);
      }
      should(lost).be.empty();
    } finally {
      await cleaner.terminate();
    }
  });
});
