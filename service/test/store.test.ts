import should from "should";
import type { EventPage } from "../../src/protocol/index.ts";
import { openDatabase } from "../src/store/database.ts";
import { Store } from "../src/store/store.ts";
import { temporaryFolder } from "./support.ts";

describe("the store", () => {
  it("leaves out of a page as many events as are hidden", () => {
    const folder = temporaryFolder();
    const store = new Store(folder.path);
    try {
      const { channel_id } = store.channels.create({ name: "hidden" });
      for (const status of ["pending", "active"]) {
        store.events.append({ channelId: channel_id, type: "watcher.status", payload: { status } });
      }
      const page = (hidden: string[]): EventPage =>
        JSON.parse(store.events.poll(channel_id, { offset: 1, limit: 9, hidden }).toString()) as EventPage;
      const [first] = page([]).events;
      const others = Array.from({ length: 40_000 }, (_, index) => `other ${index}`);
      const shown = page([...others, first?.event_id ?? ""]).events;
      should(shown.map(({ headers }) => headers.offset)).eql([2]);
    } finally {
      store.close();
      folder.dispose();
    }
  });

  it("finds the events of one operation or query without reading the whole channel", () => {
    const folder = temporaryFolder();
    const database = openDatabase(folder.path);
    try {
      for (const column of ["operation_id", "wallet_operation_id", "query_id"]) {
        const search = `SELECT json FROM events WHERE channel_id = ? AND type IN (?) AND ${column} = ? ORDER BY offset LIMIT ?`;
        const [step] = database.prepare(`EXPLAIN QUERY PLAN ${search}`).all();
        should(step?.detail).containEql(`USING INDEX events_by_${column} `);
      }
    } finally {
      database.close();
      folder.dispose();
    }
  });
});
