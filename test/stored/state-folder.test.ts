import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { NodeAPI } from "node-red";
import should from "should";
import { eventually } from "../support/eventually.ts";
import { PRESENT } from "./code.ts";
import { filesOf } from "./dump.ts";
import { folderWith, LATEST, OLDER, RECORDS, withoutChance } from "./records.ts";
import * as things from "./things.ts";
import { alertRule, readPast, type StoreFor, writeFolder } from "./write.ts";

const { IDENTITY, MANY, IN_CONTEXT, NODE, TIME } = things;
const NOW_MS = TIME * 1000 + 3 * things.HOUR_MS;

for (const { commit, folder, context } of RECORDS) {
  describe(`a state folder that ${commit} has written`, () => {
    let path: string;
    let remove: () => Promise<void>;
    let RED: ReturnType<typeof things.nodeRedIn>;

    beforeEach(async () => {
      ({ path, remove } = await folderWith(folder));
      RED = things.nodeRedIn(path);
    });
    afterEach(() => remove());

    const storeFor: StoreFor = (id) =>
      new PRESENT.library.FileAlertStore({ path: PRESENT.alertsPath(RED as NodeAPI, id) });
    const rule = (name: Parameters<typeof alertRule>[2]) => alertRule(PRESENT, storeFor, name, NOW_MS);
    const cursorStore = (consumer: string) =>
      new PRESENT.library.FileCursorStore({ path: PRESENT.cursorPath(RED, consumer) });

    it("has a cursor at which its consumer goes on: with what was not acknowledged, and with nothing else again", async () => {
      const options = { path: PRESENT.cursorPath(RED, IDENTITY.consumer), events: 6 };
      const { consumer, delivered } = things.reading(PRESENT, options);
      consumer.start();
      await eventually("three events", () => delivered.length >= 3);
      for (const { event } of delivered) consumer.ack(event.event_id);
      await consumer.stop();
      should(delivered.map(({ offset, redelivered }) => [offset, redelivered])).deepEqual([
        [2, true],
        [4, false],
        [5, false],
      ]);
      should(await cursorStore(IDENTITY.consumer).load()).match({ cursor: 5, handedOut: 5 });
    });

    it("has a cursor that is known to be a copy, since its file is another one", async () => {
      should(await cursorStore(IDENTITY.consumer).load()).match({
        identity: IDENTITY,
        cursor: 1,
        restored: true,
      });
    });

    it("has a cursor with more delivered events than its file holds", async () => {
      const { delivered, ...cursor } = things.stateOf(MANY, things.MANY_EVENTS);
      const loaded = await cursorStore(MANY.consumer).load();
      should(loaded).match(cursor);
      should(loaded?.delivered).deepEqual(delivered);
    });

    it("belongs to a Node-RED with a cursor in a context store", async () => {
      const store = PRESENT.contextStore(things.nodeWith(context), IN_CONTEXT.consumer, "disk");
      should(await store.load()).deepEqual(things.stateOf(IN_CONTEXT, 2));
    });

    it("says which consumers have had a cursor, and so do context stores", async () => {
      const known = (
        identity: typeof IDENTITY,
        of = RED,
        values: things.Context = { node: {}, global: {} },
      ) => PRESENT.consumerMemory(of, things.nodeWith(values), identity).recall();
      should(await known(IDENTITY)).deepEqual({});
      should(await known({ ...IDENTITY, channelId: "other" })).be.undefined();
      const position = { ...things.stateOf(MANY, 2), epoch: TIME, saved: 7 };
      should(await known(MANY)).deepEqual(commit === OLDER.commit ? {} : { epoch: TIME, position });
      const empty = await folderWith({});
      const elsewhere = things.nodeRedIn(empty.path);
      should(await known(IN_CONTEXT, elsewhere)).be.undefined();
      should(await known(IN_CONTEXT, elsewhere, structuredClone(context))).deepEqual({});
      await empty.remove();
    });

    it("has the keys of events that were processed, with their deliveries", async () => {
      const store = new PRESENT.library.FileDedupeStore({ path: PRESENT.seenPath(RED, NODE.seen) });
      await store.load();
      const [first, second] = things.SEEN;
      const again = second?.seen as NonNullable<typeof second>["seen"] & object;
      should(store.accept(String(first?.key))).equal("seen");
      should(store.accept(String(second?.key), again)).equal("seen");
      const delivery = { ...again.delivery, redelivered: true };
      should(store.accept(String(second?.key), { ...again, delivery })).equal("new");
      // Earlier versions did not remember what the parameters were.
      const other = { ...again, digest: "b".repeat(64) };
      should(store.accept(String(second?.key), other)).equal(
        commit === OLDER.commit ? "seen" : "contradicts",
      );
      should(store.accept("1:0xab:9:latest")).equal("new");
      await store.close();
    });

    it("has an open alert, which its events do not raise again, and whose end is told once", async () => {
      const open = rule("open");
      // An alert of another rule would have ended.
      should(await open.open()).be.empty();
      for (const afterS of [0, 10]) should((await open.accept(things.transfer(afterS))).passed).equal("seen");
      const ends = await readPast(open);
      // The id is that of the message that somebody got.
      const alert = { id: "FFEDZGRG37EKb8pxTdTc9N", count: 2, details: { text: "told" } };
      should(ends).match([{ kind: "recovered", alert }]);
      for (const end of ends) await open.acknowledge(end);
      await open.close();
      const after = rule("open");
      should([...(await after.pending()), ...(await readPast(after))]).be.empty();
      await after.close();
    });

    it("has the end of an alert that was not told, until it is", async () => {
      const ended = rule("ended");
      const pending = await ended.pending();
      should(pending).match([{ kind: "recovered", alert: { key: `0x${"11".repeat(20)}`, count: 2 } }]);
      for (const end of pending) await ended.acknowledge(end);
      await ended.close();
      const after = rule("ended");
      should(await after.pending()).be.empty();
      await after.close();
    });

    it("has an alert that is taken back when its transaction turns out to have failed", async () => {
      const watched = rule("watched");
      const { chainSelector, transactionHash } = things.transfer(0).decoded;
      const outcomes = await watched.learn({
        ...{ kind: "transaction", chainSelector, transactionHash, blockNumber: "6500001" },
        ...{ confidence: "finalized", failed: true },
      });
      const told = [...outcomes, ...(await watched.readUpTo(TIME * 1000 + 600_000))];
      should(told).match([{ kind: "takenBack", alert: { key: `0x${"11".repeat(20)}` } }]);
      await watched.close();
    });

    it("has open alerts that Issues finds where the node is gone", async () => {
      for (const [name, count] of Object.entries({ open: 1, ended: 1, watched: 0 })) {
        const store = storeFor(NODE[name as "open"]);
        should(await PRESENT.library.openAlertsIn(store)).have.length(count, name);
        await store.close();
      }
    });

    it("has what is being signed, which keeps others from signing something else", async () => {
      const claims = PRESENT.fileClaims(RED);
      const claim = await claims.claim(things.SIGNING, things.OTHER_CLAIM);
      // That commit had a file for each, which is not read since each has a folder: the chain takes one of the two.
      should(claim).deepEqual(commit === OLDER.commit ? things.OTHER_CLAIM : things.CLAIM);
      await claims.release(things.SIGNING, claim.digest);
      should(await claims.claim(things.SIGNING, things.OTHER_CLAIM)).deepEqual(things.OTHER_CLAIM);
    });

    it("has the issues that somebody ignores", async () => {
      should([...(await PRESENT.ignored(RED).ids())]).deepEqual(things.IGNORED);
    });

    it("says where an API key may be sent", () => {
      PRESENT.bindKey(RED, things.API_KEY);
      const elsewhere = { ...things.API_KEY, addresses: ["https://elsewhere.example/"] };
      should(() => PRESENT.bindKey(RED, elsewhere)).throw({
        code: "KEY_NEEDS_CONFIRMATION",
        message: /was entered for https:\/\/crec\.example\/v1\/, /,
      });
    });

    it("has a wait whose message comes again, with what the node needs to go on", async () => {
      const node = things.waitingNode(PRESENT, RED);
      RED.events.emit("flows:started");
      await eventually("the wait", () => node.waiting.length > 0);
      const [{ msg, kept, end } = { end: () => {} }] = node.waiting;
      should(kept).deepEqual({ id: things.WAIT.id, service: things.SERVICE, about: things.WAIT.about });
      should(msg).match({ ...things.WAIT.msg, crec: { eventId: "event-3", resumed: true } });
      end();
      const left = () => readdir(join(path, "crec-waits", NODE.waits)).catch(() => []);
      await eventually("no file", left, (names) => names.length === 0);
      await node.stop();
    });
  });
}

describe("a state folder that is written now", () => {
  let made: Awaited<ReturnType<typeof folderWith>>;
  before(async () => {
    made = await folderWith({});
  });
  after(() => made.remove());

  it(`has the files and formats of ${LATEST.commit}`, async () => {
    const context = await writeFolder(PRESENT, made.path);
    const files = Object.entries(await filesOf(made.path)).filter(([file]) => !file.includes(".in-use"));
    should(withoutChance(Object.fromEntries(files))).deepEqual(withoutChance(LATEST.folder));
    should(withoutChance(context)).deepEqual(withoutChance(LATEST.context));
  });
});
