// Ends a lease.
//
//   in   KEYS[1] the lease; ARGV[1] epoch, [2] a last state, if there is one
//   out  1: the lease is free; its epoch and state stay.
//        0: the epoch is not the present one, or the lease was released before. Nothing changed.

import { leaseKey } from "./keys.ts";
import { HAS_EPOCH, type RunScript } from "./script.ts";

const RELEASE = {
  text: `${HAS_EPOCH}
if not has_epoch(KEYS[1], ARGV[1]) then return 0 end
if ARGV[2] then redis.call('HSET', KEYS[1], 'state', ARGV[2]) end
redis.call('HDEL', KEYS[1], 'id', 'name', 'renewed', 'ends')
return 1`,
};

export async function release(
  { run, namespace }: { run: RunScript; namespace: string },
  key: string,
  epoch: number,
  state: string | undefined,
): Promise<boolean> {
  const values = [String(epoch), ...(state === undefined ? [] : [state])];
  return (await run(RELEASE, [leaseKey(namespace, key)], values)) === 1;
}
