// Reads a record.
//
//   in   KEYS[1] the record, [2] the index
//   out  its revision and its text
//        nil: the record does not exist, or has expired.

import { KEPT } from "./kept.ts";
import { keptKey, recordKey } from "./keys.ts";
import { CLOCK, type RunScript } from "./script.ts";

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
