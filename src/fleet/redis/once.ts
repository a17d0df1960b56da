// Marks something as processed.
//
//   in   KEYS[1] the mark, [2] the lease that must be held, if there is one; ARGV[1] delivery or '', [2] '1' where it
//        is redelivered, [3] milliseconds to remember it, [4] the epoch of the lease
//   out  'new': process it. It is marked.
//        'seen': it was processed. It is remembered for longer.
//        'moved': the lease has another epoch or was released. Nothing is marked.

import type { OnceResult } from "../../consumer/index.ts";
import type { StoredMark } from "../engine.ts";
import { leaseKey, onceKey } from "./keys.ts";
import { HAS_EPOCH, type RunScript } from "./script.ts";

export const ONCE = {
  text: `${HAS_EPOCH}
if KEYS[2] and not has_epoch(KEYS[2], ARGV[4]) then return 'moved' end
local known = redis.call('GET', KEYS[1])
redis.call('SET', KEYS[1], known or ARGV[1], 'PX', ARGV[3])
if not known then return 'new' end
if ARGV[2] == '1' and known ~= '' and known == ARGV[1] then return 'new' end
return 'seen'`,
};

export async function once(
  { run, namespace }: { run: RunScript; namespace: string },
  { scope, key, delivery, redelivered, ttlMs, fence }: StoredMark,
): Promise<OnceResult> {
  const keys = [onceKey(namespace, scope, key), ...(fence ? [leaseKey(namespace, fence.key)] : [])];
  const values = [delivery, redelivered ? "1" : "0", String(ttlMs), ...(fence ? [String(fence.epoch)] : [])];
  return (await run(ONCE, keys, values)) as OnceResult;
}
