import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import should from "should";
import { FileAlertStore } from "../../../src/alerts/stores/file-store.ts";
import { MemoryAlertStore } from "../../../src/alerts/stores/memory-store.ts";
import { eventually } from "../../support/eventually.ts";

describe("FileAlertStore", () => {
  let folder: string;
  let path: string;
  const warnings: string[] = [];
  const open: FileAlertStore[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "crec-alerts-"));
    path = join(folder, "deep", "rule.log");
    warnings.length = 0;
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((store) => store.close()));
    await rm(folder, { recursive: true, force: true });
  });

  const opened = (minIntervalMs = 0) => {
    const store = new FileAlertStore({ path, minIntervalMs, onWarning: (text) => warnings.push(text) });
    open.push(store);
    return store;
  };

  it("keeps values over a restart, and forgets those that were removed", async () => {
    const store = opened();
    should(await store.write("a", 0, { count: 1 })).be.true();
    should(await store.write("a", 1, { count: 2 })).be.true();
    should(await store.write("b", 0, [])).be.true();
    should(await store.write("__proto__", 0, null)).be.true();
    should(await store.write("b", 1, undefined)).be.true();
    await store.close();
    const again = opened();
    should(await again.read("a")).deepEqual({ revision: 2, value: { count: 2 } });
    should(await again.read("b")).be.undefined();
    should(await again.keys()).deepEqual(["a", "__proto__"]);
    should(warnings).be.empty();
  });

  it("has written what was given before a flush, whatever the interval", async () => {
    const store = opened(3_600_000);
    for (let count = 1; count <= 3; count += 1) {
      await store.write("a", count - 1, { count });
      await store.flush();
      // As after a crash: the first store is still open.
      should(await opened().read("a")).deepEqual({ revision: count, value: { count } });
    }
    should(warnings).be.empty();
  });

  it("is whole after all was removed", async () => {
    const store = opened();
    await store.write("a", 0, 1);
    await store.write("a", 1, undefined);
    await store.close();
    should(await opened().keys()).be.empty();
    should(warnings).be.empty();
  });

  it("refuses a write that replaces another revision", async () => {
    const store = opened();
    should(await store.write("a", 1, "x")).be.false();
    await store.write("a", 0, "x");
    should(await store.write("a", 0, "y")).be.false();
    should(await store.write("a", 2, undefined)).be.false();
    should(await store.read("a")).deepEqual({ revision: 1, value: "x" });
  });

  it("has what a store in memory has, over any restarts", () => {
    const write = fc.record({
      key: fc.constantFrom("a", "b", "c"),
      value: fc.constantFrom(undefined, 1, "x"),
    });
    return fc.assert(
      fc.asyncProperty(fc.array(fc.array(write, { maxLength: 8 }), { maxLength: 4 }), async (runs) => {
        await rm(path, { force: true });
        const memory = new MemoryAlertStore();
        for (const run of runs) {
          const store = opened();
          for (const { key, value } of run) {
            const revision = (await store.read(key))?.revision ?? 0;
            should(await store.write(key, revision, value)).equal(await memory.write(key, revision, value));
          }
          await store.close();
        }
        const store = opened();
        for (const key of ["a", "b", "c"]) should(await store.read(key)).deepEqual(await memory.read(key));
      }),
      { numRuns: 20 },
    );
  });

  it("stays within a few times what there is to remember", async () => {
    const store = opened();
    const value = "x".repeat(50_000);
    // biome-ignore lint/plugin: as below
    for (let count = 0; count < 100; count += 1) {
      await store.write("a", count, `${count} ${value}`);
      // biome-ignore lint/plugin: the store writes in between
      if (count % 2 === 0) await sleep(2);
    }
    await store.close();
    should((await stat(path)).size).be.below(1_300_000);
    should((await opened().read("a"))?.revision).equal(100);
    should(await readdir(join(folder, "deep"))).deepEqual(["rule.log"]);
  });

  for (const [harm, change] of Object.entries({
    "torn in its last line": (text: string) => text.slice(0, -5),
    "changed within": (text: string) => text.replace('["b",1', '["b",2'),
  })) {
    it(`warns when its file is ${harm}, keeps a copy, and still has the whole lines`, async () => {
      const store = opened();
      for (const key of ["a", "b", "c"]) await store.write(key, 0, key);
      await store.close();
      const damaged = change(await readFile(path, "utf8"));
      await writeFile(path, damaged);
      const again = opened();
      should(await again.read("a")).deepEqual({ revision: 1, value: "a" });
      should(await again.keys()).have.length(2);
      should(warnings).have.length(1);
      should(warnings[0]).match(/torn or was changed/);
      const copy = (await readdir(join(folder, "deep"))).find((name) => name.includes("damaged"));
      should(await readFile(join(folder, "deep", String(copy)), "utf8")).equal(damaged);
      await again.close();
      should(await opened().keys()).have.length(2);
      should(warnings).have.length(1);
    });
  }

  it("fails while its file cannot be read, and tries again", async () => {
    await mkdir(path, { recursive: true });
    const store = opened();
    await should(store.read("a")).be.rejectedWith({ code: "ALERTS_NOT_READ" });
    await rm(path, { recursive: true });
    should(await store.read("a")).be.undefined();
  });

  it("warns once that it cannot write, and writes as soon as it can", async () => {
    const store = opened();
    await store.keys();
    await writeFile(join(folder, "deep"), "in the way");
    await store.write("a", 0, 1);
    await eventually("a warning", () => warnings.length > 0);
    await store.write("a", 1, 2);
    should(warnings[0]).match(/cannot be written/);
    await rm(join(folder, "deep"));
    await store.close();
    should((await opened().read("a"))?.value).equal(2);
    should(warnings).have.length(1);
  });
});
