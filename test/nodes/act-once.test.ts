import { randomBytes } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import should from "should";
import type { Message } from "../support/flow-harness.ts";
import { freshId } from "../support/node-red.ts";
import { checkError, KEPT, OperationHarness, RECEIVER } from "../support/operation-harness.ts";
import { submitNode, value } from "../support/operation-nodes.ts";
import { itWide } from "../support/wide.ts";

/** *Act once for* in submit operation: which messages are one operation. */
describe("submit operation acts once", function () {
  this.timeout(120_000);

  let harness: OperationHarness;

  before(async () => {
    harness = await OperationHarness.start();
    const inner = { ...submitNode({ id: "inner" }), z: "made", x: 1, y: 1, wires: [[], []] };
    const made = { id: "made", type: "subflow", name: "made", info: "", env: [] };
    const port = (id: string) => [{ x: 1, y: 1, wires: [{ id }] }];
    await harness.deploy(
      [
        [submitNode({ allowUnusual: true }), 2],
        [submitNode({ id: "other" }), 2],
        [submitNode({ id: "draft", mode: "draft" }), 2],
        [submitNode({ id: "keyed", onceFor: "key" }), 2],
        [submitNode({ id: "always", onceFor: "message" }), 2],
        [submitNode({ id: "payment", calls: [payment], allowUnusual: true }), 2],
        [{ id: "first", type: "subflow:made" }, 1],
        [{ id: "second", type: "subflow:made" }, 1],
        [{ ...split, wires: [["submit"]] }, 1],
        [{ ...twice, wires: [["submit"]] }, 1],
      ],
      [
        { ...made, in: port("inner"), out: [{ x: 1, y: 1, wires: [{ id: "inner", port: 0 }] }] } as never,
        inner,
      ],
    );
  });

  after(() => harness?.close());

  const payment = {
    ...{ kind: "raw", to: value("to", "msg"), data: value("") },
    amount: { ...value("wei", "msg"), unit: "wei" },
  };
  const split = { id: "split", type: "split", splt: "\\n", arraySplt: 1, arraySpltType: "len" };
  const twice = { id: "twice", type: "function", func: "return [[msg, msg]];", outputs: 1, libs: [] };
  /** Of a log that nobody has seen. */
  const newLog = () => `${harness.service.ready.chain_selector}:0x${randomBytes(32).toString("hex")}:0`;
  const about = (log: string, more: Partial<Message> = {}, confidence = "latest"): Message => ({
    ...{ to: RECEIVER, payload: "1", crec: { keep: "me", dedupeKey: `${log}:${confidence}` } },
    ...more,
  });

  it("for an event, at whatever confidence it arrives, and follows the first operation", async () => {
    const log = newLog();
    const key = `event ${log}, node submit`;
    const first = await harness.ask("submit", about(log));
    should(first.crec).have.properties({ found: false, usedKey: key, walletOperationId: harness.idOf(key) });
    should(first.crec).not.have.property("operationKey");
    const second = await harness.ask("submit", about(log, {}, "finalized"));
    const { operationId, digest } = first.crec ?? {};
    should(second.crec).have.properties({ found: true, operationId, digest, status: "confirmed_latest" });
    should(await harness.nodeRed.status("submit", /^found: included \(not final\)/)).have.property(
      "fill",
      "green",
    );
    should(await harness.executions(key)).equal(1);
  });

  const REAL = { from: "0xAB", to: "0xcd", value: "1" };
  const SWAPPED = { from: REAL.to, to: REAL.from, value: "1" };
  const RENAMED = { src: "0xab", dst: "0xcd", wad: "1" };
  /** A log as one watcher reads it. */
  const read = (log: string, params: object, confidence = "latest"): Message => {
    const text = JSON.stringify({ name: "Transfer", chain_event: { params } });
    const payload = { verifiable_event: Buffer.from(text).toString("base64") };
    const event = { headers: { type: "watcher.event" }, payload };
    return about(log, { crec: { keep: "me", dedupeKey: `${log}:${confidence}`, event } });
  };
  const keyOf = (log: string) => `event ${log}, node submit`;
  const folderOf = () => join(harness.userDir.path, "crec-signing");

  it("for a log, whatever its parameters: another reading of it is an error", async () => {
    const log = newLog();
    should((await harness.ask("submit", read(log, REAL))).crec).have.property("found", false);
    const caught = await harness.refuse("submit", { ...KEPT, ...read(log, SWAPPED) });
    checkError(caught, "submit", "CONTRADICTING_EVENT", "with other parameters");
    const again = { value: 1, to: "0xCD", from: "0xab" };
    should((await harness.ask("submit", read(log, again, "finalized"))).crec).have.property("found", true);
    should(await harness.executions(keyOf(log))).equal(1);
  });

  it("for a log, in whatever order its readings come, also where they cannot be stored", () =>
    fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray([REAL, SWAPPED, RENAMED, REAL], { minLength: 2, maxLength: 3 }),
        // From which of them on it can be stored.
        fc.nat({ max: 2 }),
        async (readings, storedFrom) => {
          const log = newLog();
          const path = join(folderOf(), `reading-${harness.idOf(keyOf(log))}`);
          if (storedFrom > 0) {
            await mkdir(folderOf(), { recursive: true });
            await writeFile(path, "");
          }
          for (const [index, params] of readings.entries()) {
            if (index > 0 && index === storedFrom) await rm(path, { recursive: true });
            if (params === readings[0]) {
              const { crec } = await harness.ask("submit", read(log, params));
              should(crec).have.property("found", index > 0);
            } else {
              const caught = await harness.refuse("submit", { ...KEPT, ...read(log, params) });
              checkError(caught, "submit", "CONTRADICTING_EVENT", "with other parameters");
            }
          }
          should(await harness.executions(keyOf(log))).equal(1);
        },
      ),
      { numRuns: 3, examples: [[[REAL, SWAPPED, REAL], 2]] },
    ));

  itWide("in each node, and in each instance of a subflow", async () => {
    const log = newLog();
    const ids = ["submit", "other", "first", "second"];
    for (const id of [...ids, ...ids]) await harness.ask(id, about(log));
    for (const id of ["submit", "other", "first-inner", "second-inner"]) {
      should(await harness.executions(`event ${log}, node ${id}`)).equal(1, id);
    }
  });

  itWide("for each part of a message that was split", async () => {
    const log = newLog();
    const amounts = ["1", "2", "2"];
    for (const confidence of ["latest", "finalized"]) {
      const probe = freshId();
      await harness.nodeRed.press("press-split", { ...about(log, { payload: amounts }, confidence), probe });
      await harness.nodeRed.shows(() => harness.seenAt("submit:0", probe).length === amounts.length);
      const found = harness.seenAt("submit:0", probe).map(({ crec }) => crec?.found);
      should(found).deepEqual(amounts.map(() => confidence === "finalized"));
    }
    for (const index of amounts.keys()) {
      should(await harness.executions(`event ${log}, part ${index}, node submit`)).equal(1);
    }
  });

  it("for copies of a message, and warns that it does", async () => {
    const [log, probe] = [newLog(), freshId()];
    await harness.nodeRed.press("press-twice", { ...about(log), probe });
    await harness.nodeRed.shows(() => harness.seenAt("submit:0", probe).length === 2);
    should(await harness.executions(`event ${log}, node submit`)).equal(1);
    should(harness.nodeRed.log.match(/Two messages about one event arrived together/g)).have.length(1);
  });

  it("for each message that is about no event, such as that of a button, and forgets an earlier key", async () => {
    const before = await harness.executions();
    const crec = { usedKey: "of an operation before" };
    for (const _time of [1, 2]) {
      const { crec: its } = await harness.ask("submit", { to: RECEIVER, payload: "1", crec });
      should(its).not.have.properties("found").and.not.have.properties("usedKey");
    }
    should(await harness.executions()).equal(before + 2);
  });

  it("for each message about an event whose proof was not checked, and warns once", async () => {
    const before = await harness.executions();
    for (const _time of [1, 2]) {
      await harness.ask("other", { to: RECEIVER, payload: "1", crec: { event: { event_id: "e" } } });
    }
    should(await harness.executions()).equal(before + 2);
    should(harness.nodeRed.log.match(/event whose proof was not checked/g)).have.length(1);
  });

  itWide("for each message, if the form says so, unless it has a key", async () => {
    const [log, key] = [newLog(), freshId()];
    const before = await harness.executions();
    for (const _time of [1, 2]) await harness.ask("always", about(log));
    should(await harness.executions()).equal(before + 2);
    for (const _time of [1, 2]) {
      await harness.ask("always", about(log, { crec: { dedupeKey: log, operationKey: key } }));
    }
    should(await harness.executions(key)).equal(1);
  });

  itWide("for each key, if the form says so, and sends nothing without one", async () => {
    const [log, key] = [newLog(), freshId()];
    const before = await harness.executions();
    const caught = await harness.refuse("keyed", { ...KEPT, ...about(log) });
    checkError(caught, "keyed", "OPERATION_KEY_MISSING", "Set msg.crec.operationKey");
    for (const _time of [1, 2]) await harness.ask("keyed", about(log, { crec: { operationKey: key } }));
    should(await harness.executions(key)).equal(1);
    should(await harness.executions()).equal(before + 1);
  });

  itWide("says what differs when the event comes with other calls", async () => {
    const log = newLog();
    const tokens = (count: number) => `${count}${"0".repeat(18)}`;
    await harness.ask("submit", about(log, { payload: tokens(1) }));
    const other = {
      ...KEPT,
      ...about(log, { payload: tokens(2), to: harness.wallet }, "finalized"),
    };
    const caught = await harness.refuse("submit", other);
    const [its, of] = [harness.wallet, RECEIVER].map((hex) => `${hex.slice(0, 6)}…${hex.slice(-4)}`);
    const receiver = `call 1: to is ${its}, was ${of}`;
    checkError(caught, "submit", "OPERATION_KEY_REUSED", receiver);
    should(caught.error?.message).containEql("; call 1: value is 2 tokens, was 1 token");
    should(await harness.executions(`event ${log}, node submit`)).equal(1);

    const paid = newLog();
    await harness.ask("payment", about(paid, { wei: "1" }));
    const more = await harness.refuse("payment", { ...KEPT, ...about(paid, { wei: "25" }) });
    const coins = "call 1: it sends 25 wei, was 1 wei.";
    checkError(more, "payment", "OPERATION_KEY_REUSED", coins);
    should(await harness.executions(`event ${paid}, node payment`)).equal(1);
  });

  itWide("as a draft", async () => {
    const log = newLog();
    const first = await harness.ask("draft", about(log));
    should(first.crec).have.properties({ found: false, usedKey: `event ${log}, node draft` });
    const second = await harness.ask("draft", about(log, {}, "finalized"));
    should(second.crec).have.properties({ found: true, operationId: first.crec?.operationId });
    await harness.nodeRed.status("draft", "found: waits for approval");
    const caught = await harness.refuse("draft", { ...KEPT, ...about(log, { payload: "2" }) });
    checkError(
      caught,
      "draft",
      "OPERATION_KEY_REUSED",
      /^Key used for other calls: call 1: value is 0\.0{17}2 tokens, was 0\.0{17}1 tokens\./,
    );
  });

  it("leaves Node-RED running", () => harness.checkRunsWell());
});
