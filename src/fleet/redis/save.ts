// Saves a cursor and renews its lease.
//
//   in   KEYS[1] the lease; ARGV[1] epoch, [2] state, [3] milliseconds, [4] revision: higher for each save than for
//        those before
//   out  1: saved, unless a save with a higher revision came before: this one was late, as after its connection was
//        given up. The lease may have been over, as long as no other copy took it.
//        0: the epoch is not the present one, or the lease was released. Nothing changed.

import { leaseKey } from "./keys.ts";
import { CLOCK, HAS_EPOCH, type RunScript } from "./script.ts";

export const SAVE = {
  text: `${CLOCK}
${HAS_EPOCH}
if not has_epoch(KEYS[1], ARGV[1]) then return 0 end
if tonumber(ARGV[4]) > tonumber(redis.call('HGET', KEYS[1], 'revision') or 0) then
  redis.call('HSET', KEYS[1], 'state', ARGV[2], 'revision', ARGV[4])
end
redis.call('HSET', KEYS[1], 'renewed', digits(now), 'ends', digits(now + ARGV[3]))
return 1`,
};

export async function save(
  { run, namespace }: { run: RunScript; namespace: string },
  key: string,
  epoch: number,
  state: string,
  { leaseMs, revision }: { leaseMs: number; revision: number },
): Promise<boolean> {
  const values = [String(epoch), state, String(leaseMs), String(revision)];
  return (await run(SAVE, [leaseKey(namespace, key)], values)) === 1;
}
