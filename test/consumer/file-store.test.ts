import { randomUUID } from "node:crypto";
import * as nodeFiles from "node:fs/promises";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import should from "should";
import { stateFrom } from "../../src/storage/cursor/cursor-state.ts";
import { type CursorState, FileCursorStore, type FileCursorStoreOptions } from "../../src/storage/index.ts";
import { IDENTITY, range } from "./simulation.ts";

const stateAt = (offset: number): CursorState => stateFrom(IDENTITY, offset);

describe("FileCursorStore", () => {
  let folder: string;
  let path: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "cursor-"));
    path = join(folder, "deep", "er", "cursor.json");
  });
  afterEach(() => rm(folder, { recursive: true }));

  const files = () => readdir(join(folder, "deep", "er"));

  it("has nothing before the first save, and makes the folder then", async () => {
    const store = new FileCursorStore({ path });
    should(await store.load()).equal(undefined);
    await store.save(stateAt(5), "now");
    should(await new FileCursorStore({ path }).load()).eql(stateAt(5));
    should(await files()).eql(["cursor.json"]);
  });

  it("writes what can wait once an interval, the newest of it, and the rest when closed", async () => {
    let writes = 0;
    const counting = {
      ...nodeFiles,
      rename: async (from: string, to: string) => {
        writes += 1;
        await nodeFiles.rename(from, to);
      },
    } as NonNullable<FileCursorStoreOptions["files"]>;
    const store = new FileCursorStore({ path, minIntervalMs: 60_000, files: counting });
    await store.save(stateAt(1), "now");
    for (let offset = 2; offset <= 500; offset += 1) await store.save(stateAt(offset));
    should(writes).equal(1);
    await store.close();
    should(writes).equal(2);
    should(await store.load()).eql(stateAt(500));
    await store.close();
    should(writes).equal(2);
  });

  it("writes what can wait by itself", async () => {
    const written = Promise.withResolvers<void>();
    const telling = {
      ...nodeFiles,
      rename: async (from: string, to: string) => {
        await nodeFiles.rename(from, to);
        written.resolve();
      },
    } as NonNullable<FileCursorStoreOptions["files"]>;
    const store = new FileCursorStore({ path, minIntervalMs: 5, files: telling });
    await store.save(stateAt(7));
    // The store's own timer does not keep a process alive.
    const awake = setInterval(() => {}, 1_000);
    await written.promise.finally(() => clearInterval(awake));
    should(await store.load()).eql(stateAt(7));
    await store.close();
  });

  const damages: Record<string, (text: string) => string> = {
    "torn in the middle": (text) => text.slice(0, text.length / 2),
    empty: () => "",
    "of another program": () => '{"flows": []}',
    "changed by hand": (text) => text.replace('"cursor":4', '"cursor":9'),
    "zeros after a power cut": (text) => "\0".repeat(text.length),
  };
  for (const [name, damage] of Object.entries(damages)) {
    it(`calls a file an error that is ${name}, and keeps it and one copy`, async () => {
      await new FileCursorStore({ path }).save(stateAt(5), "now");
      const text = damage(await readFile(path, "utf8"));
      await writeFile(path, text);
      for (let attempt = 0; attempt < 3; attempt += 1)
        await should(new FileCursorStore({ path }).load()).rejectedWith({ code: "CURSOR_FILE_DAMAGED" });
      const names = await files();
      should(names.length).equal(2);
      for (const file of names) should(await readFile(join(folder, "deep", "er", file), "utf8")).equal(text);
    });
  }

  it("does not mention a copy when none could be kept", async () => {
    await new FileCursorStore({ path }).save(stateAt(5), "now");
    await writeFile(path, "torn");
    const open = async () => {
      throw Object.assign(new Error("No space"), { code: "ENOSPC" });
    };
    const full = { ...nodeFiles, open } as unknown as NonNullable<FileCursorStoreOptions["files"]>;
    const damaged = should(new FileCursorStore({ path, files: full }).load());
    await damaged.rejectedWith({ code: "CURSOR_FILE_DAMAGED", message: /to another program\. Restore it/ });
    should(await files()).eql(["cursor.json"]);
  });

  it("reports why a file cannot be read", async () => {
    const store = new FileCursorStore({ path: folder });
    await should(store.load()).rejectedWith({ code: "CURSOR_NOT_READ" });
  });

  /** Fails the `nth` operation on files, as a full disk or the end of the process would. */
  const failingAt = (nth: number) => {
    let calls = 0;
    const step = <Args extends unknown[], R>(call: (...args: Args) => Promise<R>) => {
      return async (...args: Args): Promise<R> => {
        calls += 1;
        if (calls === nth) throw Object.assign(new Error("No space"), { code: "ENOSPC" });
        return call(...args);
      };
    };
    const open = async (...args: Parameters<typeof nodeFiles.open>) => {
      const handle = await step(nodeFiles.open)(...args);
      return {
        writeFile: step(async (text: string) => handle.writeFile(text)),
        sync: step(async () => handle.sync()),
        stat: () => handle.stat(),
        utimes: (...times: [Date, Date]) => handle.utimes(...times),
        close: () => handle.close(),
      };
    };
    const replaced = { ...nodeFiles, open, rename: step(nodeFiles.rename) };
    return { files: replaced as unknown as NonNullable<FileCursorStoreOptions["files"]>, calls: () => calls };
  };

  it("holds the state before or the state after, whichever step fails, and saves again later", async () => {
    for (let nth = 1; ; nth += 1) {
      await rm(join(folder, "deep"), { recursive: true, force: true });
      await new FileCursorStore({ path }).save(stateAt(1), "now");
      const { files: failing, calls } = failingAt(nth);
      const store = new FileCursorStore({ path, files: failing });
      const outcome = await store.save(stateAt(2), "now").then(
        () => "saved",
        (error) => error.code,
      );
      const cursor = (await new FileCursorStore({ path }).load())?.cursor;
      if (calls() < nth) {
        should([outcome, cursor]).eql(["saved", 1]);
        should(nth).be.above(5);
        break;
      }
      should(outcome).equal("CURSOR_NOT_SAVED");
      should(cursor === 0 || cursor === 1).equal(true);
      should(await files()).eql(["cursor.json"]);
      await store.close();
      should((await new FileCursorStore({ path }).load())?.cursor).equal(1);
    }
  });

  /** Ends the process, as it were, at the `nth` operation on files: before it, in the middle of it, or after it. */
  const dyingAt = (nth: number, moment: "before" | "amid" | "after") => {
    let calls = 0;
    const died = Promise.withResolvers<void>();
    const step = <Args extends unknown[], R>(
      call: (...args: Args) => Promise<R>,
      half?: (...args: Args) => Promise<unknown>,
    ) => {
      return async (...args: Args): Promise<R> => {
        calls += 1;
        if (calls < nth) return call(...args);
        if (calls === nth && moment === "after") await call(...args);
        if (calls === nth && moment === "amid") await half?.(...args);
        died.resolve();
        return new Promise<never>(() => {});
      };
    };
    const handles: nodeFiles.FileHandle[] = [];
    const open = async (...args: Parameters<typeof nodeFiles.open>) => {
      const handle = await nodeFiles.open(...args);
      handles.push(handle);
      return {
        writeFile: step(
          async (text: string) => handle.writeFile(text),
          async (text: string) => handle.writeFile(text.slice(0, text.length / 2)),
        ),
        sync: step(async () => handle.sync()),
        stat: () => handle.stat(),
        utimes: (...times: [Date, Date]) => handle.utimes(...times),
        close: step(async () => {}),
      };
    };
    const dying = {
      ...nodeFiles,
      open: step(open as never),
      rename: step(nodeFiles.rename),
      rm: step(nodeFiles.rm),
    };
    return {
      files: dying as unknown as NonNullable<FileCursorStoreOptions["files"]>,
      died: died.promise,
      calls: () => calls,
      bury: () => Promise.all(handles.map((handle) => handle.close())),
    };
  };

  for (const moment of ["before", "amid", "after"] as const) {
    it(`holds the state before or the state after when the process dies ${moment} any step`, async () => {
      const cursors: unknown[] = [];
      for (let nth = 1; ; nth += 1) {
        await rm(join(folder, "deep"), { recursive: true, force: true });
        await new FileCursorStore({ path }).save(stateAt(1), "now");
        const { files: dying, died, calls, bury } = dyingAt(nth, moment);
        await Promise.race([new FileCursorStore({ path, files: dying }).save(stateAt(2), "now"), died]);
        await bury();
        const next = new FileCursorStore({ path });
        const cursor = (await next.load())?.cursor;
        should(cursor === 0 || cursor === 1).equal(true);
        await next.save(stateAt(3), "now");
        should((await next.load())?.cursor).equal(2);
        if (calls() < nth) break;
        cursors.push(cursor);
      }
      // Temporary file opened, written, synced, closed; renamed; folder opened, synced, closed.
      const before = moment === "after" ? 4 : 5;
      should(cursors).eql([0, 0, 0, 0, 0, 1, 1, 1].map((_, index) => (index < before ? 0 : 1)));
    });
  }

  describe("with many delivered events", () => {
    /** As after so many events of a channel. */
    const drained = (count: number, floor = -1): CursorState => ({
      ...stateAt(count + 1),
      floor,
      delivered: range(Math.max(1, floor - 199), count).map((offset) => [offset, `event-${offset}`]),
    });
    const log = () => `${path}.delivered`;
    const sizeOf = async (file: string) => (await readFile(file)).length;

    it("keeps them in a file of their own, to which it only adds", async () => {
      const store = new FileCursorStore({ path });
      await store.save(drained(10_000), "now");
      const before = await readFile(log(), "utf8");
      await store.save(drained(10_100), "now");
      const after = await readFile(log(), "utf8");
      should(after.startsWith(before)).be.true();
      should(after.length - before.length).be.below(100 * 30);
      should(await sizeOf(path)).be.below(1_000);
      should(await new FileCursorStore({ path }).load()).eql(drained(10_100));
    });

    it("continues with them after a restart, and forgets those that the floor has passed", async () => {
      await new FileCursorStore({ path }).save(drained(1_000), "now");
      const next = new FileCursorStore({ path });
      should(await next.load()).eql(drained(1_000));
      await next.save(drained(1_300, 700), "now");
      should(await new FileCursorStore({ path }).load()).eql({
        ...drained(1_300),
        floor: 700,
        delivered: range(701, 1_300).map((offset) => [offset, `event-${offset}`]),
      });
    });

    it("writes that file again before most of it is obsolete", async () => {
      const store = new FileCursorStore({ path });
      let largest = 0;
      for (let count = 2_000; count <= 100_000; count += 2_000) {
        await store.save(drained(count, count - 1_000), "now");
        largest = Math.max(largest, await sizeOf(log()));
      }
      should(largest).be.below(1_000_000);
      await store.save(drained(100_000, 99_900), "now");
      should(await files()).eql(["cursor.json"]);
    });

    it("does not take events delivered before a seek for delivered after it", async () => {
      const store = new FileCursorStore({ path });
      await store.save(drained(2_000), "now");
      await store.save(drained(1_000), "now");
      should(await new FileCursorStore({ path }).load()).eql(drained(1_000));
    });

    it("writes that file again when it was removed", async () => {
      const store = new FileCursorStore({ path });
      await store.save(drained(1_000), "now");
      await rm(log());
      await store.save(drained(1_001), "now");
      should(await new FileCursorStore({ path }).load()).eql(drained(1_001));
    });

    it("passes over half a line at its end, and calls an error what is not there or not whole", async () => {
      await new FileCursorStore({ path }).save(drained(1_000), "now");
      const whole = await readFile(log(), "utf8");
      await writeFile(log(), `${whole}${whole.slice(0, 500)}`);
      const next = new FileCursorStore({ path });
      should(await next.load()).eql(drained(1_000));
      await next.save(drained(1_001), "now");
      should(await new FileCursorStore({ path }).load()).eql(drained(1_001));
      await writeFile(log(), whole.slice(1));
      await should(new FileCursorStore({ path }).load()).rejectedWith({ code: "CURSOR_FILE_DAMAGED" });
      await rm(log());
      const missing = should(new FileCursorStore({ path }).load());
      await missing.rejectedWith({ code: "CURSOR_FILE_DAMAGED", message: /is missing, or its beginning/ });
    });

    for (const moment of ["before", "amid", "after"] as const) {
      it(`knows all that was delivered, whichever step the process dies ${moment}`, async () => {
        for (let nth = 1; ; nth += 1) {
          await rm(join(folder, "deep"), { recursive: true, force: true });
          await new FileCursorStore({ path }).save(drained(600), "now");
          const { files: dying, died, calls, bury } = dyingAt(nth, moment);
          const store = new FileCursorStore({ path, files: dying });
          await store.load();
          await Promise.race([store.save(drained(700), "now"), died]);
          await bury();
          const next = new FileCursorStore({ path });
          const state = await next.load();
          should([599, 600, 699, 700]).containEql(state?.cursor);
          const known = new Set(state?.delivered.map(([offset]) => offset));
          should(range(1, state?.cursor ?? 0).filter((offset) => !known.has(offset))).eql([]);
          await next.save(drained(800), "now");
          should(await new FileCursorStore({ path }).load()).eql(drained(800));
          if (calls() < nth) return should(nth).be.above(9);
        }
      });
    }
  });

  describe("a file that was put there", () => {
    const restored = async () => (await new FileCursorStore({ path }).load())?.restored;
    const hourAgo = new Date(Date.now() - 3_600_000);
    const putBack = {
      "beside the old one, with its times": async (backup: string) => {
        await nodeFiles.cp(path, backup, { preserveTimestamps: true });
        await nodeFiles.rename(backup, path);
      },
      "over the old one, without its times": async () => {
        await writeFile(path, await readFile(path));
        await nodeFiles.utimes(path, hourAgo, hourAgo);
      },
    };

    for (const [how, put] of Object.entries(putBack)) {
      it(`is known until the next cursor is stored (${how})`, async () => {
        await new FileCursorStore({ path }).save(stateAt(5), "now");
        should(await restored()).equal(undefined);
        await put(join(folder, "backup"));
        should(await restored()).be.true();
        await new FileCursorStore({ path }).save(stateAt(6), "now");
        should(await restored()).equal(undefined);
      });
    }

    it("is not taken for one when its rights are set", async () => {
      await new FileCursorStore({ path }).save(stateAt(5), "now");
      await nodeFiles.chmod(path, 0o640);
      should(await restored()).equal(undefined);
    });
  });

  it("clears away what a killed process left", async () => {
    await new FileCursorStore({ path }).save(stateAt(1), "now");
    const temporary = `${randomUUID()}.${randomUUID()}.tmp`;
    await writeFile(join(folder, "deep", "er", `.cursor.json.${temporary}`), "half of a cur");
    await writeFile(join(folder, "deep", "er", `.cursor.json.json.${temporary}`), "another's");
    should((await new FileCursorStore({ path }).load())?.cursor).equal(0);
    should((await files()).sort()).eql([`.cursor.json.json.${temporary}`, "cursor.json"]);
  });

  it("is never torn by several writers at the same time", async () => {
    const stores = [1, 2, 3, 4].map(() => new FileCursorStore({ path }));
    await Promise.all(
      stores.flatMap((store, writer) =>
        Array.from({ length: 10 }, (_, round) => store.save(stateAt(writer * 100 + round), "now")),
      ),
    );
    should(await new FileCursorStore({ path }).load()).have.property("cursor");
    should(await files()).eql(["cursor.json"]);
  });
});
