// Writes or removes a record.
//
//   in   KEYS[1] the record, [2] the records of its scope, [3] the index; ARGV[1] its revision, 0 for none,
//        [2] milliseconds to keep it, [3] [key, name] as JSON, [4] its text; without it the record is removed
//   out  the new revision, or 0: it is removed.
//        nil: it has another revision. Nothing changed.
//        What has expired is removed, also from the list of the scope, a few at a time.
//
// The revision of a new record is the time in microseconds: so it also rises after the record was removed.

import type { StoredRecord } from "../engine.ts";
import { KEPT } from "./kept.ts";
import { keptKey, recordKey, recordsKey } from "./keys.ts";
import { CLOCK, type RunScript } from "./script.ts";

const WRITE_RECORD = {
  text: `${CLOCK}
${KEPT}
local known = not is_over(KEYS[1]) and redis.call('HGET', KEYS[1], 'revision') or '0'
if known ~= ARGV[1] then return false end
remove_expired()
for _, over in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', digits(now), 'LIMIT', 0, 20)) do
  redis.call('ZREM', KEYS[2], over)
end
if not ARGV[4] then
  redis.call('DEL', KEYS[1])
  redis.call('ZREM', index, KEYS[1])
  redis.call('ZREM', KEYS[2], ARGV[3])
  return '0'
end
local revision = digits(known == '0' and time[1] * 1000000 + time[2] or known + 1)
redis.call('HSET', KEYS[1], 'revision', revision, 'text', ARGV[4])
keep(KEYS[1], ARGV[2])
redis.call('ZADD', KEYS[2], digits(now + ARGV[2]), ARGV[3])
keep(KEYS[2], math.max(ARGV[2], left(KEYS[2]) or 0))
return revision`,
};

export async function writeRecord(
  { run, namespace }: { run: RunScript; namespace: string },
  { scope, key, name, revision, text, ttlMs }: StoredRecord,
): Promise<number | undefined> {
  const keys = [recordKey(namespace, scope, key), recordsKey(namespace, scope), keptKey(namespace)];
  const values = [String(revision), String(ttlMs), JSON.stringify([key, name])];
  const reply = await run(WRITE_RECORD, keys, text === undefined ? values : [...values, text]);
  return typeof reply === "string" ? Number(reply) : undefined;
}
