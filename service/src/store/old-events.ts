import type { DatabaseSync } from "node:sqlite";
import { EVENTS_IN_BLOCK, SEARCHED_COLUMNS } from "./schema.ts";

/** Events of a channel read by one statement: a multiple of a block. */
export const OLD_EVENTS_AT_ONCE = 32 * EVENTS_IN_BLOCK;

const TABLE = `
CREATE TEMP TABLE old_events AS
  SELECT channel_id, offset, created_at, octet_length(json) AS bytes, ${SEARCHED_COLUMNS.join(", ")} FROM events WHERE FALSE;
`;

/** Copies the searched columns of a range of events of a channel: events are large, and so are read once. */
const TAKE = `
INSERT INTO old_events
  SELECT channel_id, offset, created_at, octet_length(json), ${SEARCHED_COLUMNS.join(", ")} FROM events
  WHERE channel_id = ? AND offset BETWEEN ? AND ?`;

const OLD_VALUES = `
  SELECT channel_id, offset, kind, CASE kind ${SEARCHED_COLUMNS.map((column) => `WHEN '${column}' THEN ${column}`).join(" ")} END AS value
  FROM old_events CROSS JOIN (SELECT column1 AS kind FROM (VALUES ${SEARCHED_COLUMNS.map((column) => `('${column}')`).join(", ")}))`;

/** What the trigger would have written for the copied events. */
const FIND = `
INSERT INTO event_values (channel_id, kind, value)
  SELECT DISTINCT channel_id, kind, value FROM (${OLD_VALUES}) WHERE value IS NOT NULL
  ON CONFLICT DO NOTHING;
INSERT INTO event_places (value_id, offset)
  SELECT value_id, offset FROM (${OLD_VALUES}) CROSS JOIN event_values USING (channel_id, kind, value)
  ORDER BY value_id, offset;
INSERT INTO event_times (channel_id, block, oldest, newest)
  SELECT channel_id, offset / ${EVENTS_IN_BLOCK}, min(created_at), max(created_at) FROM old_events GROUP BY 1, 2;
UPDATE channels SET largest_event = max(largest_event, found.largest)
  FROM (SELECT channel_id, max(bytes) AS largest FROM old_events GROUP BY 1) AS found
  WHERE found.channel_id = channels.channel_id;
DELETE FROM old_events;
`;

/**
 * Indexes events that are older than the trigger. In parts, since temporary tables are in memory.
 */
export function findOldEvents(database: DatabaseSync): void {
  const channels = database.prepare("SELECT channel_id, last_offset FROM channels").all();
  database.exec(TABLE);
  const take = database.prepare(TAKE);
  for (const { channel_id, last_offset } of channels) {
    for (let from = 0; from <= Number(last_offset); from += OLD_EVENTS_AT_ONCE) {
      take.run(String(channel_id), from, from + OLD_EVENTS_AT_ONCE - 1);
      database.exec(FIND);
    }
  }
  database.exec("DROP TABLE old_events");
}
