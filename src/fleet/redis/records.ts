import type { StoredRecord } from "../driver.ts";
import { CLOCK, KEPT, keptKey, type RunScript, recordKey, recordsKey } from "./script.ts";

// Reads a record.
//
//   in   KEYS[1] the record, [2] the index
//   out  its revision and its text
//        nil: the record does not exist, or has expired.

const READ_RECORD = {
  text: `${CLOCK}
${KEPT}
if is_over(KEYS[1]) then return false end
local record = redis.call('HMGET', KEYS[1], 'revision', 'text')
return record[1] and record or false`,
};

export async function readRecord(
  { run, namespace }: { run: RunScript; namespace: string },
  scope: string,
  key: string,
): Promise<{ revision: number; text: string } | undefined> {
  const reply = await run(READ_RECORD, [recordKey(namespace, scope, key), keptKey(namespace)], []);
  return Array.isArray(reply) ? { revision: Number(reply[0]), text: String(reply[1]) } : undefined;
}

// Lists the records of a scope.
//
//   in   KEYS[1] the records of the scope, [2] the index; ARGV[1] how many at most
//   out  [key, name] as JSON of each record that has not expired

const RECORD_KEYS = {
  text: `${CLOCK}
${KEPT}
left(KEYS[1])
return redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. digits(now), '+inf', 'LIMIT', 0, ARGV[1])`,
};

export async function recordKeys(
  { run, namespace }: { run: RunScript; namespace: string },
  scope: string,
  limit: number,
): Promise<Array<Pick<StoredRecord, "key" | "name">>> {
  const reply = await run(RECORD_KEYS, [recordsKey(namespace, scope), keptKey(namespace)], [String(limit)]);
  const found = Array.isArray(reply) ? reply : [];
  return found.map((text) => {
    const [key, name] = JSON.parse(String(text));
    return { key: String(key), name: String(name) };
  });
}

// Writes or removes a record.
//
//   in   KEYS[1] the record, [2] the records of its scope, [3] the index; ARGV[1] its revision, 0 for none,
//        [2] milliseconds to keep it, [3] [key, name] as JSON, [4] its text; without it the record is removed
//   out  the new revision, or 0: it is removed.
//        nil: it has another revision. Nothing changed.
//        What has expired is removed, also from the list of the scope, a few at a time.
//
// The revision of a new record is the time in microseconds: so it also rises after the record was removed.

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
