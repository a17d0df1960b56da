import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import should from "should";
import { checksumOf } from "../../src/storage/checksum.ts";
import { DedupeFile } from "../../src/storage/dedupe/file-dedupe-store.ts";
import { FileDedupeStore } from "../../src/storage/index.ts";
import { eventually } from "../support/eventually.ts";

describe("FileDedupeStore", () => {
  let folder: string;
  let path: string;
  const warnings: string[] = [];
  const open: FileDedupeStore[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "crec-seen-"));
    path = join(folder, "deep", "node.log");
    warnings.length = 0;
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((store) => store.close()));
    await rm(folder, { recursive: true, force: true });
  });

  const opened = async (maxKeys = 10, minIntervalMs = 0) => {
    const store = new FileDedupeStore({
      path,
      maxKeys,
      minIntervalMs,
      onWarning: (text) => warnings.push(text),
    });
    open.push(store);
    await store.load();
    return store;
  };
  /** The given keys that are in the file. */
  const known = async (...keys: string[]) => {
    const { entries } = await new DedupeFile(path).read();
    return keys.filter((key) => entries.some(([written]) => written === key));
  };

  const until = async (holds: () => boolean | Promise<boolean>) => {
    await eventually(String(holds), holds);
  };

  it("accepts each key once, over a restart", async () => {
    const store = await opened();
    should(["a", "b", "a"].map((key) => store.accept(key))).deepEqual(["new", "new", "seen"]);
    await store.close();
    should(await known("a", "b", "c")).deepEqual(["a", "b"]);
    should(warnings).be.empty();
  });

  it("accepts a redelivery again under its own id, and under no other", async () => {
    const first = (id: string) => ({ delivery: { id, redelivered: false } });
    const again = (id: string) => ({ delivery: { id, redelivered: true } });
    let store = await opened();
    should(store.accept("a", first("reader 1"))).equal("new");
    should(store.accept("a", first("reader 1"))).equal("seen");
    await store.close();
    store = await opened();
    should(store.accept("a", first("reader 1"))).equal("seen");
    should(store.accept("a", again("reader 1"))).equal("new");
    should(store.accept("a", again("reader 2"))).equal("seen");
    should(store.accept("a")).equal("seen");
    should(store.accept("a", again("reader 1"))).equal("new");
    should(store.accept("b")).equal("new");
    should(store.accept("b", again("reader 3"))).equal("seen");
    should(store.accept("b", again(""))).equal("seen");
    should(store.accept("c", again("reader 1"))).equal("new");
  });

  it("lets each further digest of a key pass once, marked, over a restart", async () => {
    const by = (digest: string, delivery?: { id: string; redelivered: boolean }) => ({ digest, delivery });
    const again = (id: string) => ({ id, redelivered: true });
    let store = await opened();
    should(["one", "two", "one", "three", "two"].map((digest) => store.accept("a", by(digest)))).deepEqual([
      ...["new", "contradicts", "seen", "contradicts", "seen"],
    ]);
    should(store.accept("a")).equal("seen");
    await store.close();
    store = await opened();
    should(["three", "one", "four"].map((digest) => store.accept("a", by(digest)))).deepEqual([
      ...["seen", "seen", "contradicts"],
    ]);
    should(store.accept("b", by("one", { id: "reader 1", redelivered: false }))).equal("new");
    should(store.accept("b", by("two", { id: "reader 2", redelivered: false }))).equal("contradicts");
    should(store.accept("b", by("two", again("reader 2")))).equal("contradicts");
    should(store.accept("b", by("one", again("reader 1")))).equal("new");
    should(store.accept("b", by("one", again("reader 2")))).equal("seen");
  });

  it("counts a key that was stored without a digest as seen", async () => {
    let store = await opened();
    store.accept("a");
    await store.close();
    store = await opened();
    should(store.accept("a", { digest: "one" })).equal("seen");
    should(store.accept("a", { digest: "two" })).equal("seen");
  });

  it("forgets the least recently used key, in memory and in the file", async () => {
    const store = await opened(3);
    for (const key of ["a", "b", "c", "a", "d"]) store.accept(key);
    should(store.size).equal(3);
    await store.close();
    const again = await opened(3);
    should(["a", "c", "d"].filter((key) => again.accept(key) !== "seen")).be.empty();
    should(again.accept("b")).equal("new");
  });

  it("appends to the file up to twice the number of keys, and then replaces it", async () => {
    const lines: string[][] = [];
    for (const keys of ["abc", "def", "g"]) {
      const store = await opened(3);
      for (const key of keys) store.accept(key);
      await store.close();
      lines.push((await new DedupeFile(path).read()).entries.map(([key]) => key));
    }
    should(lines.map((keys) => keys.join(""))).deepEqual(["abc", "abcdef", "efg"]);
  });

  it("writes only what is new, after the first time", async () => {
    const store = await opened();
    store.accept("a");
    store.accept("b");
    await until(async () => (await known("a", "b")).length === 2);
    store.accept("a");
    await store.close();
    should((await new DedupeFile(path).read()).entries.map(([key]) => key)).deepEqual(["a", "b", "a"]);
  });

  it("keeps the file within twice the number of keys", async () => {
    const store = await opened(50);
    // biome-ignore lint/plugin: as below
    for (let count = 0; count < 1000; count += 1) {
      store.accept(`key-${count}`);
      // biome-ignore lint/plugin: the store writes in between
      if (count % 20 === 0) await sleep(1);
    }
    await store.close();
    const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
    should(lines.length).be.within(50, 100);
    should(await readdir(join(folder, "deep"))).deepEqual(["node.log"]);
    should((await opened(50)).size).equal(50);
  });

  it("refuses a number of keys with which it would remember none", () => {
    for (const maxKeys of [0, -1, 1.5, Number.NaN]) {
      should(() => new FileDedupeStore({ path, maxKeys })).throw({
        code: "INVALID_ARGUMENT",
        path: "maxKeys",
      });
    }
  });

  it("accepts the same keys as an unlimited set, while there are few", () => {
    const keys = fc.array(fc.constantFrom(..."abcdefgh"), { maxLength: 40 });
    return fc.assert(
      fc.asyncProperty(fc.array(keys, { maxLength: 4 }), async (runs) => {
        await rm(path, { force: true });
        const model = new Set<string>();
        for (const run of runs) {
          const store = await opened(8);
          for (const key of run) {
            should(store.accept(key)).equal(model.has(key) ? "seen" : "new");
            model.add(key);
          }
          await store.close();
        }
      }),
      { numRuns: 20 },
    );
  });

  it("writes soon, and not more often than the interval", async () => {
    const store = await opened(10, 200);
    const begun = performance.now();
    store.accept("a");
    await until(async () => (await known("a")).length > 0);
    store.accept("b");
    await until(async () => (await known("b")).length > 0);
    should(performance.now() - begun).be.above(199);
  });

  for (const [harm, change] of Object.entries({
    "torn in its last line": (text: string) => text.slice(0, -5),
    "changed within": (text: string) => text.replace('"b"', '"x"'),
    "followed by zeros": (text: string) => `${text}\0\0\0`,
  })) {
    it(`warns when its file is ${harm}, keeps a copy, and still knows the whole lines`, async () => {
      const store = await opened();
      for (const key of ["a", "b", "c"]) store.accept(key);
      await store.close();
      const damaged = change(await readFile(path, "utf8"));
      await writeFile(path, damaged);
      const again = await opened();
      should(warnings).have.length(1);
      should(warnings[0]).match(/torn or was changed/);
      const copy = (await readdir(join(folder, "deep"))).find((name) => name.includes("damaged"));
      should(await readFile(join(folder, "deep", String(copy)), "utf8")).equal(damaged);
      should(again.accept("a")).equal("seen");
      await again.close();
      // One warning: from here on the file is whole again.
      await (await opened()).close();
      should(warnings).have.length(1);
    });
  }

  for (const value of ["null", "5", "{}", "[]", '["a"]', '["a",1]', '["a","",""]', "not JSON"]) {
    it(`takes a line with ${value} for damage, though its checksum is correct`, async () => {
      const store = await opened();
      store.accept("b");
      await store.close();
      await appendFile(path, `${checksumOf(value)} ${value}\n`);
      const again = await opened();
      should(warnings).have.length(1);
      should(again.size).equal(1);
      should(again.accept("a")).equal("new");
      should(again.accept("b")).equal("seen");
    });
  }

  for (const content of ["", "not ours at all\n", "{"]) {
    it(`takes a file with ${JSON.stringify(content)} for damaged, not for empty`, async () => {
      await (await opened()).close();
      const store = await opened();
      store.accept("a");
      await store.close();
      await writeFile(path, content);
      should((await opened()).size).equal(0);
      should(warnings).have.length(1);
    });
  }

  it("fails to load while its file cannot be read, and tries again", async () => {
    const first = await opened();
    first.accept("a");
    await first.close();
    // Not even root can read a folder as a file.
    const text = await readFile(path, "utf8");
    await rm(path);
    await mkdir(path);
    const store = new FileDedupeStore({ path, maxKeys: 10, onWarning: (line) => warnings.push(line) });
    await should(store.load()).be.rejectedWith({ code: "SEEN_NOT_READ" });
    await rm(path, { recursive: true });
    await writeFile(path, text);
    await store.load();
    should(store.accept("a")).equal("seen");
    await store.close();
  });

  it("warns once that it cannot write, keeps the keys in memory, and writes as soon as it can", async () => {
    await writeFile(join(folder, "deep"), "a file where the folder should be");
    const later: string[] = [];
    const storeAt = (path: string, lines: string[]) =>
      new FileDedupeStore({ path, maxKeys: 10, minIntervalMs: 5, onWarning: (line) => lines.push(line) });
    const store = storeAt(path, warnings);
    const others = ["b", "c", "d", "e"].map((name) => storeAt(join(folder, "deep", name), later));
    await rm(join(folder, "deep"));
    for (const one of [store, ...others]) await one.load();
    await writeFile(join(folder, "deep"), "in the way");
    should(store.accept("a")).equal("new");
    await until(() => warnings.length > 0);
    should(store.accept("a")).equal("seen");
    // It tries again as often as others fail one after another.
    for (const [index, other] of others.entries()) {
      other.accept("a");
      await until(() => later.length > index);
    }
    should(warnings).have.length(1);
    should(warnings[0]).match(/cannot be written/);
    await rm(join(folder, "deep"));
    await until(async () => (await known("a")).length > 0);
    for (const one of [store, ...others]) await one.close();
  });

  it("has a whole file again after an append that broke off", async () => {
    const store = await opened();
    store.accept("a");
    await store.close();
    await appendFile(path, "1234");
    const again = await opened();
    again.accept("b");
    await again.close();
    should(await known("a", "b")).deepEqual(["a", "b"]);
  });
});
