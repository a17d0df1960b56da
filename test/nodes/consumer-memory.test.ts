import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Node, NodeAPI } from "node-red";
import should from "should";
import { ConsumerMemory } from "../../nodes/events-in/consumer-memory.ts";

describe("the mark of a consumer that has run", () => {
  let userDir: string;
  before(async () => {
    userDir = await mkdtemp(join(tmpdir(), "crec-ran-"));
  });
  after(() => rm(userDir, { recursive: true, force: true, maxRetries: 5 }));

  const identity = { consumer: "a", channelId: "c", service: "https://example.com" };
  const of = (changed: Partial<typeof identity> = {}) =>
    new ConsumerMemory({ settings: { userDir } } as unknown as NodeAPI, {} as Node, {
      ...identity,
      ...changed,
    });

  it("is of its name, channel and service only, whatever the name is", async () => {
    const names = ["a", "b/../c", "\ud83d", "\ud83e", "x".repeat(5_000)];
    for (const consumer of names) {
      should(await of({ consumer }).recall()).be.undefined();
      await of({ consumer }).note();
      should(await of({ consumer }).recall()).deepEqual({});
    }
    should(await of({ channelId: "d" }).recall()).be.undefined();
    should(await of({ service: "https://example.org" }).recall()).be.undefined();
    const folder = join(userDir, "crec-started");
    for (const file of await readdir(folder)) should((await stat(join(folder, file))).mode & 0o77).equal(0);
  });

  it("is not replaced by that of another channel", async () => {
    await of({ channelId: "one" }).note({ epoch: 1 });
    await of({ channelId: "two" }).note({ epoch: 2 });
    should(await of({ channelId: "one" }).recall()).deepEqual({ epoch: 1 });
  });

  it("is found where an older version wrote it", async () => {
    await writeFile(join(userDir, "crec-started/old.json"), JSON.stringify({ ...identity, consumer: "old" }));
    should(await of({ consumer: "old" }).recall()).deepEqual({});
  });

  const positionAt = (cursor: number, epoch: number, saved: number) => ({
    ...{ version: 1 as const, identity, cursor, floor: cursor, handedOut: cursor, delivered: [] },
    ...{ epoch, saved },
  });

  it("is the position that was saved last, wherever it is", async () => {
    const memory = of({ consumer: "moved back" });
    const last = positionAt(3, 8, 2);
    for (const position of [positionAt(5, 7, 9), positionAt(9, 8, 1), last, positionAt(7, 8, 1)])
      await memory.note({ position });
    should(await memory.recall()).deepEqual({ epoch: 8, position: last });
    await memory.flush();
    should(await of({ consumer: "moved back" }).recall()).deepEqual({ epoch: 8, position: last });
  });

  it("is written by two copies into one folder, and neither takes the other's away", async () => {
    const [reader, standby] = [of({ consumer: "two" }), of({ consumer: "two" })];
    const position = positionAt(3, 8, 2);
    await reader.note({ position });
    await standby.note({ epoch: 9 });
    should(await of({ consumer: "two" }).recall()).deepEqual({ epoch: 9, position });
  });

  it("names the node that ran last", async () => {
    const folder = join(userDir, "crec-started");
    for (const id of ["one", "other"]) {
      const RED = { settings: { userDir } } as unknown as NodeAPI;
      await new ConsumerMemory(RED, { id } as Node, { ...identity, consumer: "taken over" }).note();
      const [file = ""] = (await readdir(folder)).filter((name) => name.includes("taken"));
      should(JSON.parse(await readFile(join(folder, file), "utf8"))).have.property("node", id);
    }
    should(await of({ consumer: "taken over" }).recall()).deepEqual({});
  });

  it("is without what cannot be used", async () => {
    const odd = of({ consumer: "odd" });
    await odd.note();
    const folder = join(userDir, "crec-started");
    const [file = ""] = (await readdir(folder)).filter((name) => name.includes("odd"));
    const mark = { ...identity, consumer: "odd", epoch: "9", position: { cursor: 3 } };
    await writeFile(join(folder, file), JSON.stringify(mark));
    should(await of({ consumer: "odd" }).recall()).deepEqual({});
  });
});
