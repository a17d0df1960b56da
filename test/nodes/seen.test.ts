import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import should from "should";
import { crc32ByHand } from "../../nodes/verify-event/crc32.ts";
import { SeenMemory } from "../../nodes/verify-event/seen.ts";
import { readEntries } from "../../nodes/verify-event/seen-file.ts";
import { rememberOf, type VerifyEventDef } from "../../nodes/verify-event/settings.ts";
import { configOf, proofCases } from "../proofs/fixtures.ts";
import { ask, benchFlow, refuse } from "../support/bench.ts";
import { type FlowNode, freshId, NodeRed, UserDir } from "../support/node-red.ts";
import { verifyEventNode } from "../support/nodes.ts";

describe("the checksum of what was seen", () => {
  it("is the same where Node.js does not have it", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        should(crc32ByHand(text)).equal(crc32(text));
      }),
    );
  });
});

/** What "each event once" remembers: the memory itself. In a real Node-RED: below. */
describe("the memory of what was sent on", () => {
  let folder: string;
  let path: string;
  const problems: string[] = [];
  const open: SeenMemory[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "crec-seen-"));
    path = join(folder, "deep", "node.log");
    problems.length = 0;
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((memory) => memory.close()));
    await rm(folder, { recursive: true, force: true });
  });

  const opened = async (most = 10, intervalMs = 0) => {
    const memory = new SeenMemory({ path, most, intervalMs, onProblem: (text) => problems.push(text) });
    open.push(memory);
    await memory.load();
    return memory;
  };
  /** Those of these keys that are in the file. */
  const known = async (...keys: string[]) => {
    const { entries } = await readEntries(path);
    return keys.filter((key) => entries.some(([written]) => written === key));
  };

  const until = async (holds: () => boolean | Promise<boolean>) => {
    while (!(await holds())) await sleep(5);
  };

  it("lets each key through once, over an orderly end", async () => {
    const memory = await opened();
    should(["a", "b", "a"].map((key) => memory.isFirst(key))).deepEqual([true, true, false]);
    await memory.close();
    should(await known("a", "b", "c")).deepEqual(["a", "b"]);
    should(problems).be.empty();
  });

  it("lets a delivery that is repeated through again under its own name, and under no other", async () => {
    const first = (name: string) => ({ name, isRepeated: false });
    const again = (name: string) => ({ name, isRepeated: true });
    let memory = await opened();
    should(memory.isFirst("a", first("reader 1"))).be.true();
    should(memory.isFirst("a", first("reader 1"))).be.false();
    await memory.close();
    memory = await opened();
    should(memory.isFirst("a", first("reader 1"))).be.false();
    should(memory.isFirst("a", again("reader 1"))).be.true();
    should(memory.isFirst("a", again("reader 2"))).be.false();
    should(memory.isFirst("a")).be.false();
    should(memory.isFirst("a", again("reader 1"))).be.true();
    should(memory.isFirst("b")).be.true();
    should(memory.isFirst("b", again("reader 3"))).be.false();
    should(memory.isFirst("b", again(""))).be.false();
    should(memory.isFirst("c", again("reader 1"))).be.true();
  });

  it("forgets the least recently seen, in memory and in the file", async () => {
    const memory = await opened(3);
    for (const key of ["a", "b", "c", "a", "d"]) memory.isFirst(key);
    should(memory.size).equal(3);
    await memory.close();
    const again = await opened(3);
    should(["a", "c", "d"].filter((key) => again.isFirst(key))).be.empty();
    should(again.isFirst("b")).be.true();
  });

  it("appends to the file up to twice what it remembers, and then writes it anew", async () => {
    const lines: string[][] = [];
    for (const keys of ["abc", "def", "g"]) {
      const memory = await opened(3);
      for (const key of keys) memory.isFirst(key);
      await memory.close();
      lines.push((await readEntries(path)).entries.map(([key]) => key));
    }
    should(lines.map((keys) => keys.join(""))).deepEqual(["abc", "abcdef", "efg"]);
  });

  it("writes only what is new, after the first time", async () => {
    const memory = await opened();
    memory.isFirst("a");
    memory.isFirst("b");
    await until(async () => (await known("a", "b")).length === 2);
    memory.isFirst("a");
    await memory.close();
    should((await readEntries(path)).entries.map(([key]) => key)).deepEqual(["a", "b", "a"]);
  });

  it("remembers 10,000 keys if nothing else is asked for, from 1 to 100,000 if so", () => {
    should(
      ["", undefined, "1", "100000"].map((remember) => rememberOf({ remember } as VerifyEventDef)),
    ).deepEqual([10_000, 10_000, 1, 100_000]);
    for (const remember of ["0", "100001", "many"]) {
      should(() => rememberOf({ remember } as VerifyEventDef)).throw({ code: "INVALID_FIELD" });
    }
  });

  it("keeps the file within twice what it remembers", async () => {
    const memory = await opened(50);
    for (let count = 0; count < 1000; count += 1) {
      memory.isFirst(`key-${count}`);
      if (count % 20 === 0) await sleep(1);
    }
    await memory.close();
    const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
    should(lines.length).be.within(50, 100);
    should(await readdir(join(folder, "deep"))).deepEqual(["node.log"]);
    should((await opened(50)).size).equal(50);
  });

  it("is as good as one that remembers everything, as long as that is little", () => {
    const keys = fc.array(fc.constantFrom(..."abcdefgh"), { maxLength: 40 });
    return fc.assert(
      fc.asyncProperty(fc.array(keys, { maxLength: 4 }), async (runs) => {
        await rm(path, { force: true });
        const model = new Set<string>();
        for (const run of runs) {
          const memory = await opened(8);
          for (const key of run) {
            should(memory.isFirst(key)).equal(!model.has(key));
            model.add(key);
          }
          await memory.close();
        }
      }),
      { numRuns: 20 },
    );
  });

  it("is in the file soon, and not written more often than the interval", async () => {
    const memory = await opened(10, 200);
    const begun = performance.now();
    memory.isFirst("a");
    await until(async () => (await known("a")).length > 0);
    memory.isFirst("b");
    await until(async () => (await known("b")).length > 0);
    should(performance.now() - begun).be.above(199);
  });

  for (const [harm, change] of Object.entries({
    "torn in its last line": (text: string) => text.slice(0, -5),
    "changed within": (text: string) => text.replace('"b"', '"x"'),
    "followed by zeros": (text: string) => `${text}\0\0\0`,
  })) {
    it(`says so when its file is ${harm}, keeps a copy, and knows what is whole in it`, async () => {
      const memory = await opened();
      for (const key of ["a", "b", "c"]) memory.isFirst(key);
      await memory.close();
      const damaged = change(await readFile(path, "utf8"));
      await writeFile(path, damaged);
      const again = await opened();
      should(problems).have.length(1);
      should(problems[0]).match(/torn or was changed/);
      const copy = (await readdir(join(folder, "deep"))).find((name) => name.includes("damaged"));
      should(await readFile(join(folder, "deep", String(copy)), "utf8")).equal(damaged);
      should(again.isFirst("a")).be.false();
      await again.close();
      // Told once: from here on the file is whole again.
      await (await opened()).close();
      should(problems).have.length(1);
    });
  }

  for (const value of ["null", "5", "{}", "[]", '["a"]', '["a",1]', '["a","",""]', "not JSON"]) {
    it(`takes a line that holds ${value} for damage, though its checksum is right`, async () => {
      const memory = await opened();
      memory.isFirst("b");
      await memory.close();
      await appendFile(path, `${crc32(value).toString(16).padStart(8, "0")} ${value}\n`);
      const again = await opened();
      should(problems).have.length(1);
      should(again.size).equal(1);
      should(again.isFirst("a")).be.true();
      should(again.isFirst("b")).be.false();
    });
  }

  for (const content of ["", "not ours at all\n", "{"]) {
    it(`does not take ${JSON.stringify(content)} for an empty memory`, async () => {
      await (await opened()).close();
      const memory = await opened();
      memory.isFirst("a");
      await memory.close();
      await writeFile(path, content);
      should((await opened()).size).equal(0);
      should(problems).have.length(1);
    });
  }

  it("does not judge while its file cannot be read, and tries again", async () => {
    const first = await opened();
    first.isFirst("a");
    await first.close();
    // A folder in its place cannot be read by anybody, not even by root.
    const text = await readFile(path, "utf8");
    await rm(path);
    await mkdir(path);
    const memory = new SeenMemory({ path, most: 10, onProblem: (line) => problems.push(line) });
    await should(memory.load()).be.rejectedWith({ code: "SEEN_NOT_READ" });
    await rm(path, { recursive: true });
    await writeFile(path, text);
    await memory.load();
    should(memory.isFirst("a")).be.false();
    await memory.close();
  });

  it("says once that it cannot write, loses nothing of it in memory, and writes as soon as it can", async () => {
    await writeFile(join(folder, "deep"), "a file where the folder should be");
    const memory = new SeenMemory({
      path,
      most: 10,
      intervalMs: 5,
      onProblem: (line) => problems.push(line),
    });
    await rm(join(folder, "deep"));
    await memory.load();
    await writeFile(join(folder, "deep"), "in the way");
    should(memory.isFirst("a")).be.true();
    await until(() => problems.length > 0);
    should(memory.isFirst("a")).be.false();
    await sleep(30);
    should(problems).have.length(1);
    should(problems[0]).match(/cannot be written/);
    await rm(join(folder, "deep"));
    await until(async () => (await known("a")).length > 0);
    await memory.close();
  });

  it("goes on with a whole file after an append that broke off", async () => {
    const memory = await opened();
    memory.isFirst("a");
    await memory.close();
    await appendFile(path, "1234");
    const again = await opened();
    again.isFirst("b");
    await again.close();
    should(await known("a", "b")).deepEqual(["a", "b"]);
  });
});

/** The promise to a flow: each event once, whatever becomes of Node-RED. */
describe("verify event that lets each event through once", function () {
  this.timeout(120_000);

  const VERIFIED = 0;
  const REJECTED = 1;
  const events = proofCases
    .filter(
      ({ expect, config, event }) =>
        expect === "verified" && !config && event.headers.type === "watcher.event",
    )
    .map(({ event }) => event);
  let userDir: UserDir;
  let nodeRed: NodeRed;

  before(async () => {
    userDir = await UserDir.make();
    nodeRed = await NodeRed.start(userDir);
  });
  after(async () => {
    await nodeRed?.kill();
    await userDir?.remove();
  });

  const { orgId, workflowOwner, creTenantId, validSigners, minRequiredSignatures } = configOf();
  const connection: FlowNode = {
    id: "connection",
    type: "crec-connection",
    baseUrl: "http://127.0.0.1/v1",
    orgId: orgId ?? "",
    workflowOwner: workflowOwner ?? "",
    creTenantId,
    validSigners: validSigners.join("\n"),
    minRequiredSignatures: String(minRequiredSignatures),
    credentials: { apiKey: "any" },
  };
  const deploy = (...nodes: FlowNode[]) =>
    nodeRed.deploy(
      benchFlow(
        [connection],
        nodes.map((node) => [node, 3]),
      ),
    );
  const once = (id: string, properties: Partial<FlowNode> = {}) =>
    verifyEventNode({ id, name: freshId(), firstTimeOnly: true, remember: "100", ...properties });
  const [event] = events;
  const sends = (id: string, port: number, crec: Record<string, unknown> = {}) =>
    ask(nodeRed, id, { crec: { event, ...crec } }, port);
  const repeats = async (id: string, crec: Record<string, unknown> = {}) =>
    should((await sends(id, REJECTED, crec)).crec?.verification).have.properties({
      verified: false,
      reason: "seen_before",
    });
  const file = (id: string) => join(userDir.path, "crec-seen", `${id}.log`);
  const written = async (id: string) => {
    while ((await readEntries(file(id))).entries.length === 0) await sleep(20);
  };

  it("rejects a repetition, under another event id too; another node does not know of it", async () => {
    await deploy(once("one"), once("two"));
    await sends("one", VERIFIED);
    await repeats("one");
    await repeats("one", { event: { ...event, event_id: "00000000-0000-4000-8000-000000000000" } });
    await sends("two", VERIFIED);
    await repeats("two");
    await nodeRed.status("two", "rejected: seen_before");
  });

  it("lets one through of two that come at once", async () => {
    await deploy(once("rush"));
    await Promise.all([
      nodeRed.press("press-rush", { crec: { event } }),
      nodeRed.press("press-rush", { crec: { event } }),
    ]);
    await nodeRed.showing("rush:1");
    should(nodeRed.shown("rush:0")).have.length(1);
  });

  it("remembers over a deploy, a stop and a kill", async () => {
    await deploy(once("lasts"));
    await sends("lasts", VERIFIED);
    await deploy(once("lasts"));
    await repeats("lasts");
    await nodeRed.stop();
    nodeRed = await NodeRed.start(userDir);
    await deploy(once("lasts"), once("killed"));
    await repeats("lasts");
    await sends("killed", VERIFIED);
    await written("killed");
    await nodeRed.kill();
    nodeRed = await NodeRed.start(userDir);
    await deploy(once("lasts"), once("killed"));
    await repeats("lasts");
    await repeats("killed");
  });

  it("holds back nothing that it rejected for another reason", async () => {
    await deploy(once("strict", { maxAge: "1" }));
    should((await sends("strict", REJECTED)).crec?.verification).have.property("reason", "too_old");
    await deploy(once("strict"));
    await sends("strict", VERIFIED);
    await repeats("strict");
  });

  it("lets an event through again whose message says that a consumer on ack was not done with it", async () => {
    await deploy(once("acks"));
    const delivery = { consumer: "reader", eventId: event?.event_id };
    await sends("acks", VERIFIED, delivery);
    // Sought again, or replayed.
    for (const not of [{}, { attempt: 1 }, { redelivered: false }, { attempt: "2", redelivered: "yes" }]) {
      await repeats("acks", { ...delivery, ...not });
    }
    const repeated = { ...delivery, attempt: 2, redelivered: true };
    await sends("acks", VERIFIED, repeated);
    await sends("acks", VERIFIED, { ...delivery, attempt: 2 });
    await sends("acks", VERIFIED, { ...delivery, redelivered: true });
    await repeats("acks", { ...repeated, consumer: "another" });
    await repeats("acks", { ...repeated, consumer: undefined });
    await repeats("acks", { ...repeated, eventId: "00000000-0000-4000-8000-000000000000" });
    await repeats("acks");
    await repeats("acks", {
      ...repeated,
      event: { ...event, event_id: "00000000-0000-4000-8000-000000000000" },
    });
  });

  it("says when its memory was damaged, keeps a copy, and goes on", async () => {
    await deploy(once("spoiled"));
    await sends("spoiled", VERIFIED);
    await nodeRed.stop();
    await writeFile(file("spoiled"), "spoiled");
    nodeRed = await NodeRed.start(userDir);
    await deploy(once("spoiled"));
    await nodeRed.status(
      "spoiled",
      ({ fill, text }) => fill === "red" && text === "verify-event.status.memory",
    );
    should(nodeRed.log).match(/spoiled\.log.*is torn or was changed/);
    should(
      (await readdir(join(userDir.path, "crec-seen"))).filter((name) =>
        name.startsWith("spoiled.log.damaged"),
      ),
    ).have.length(1);
    await sends("spoiled", VERIFIED);
    await nodeRed.status("spoiled", "verify-event.status.verified");
    await repeats("spoiled");
  });

  it("forgets with a node that is removed, and with no other", async () => {
    const remembers = ["removed", "disabled", "unticked", "left"];
    await deploy(...remembers.map((id) => once(id)));
    for (const id of remembers) {
      await sends(id, VERIFIED);
      await written(id);
    }
    // As a person would: each change is a deploy, of everything and of what was changed.
    await deploy(
      ...[once("disabled", { d: true }), once("unticked", { firstTimeOnly: false }), once("left")],
    );
    const files = async () =>
      (await readdir(join(userDir.path, "crec-seen"))).filter((name) =>
        remembers.includes(name.replace(".log", "")),
      );
    should(await files()).deepEqual(["disabled.log", "left.log", "unticked.log"]);
    const flow = benchFlow(
      [connection],
      [
        [once("disabled"), 3],
        [once("left"), 3],
      ],
    );
    await nodeRed.deploy(flow.map((node) => (node.type === "tab" ? { ...node, disabled: true } : node)));
    should(await files()).deepEqual(["disabled.log", "left.log"]);
    await deploy(once("disabled"), once("left"), once("removed"));
    await repeats("disabled");
    await repeats("left");
    await sends("removed", VERIFIED);
  });

  it("accepts nothing where a message was to say what, and does not", async () => {
    await deploy(once("asks", { expectEvents: "wanted", expectEventsType: "msg" }));
    const { error } = await refuse(nodeRed, "asks", { crec: { event } });
    should(error).have.properties({ code: "MISSING_VALUE" });
  });

  it("refuses a number that it cannot remember", async () => {
    await deploy(once("vain", { remember: "0" }));
    const { error } = await refuse(nodeRed, "vain", { crec: { event } });
    should(error).have.properties({ code: "INVALID_FIELD" });
    should(error?.message).match(/"Remember" must be a number from 1 to 100000/);
  });
});
