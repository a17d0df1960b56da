import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import should from "should";
import { itWide } from "../../test/support/wide.ts";
import type { StoredPage } from "../src/store/events/pages.ts";
import { BLOCK } from "../src/store/events/places.ts";
import { Store } from "../src/store/store.ts";
import { shownWallet } from "../src/store/wallets.ts";
import { shown } from "./searched-store.ts";
import { logTo, temporaryFolder } from "./support.ts";

const ALL = { limit: 200, offset: 0 };

describe("the store", () => {
  let folder: ReturnType<typeof temporaryFolder>;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder.dispose());

  it("omits hidden events from a page", async () => {
    const store = new Store(folder.path);
    const { channel_id } = store.channels.create({ name: "hidden" });
    for (const status of ["pending", "active", "archived"]) {
      store.events.append({ channelId: channel_id, type: "watcher.status", payload: { status } });
    }
    const isHidden = (channelId: string, offset: number) => channelId === channel_id && offset !== 2;
    const page = await store.events.poll(channel_id, { offset: 1, limit: 9, isHidden });
    store.close();
    should(await offsetsOf(page)).eql([2]);
  });

  it("finds and counts the events of an earlier version", async () => {
    const store = new Store(folder.path);
    const { channel_id } = store.channels.create({ name: "earlier" });
    const append = (to: Store, status: string) =>
      to.events.append({
        channelId: channel_id,
        type: "watcher.status",
        payload: { status, watcher_id: `watcher of ${status}` },
      });
    for (let count = 0; count < 300; count += 1) append(store, count % 100 === 7 ? "failed" : "active");
    store.close();
    forgetIndexes(folder.path);

    const log: string[] = [];
    const upgraded = new Store(folder.path, { log: logTo((message) => log.push(message)) });
    append(upgraded, "failed");
    const found = await upgraded.events.search(channel_id, { status: ["failed"] }, ALL);
    const ofWatcher = await upgraded.events.search(channel_id, { watcher_id: "watcher of failed" }, ALL);
    const ofNow = await upgraded.events.search(channel_id, { created: { gt: 5 } }, ALL);
    const counts = upgraded.counts();
    upgraded.close();
    should(await offsetsOf(found)).eql([8, 108, 208, 301]);
    should(await offsetsOf(ofWatcher)).eql([8, 108, 208, 301]);
    should(await offsetsOf(ofNow)).have.length(200);
    should(counts).match({ channels: { active: 1 }, events: 301 });
    const database = new DatabaseSync(join(folder.path, "service.sqlite"));
    const sizes = database.prepare(
      "SELECT largest_event, (SELECT max(octet_length(json)) FROM events) AS largest FROM channels",
    );
    const { largest_event, largest } = sizes.get() ?? {};
    const old = database
      .prepare(
        "SELECT 1 FROM sqlite_schema WHERE name IN ('event_places', 'event_times', 'events_are_found')",
      )
      .all();
    database.close();
    should(old).be.empty();
    should(largest_event).equal(largest);
    // It is worth a line only where it takes a while.
    should(log).be.empty();
  });

  it("finds all events of an earlier version, however many there are in each channel", async () => {
    const store = new Store(folder.path);
    const last = BLOCK + 3;
    const rare = [1, BLOCK - 1, BLOCK, last];
    const channels = ["one", "another"].map((name) => store.channels.create({ name }).channel_id);
    store.transaction(() => {
      for (let offset = 1; offset <= last; offset += 1) {
        const status = rare.includes(offset) ? "failed" : "active";
        for (const channelId of channels) {
          store.events.append({ channelId, type: "watcher.status", payload: { status } });
        }
      }
    });
    store.close();
    forgetIndexes(folder.path);

    const upgraded = new Store(folder.path);
    for (const channelId of channels) {
      const found = await upgraded.events.search(channelId, { status: ["failed"] }, ALL);
      should(await offsetsOf(found)).eql(rare);
      const end = { limit: 9, offset: last - 2 };
      const ofNow = await upgraded.events.search(channelId, { created: { gt: 5 } }, end);
      should(await offsetsOf(ofNow)).eql([last - 1, last]);
    }
    upgraded.close();
  });

  itWide("goes on after a kill while it indexes the events of an earlier version", async () => {
    const store = new Store(folder.path);
    const { channel_id: channelId } = store.channels.create({ name: "killed" });
    store.transaction(() => {
      for (let offset = 1; offset <= 3 * BLOCK; offset += 1) {
        const status = offset % BLOCK === 1 ? "failed" : "active";
        store.events.append({ channelId, type: "watcher.status", payload: { status } });
      }
    });
    store.close();
    forgetIndexes(folder.path);

    const child = fork(join(import.meta.dirname, "killed-upgrade.ts"), [folder.path]);
    const [, signal] = await once(child, "exit");
    should(signal).equal("SIGKILL");
    should(blocksOf(folder.path)).eql([0]);

    const upgraded = new Store(folder.path);
    const found = await upgraded.events.search(channelId, { status: ["failed"] }, ALL);
    upgraded.close();
    should(await offsetsOf(found)).eql([1, BLOCK + 1, 2 * BLOCK + 1]);
    should(blocksOf(folder.path)).eql([0, 1, 2]);
  });

  it("finds no event that was rolled back", async () => {
    const store = new Store(folder.path);
    const { channel_id: channelId } = store.channels.create({ name: "rolled back" });
    const append = (status: string, count = 1) => {
      for (let added = 0; added < count; added += 1)
        store.events.append({ channelId, type: "watcher.status", payload: { status } });
    };
    const offsets = async (status: string) =>
      offsetsOf(await store.events.search(channelId, { status: [status] }, ALL));
    // The index reads the event with the first offset at once, and stores its block with the second one.
    for (const offset of [255, BLOCK - 1]) {
      store.transaction(() => append("before", offset - 1 - store.counts().events));
      const fails = () =>
        store.transaction(() => {
          append("lost", 5);
          throw new Error("on the way");
        });
      should(fails).throw("on the way");
      should(await offsets("lost")).be.empty();
      should(fails).throw("on the way");
      append("kept");
      should(await offsets("lost")).be.empty();
    }
    should(await offsets("kept")).eql([255, BLOCK - 1]);
    store.close();
  });

  it("shows the address of a wallet that an earlier version archived", () => {
    const address = `0x${"1".repeat(40)}` as const;
    const store = new Store(folder.path);
    store.wallets.create({
      ...{ walletId: "w", name: "wallet", address, owner: address, chainSelector: "1", type: "ecdsa" },
      ...{ status: "archived", ecdsaSigners: [], rsaSigners: [], wasDeployed: false, createdAt: 1 },
    });
    const shownOf = (of: Store) => {
      const wallet = of.wallets.get("w");
      return wallet && shownWallet(wallet);
    };
    should(shownOf(store)?.address).equal("");
    store.close();
    const database = new DatabaseSync(join(folder.path, "service.sqlite"));
    for (const column of ["configuration", "was_deployed"])
      database.exec(`ALTER TABLE wallets DROP COLUMN ${column}`);
    database.close();
    const upgraded = new Store(folder.path);
    should(shownOf(upgraded)).containEql({ address, configuration: { allowed_signers: [] } });
    upgraded.close();
  });

  it("shows no address of a wallet that failed in an earlier version, also when archived", () => {
    const address = `0x${"1".repeat(40)}` as const;
    const store = new Store(folder.path);
    store.wallets.create({
      ...{ walletId: "w", name: "wallet", address, owner: address, chainSelector: "1", type: "ecdsa" },
      ...{ status: "failed", ecdsaSigners: [], rsaSigners: [], wasDeployed: false, createdAt: 1 },
    });
    store.close();
    const database = new DatabaseSync(join(folder.path, "service.sqlite"));
    database.exec("ALTER TABLE wallets DROP COLUMN was_deployed");
    database.close();
    const upgraded = new Store(folder.path);
    upgraded.wallets.setStatus("w", "archived");
    const wallet = upgraded.wallets.get("w");
    should(wallet && shownWallet(wallet).address).equal("");
    upgraded.close();
  });

  it("counts by status, follows changes, and ignores a rollback", () => {
    const store = new Store(folder.path);
    const channel = store.channels.create({ name: "one" });
    store.channels.create({ name: "two" });
    store.channels.update({ ...channel, status: "archived" });
    should(() =>
      store.transaction(() => {
        store.channels.create({ name: "three" });
        throw new Error("on the way");
      }),
    ).throw("on the way");
    const { channels } = store.counts();
    store.close();
    should(channels).eql({ active: 1, archived: 1 });
  });
});

async function offsetsOf(page: StoredPage): Promise<number[]> {
  return (await shown(page)).offsets;
}

/** As a version without them left the directory. */
function forgetIndexes(dataDir: string): void {
  const database = new DatabaseSync(join(dataDir, "service.sqlite"));
  for (const type of ["trigger", "index"]) {
    const named = database
      .prepare("SELECT name FROM sqlite_schema WHERE type = ? AND sql IS NOT NULL")
      .all(type);
    for (const { name } of named) database.exec(`DROP ${type} ${name}`);
  }
  for (const table of ["event_values", "event_blocks", "event_block_times", "event_seconds", "counts"]) {
    database.exec(`DROP TABLE ${table}`);
  }
  database.exec("ALTER TABLE channels DROP COLUMN largest_event");
  // The index before the present one.
  database.exec(`
    CREATE TABLE event_places (value_id INTEGER, offset INTEGER);
    CREATE TABLE event_times (channel_id TEXT, block INTEGER, oldest INTEGER, newest INTEGER);
    CREATE TRIGGER events_are_found AFTER INSERT ON events BEGIN
      INSERT INTO event_places VALUES (1, NEW.offset);
    END;`);
  database.exec("CREATE INDEX events_by_type ON events (channel_id, type, offset)");
  database.close();
}

/** The indexed blocks. */
function blocksOf(dataDir: string): number[] {
  const database = new DatabaseSync(join(dataDir, "service.sqlite"));
  const rows = database.prepare("SELECT block FROM event_block_times ORDER BY block").all();
  database.close();
  return rows.map(({ block }) => Number(block));
}
