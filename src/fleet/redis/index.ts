import type { Driver, DriverClient } from "../driver.ts";
import type { DriverSettings } from "../driver-settings.ts";
import { prepareSchema } from "./checks.ts";
import { type RedisChecks, redisClient } from "./client.ts";
import { problemOf } from "./problems.ts";
import { readRecord, recordKeys, writeRecord } from "./records.ts";
import { leave, members, once, release, save, take } from "./statements.ts";

/** The groups of each copy, by its id: to leave them. */
type Groups = Map<string, Set<string>>;

/** Redis 5 or later, or Valkey; a single primary, also behind Sentinel. */
export function redisDriver(settings: DriverSettings, now = () => performance.now()): Driver {
  const groups: Groups = new Map();
  let isEvictionUnknown = false;
  const onChecked = (isKnown: boolean) => {
    isEvictionUnknown = !isKnown;
  };
  return {
    label: settings.label,
    get isEvictionUnknown() {
      return isEvictionUnknown;
    },
    open: () => opened(settings, groups, { now, onChecked }),
    problemOf,
  };
}

function opened(settings: DriverSettings, groups: Groups, checks: RedisChecks): DriverClient {
  const { namespace } = settings;
  const client = redisClient(settings, checks);
  const place = { run: client.run, namespace };
  const ready = client.connected.then(() => prepareSchema(client.run, namespace));
  // Calls await it. What is not ready now, as with a full memory, never will be: the next call opens another one.
  let hasFailed = false;
  ready.catch(() => {
    hasFailed = true;
    client.destroy();
  });
  return {
    ready,
    get isOpen() {
      return !hasFailed && client.isOpen;
    },
    take: (key, copy, leaseMs) => take(place, key, copy, leaseMs),
    save: (key, epoch, state, times) => save(place, key, epoch, state, times),
    release: (key, epoch, state) => release(place, key, epoch, state),
    once: (mark) => once(place, mark),
    readRecord: (scope, key) => readRecord(place, scope, key),
    writeRecord: (record) => writeRecord(place, record),
    recordKeys: (scope, limit) => recordKeys(place, scope, limit),
    members: (presence) => {
      const { copy, group } = presence;
      groups.set(copy.id, (groups.get(copy.id) ?? new Set()).add(group));
      return members(place, presence);
    },
    leave: async (copy) => {
      const left = groups.get(copy.id);
      if (left === undefined) return;
      await leave(place, copy, [...left]);
      groups.delete(copy.id);
    },
    close: client.close,
    destroy: client.destroy,
  };
}
