// Marks something as processed.
//
//   in   KEYS[1] the mark, then the lease that must be held, if there is one, then the index; ARGV[1] delivery or '',
//        [2] '1' where it is redelivered, [3] digest or '', [4] milliseconds to remember it, [5] the epoch of the lease
//   out  'new': process it. It is marked.
//        'seen': it was processed. It is remembered for longer.
//        'contradicts': as seen, but with another digest.
//        'moved': the lease has another epoch or was released. Nothing is marked.
//        What has expired is removed, a few at a time.

import type { OnceResult } from "../../consumer/index.ts";
import type { StoredMark } from "../engine.ts";
import { KEPT } from "./kept.ts";
import { keptKey, leaseKey, onceKey } from "./keys.ts";
import { CLOCK, HAS_EPOCH, type RunScript } from "./script.ts";

const ONCE = {
  text: `${CLOCK}
${HAS_EPOCH}
${KEPT}
if KEYS[3] and not has_epoch(KEYS[2], ARGV[5]) then return 'moved' end
remove_expired()
local known = not is_over(KEYS[1]) and redis.call('GET', KEYS[1])
local given = ARGV[1]
if ARGV[3] ~= '' then given = given .. '\\n' .. ARGV[3] end
redis.call('SET', KEYS[1], known or given)
keep(KEYS[1], ARGV[4])
if not known then return 'new' end
local delivery, digest = string.match(known, '^([^\\n]*)\\n?(.*)$')
if digest ~= '' and ARGV[3] ~= '' and digest ~= ARGV[3] then return 'contradicts' end
if ARGV[2] == '1' and delivery ~= '' and delivery == ARGV[1] then return 'new' end
return 'seen'`,
};

export async function once(
  { run, namespace }: { run: RunScript; namespace: string },
  { scope, key, delivery, redelivered, digest, ttlMs, fence }: StoredMark,
): Promise<OnceResult> {
  const lease = fence ? [leaseKey(namespace, fence.key)] : [];
  const keys = [onceKey(namespace, scope, key), ...lease, keptKey(namespace)];
  const values = [delivery, redelivered ? "1" : "0", digest, String(ttlMs)];
  if (fence) values.push(String(fence.epoch));
  return (await run(ONCE, keys, values)) as OnceResult;
}
