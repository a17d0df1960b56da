import should from "should";
import { openDatabase } from "../src/store/database.ts";
import { temporaryFolder } from "./support.ts";

describe("the store", () => {
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
