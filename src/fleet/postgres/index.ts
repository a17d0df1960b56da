import type { Driver, DriverClient } from "../driver.ts";
import type { DriverSettings } from "../driver-settings.ts";
import { postgresClient } from "./client.ts";
import { problemOf } from "./problems.ts";
import { readRecord, recordKeys, writeRecord } from "./records.ts";
import { prepareSchema } from "./schema.ts";
import { leave, members, once, release, save, take } from "./statements.ts";

/** Marks and records that are over are removed with one of so many calls, this many at once: more than can be added between. */
const CALLS_BETWEEN = 20;
const REMOVED_AT_ONCE = 50;

/** PostgreSQL 12 or later, also behind PgBouncer. */
export function postgresDriver(settings: DriverSettings): Driver {
  return { label: settings.label, open: () => opened(settings), problemOf };
}

function opened(settings: DriverSettings): DriverClient {
  const { namespace } = settings;
  const { run, close, destroy } = postgresClient(settings);
  const place = { run, namespace };
  const ready = prepareSchema(run, namespace);
  // Calls await it: without one, nobody hears of it.
  ready.catch(() => {});
  let [marks, records] = [0, 0];
  return {
    ready,
    isOpen: true,
    take: (key, copy, leaseMs) => take(place, key, copy, leaseMs),
    save: (key, epoch, state, times) => save(place, key, epoch, state, times),
    release: (key, epoch, state) => release(place, key, epoch, state),
    once: (mark) => {
      marks += 1;
      return once(place, mark, marks % CALLS_BETWEEN === 1 ? REMOVED_AT_ONCE : 0);
    },
    readRecord: (scope, key) => readRecord(place, scope, key),
    writeRecord: (record) => {
      if (record.revision === 0) records += 1;
      return writeRecord(place, record, records % CALLS_BETWEEN === 1 ? REMOVED_AT_ONCE : 0);
    },
    recordKeys: (scope, limit) => recordKeys(place, scope, limit),
    members: (presence) => members(place, presence),
    leave: (copy) => leave(place, copy),
    close,
    destroy,
  };
}
