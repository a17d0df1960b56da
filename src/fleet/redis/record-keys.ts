// Lists the records of a scope.
//
//   in   KEYS[1] the records of the scope, [2] the index; ARGV[1] how many at most
//   out  [key, name] as JSON of each record that has not expired

import type { StoredRecord } from "../engine.ts";
import { KEPT } from "./kept.ts";
import { keptKey, recordsKey } from "./keys.ts";
import { CLOCK, type RunScript } from "./script.ts";

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
