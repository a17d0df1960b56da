// Takes a lease.
//
//   in   KEYS[1] the lease; ARGV[1] id of the copy, [2] its name, [3] milliseconds
//   out  the epoch, the one before or nil, and the state that was saved last or nil. The lease is this copy's.
//        nil: another copy has the lease. Nothing changed.
//
// The epoch is above the last one, and at least the time in milliseconds: so it rises even where the server lost what
// it was told last, as when a replica that was behind became the primary.

import type { Copy } from "../../consumer/index.ts";
import { leaseKey } from "./keys.ts";
import { CLOCK, type RunScript } from "./script.ts";

const TAKE = {
  text: `${CLOCK}
local lease = redis.call('HMGET', KEYS[1], 'epoch', 'id', 'ends')
if lease[2] and lease[2] ~= ARGV[1] and tonumber(lease[3]) > now then return false end
local epoch = digits(math.max((tonumber(lease[1]) or 0) + 1, now))
redis.call('HSET', KEYS[1], 'epoch', epoch, 'id', ARGV[1], 'name', ARGV[2],
  'renewed', digits(now), 'ends', digits(now + ARGV[3]), 'revision', 0)
return { epoch, lease[1], redis.call('HGET', KEYS[1], 'state') }`,
};

export async function take(
  { run, namespace }: { run: RunScript; namespace: string },
  key: string,
  copy: Copy,
  leaseMs: number,
): Promise<{ epoch: number; replaced: number | undefined; state: string | undefined } | undefined> {
  const reply = await run(TAKE, [leaseKey(namespace, key)], [copy.id, copy.name, String(leaseMs)]);
  if (!Array.isArray(reply)) return undefined;
  const [epoch, before, state] = reply;
  return {
    epoch: Number(epoch),
    replaced: typeof before === "string" ? Number(before) : undefined,
    state: typeof state === "string" ? state : undefined,
  };
}
