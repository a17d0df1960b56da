// Says that a copy is alive, renews its leases, and reads about the others.
//
//   in   KEYS[1] the members of its group, then its leases, then the leases it wants; ARGV[1] [id, name] as JSON,
//        [2] milliseconds, [3] how many leases it has, then the epoch of each
//   out  1. the copies of the group that are alive, as JSON [id, name]
//        2. for each of its leases 1 where it still has it, otherwise 0
//        3. for each lease it wants: nothing while it is free, or id, name, epoch and milliseconds since it was renewed
//        Copies that are not alive are removed, a few at a time; a group without copies is removed after a day.

import type { Copy, LeaseHolder, Presence } from "../../consumer/index.ts";
import type { StoredMembers } from "../engine.ts";
import { leaseKey, membersKey } from "./keys.ts";
import { CLOCK, HAS_EPOCH, type Reply, type RunScript } from "./script.ts";

const MEMBERS = {
  text: `${CLOCK}
${HAS_EPOCH}
local ends = digits(now + ARGV[2])
for _, gone in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', digits(now), 'LIMIT', 0, 20)) do
  redis.call('ZREM', KEYS[1], gone)
end
redis.call('ZADD', KEYS[1], ends, ARGV[1])
redis.call('PEXPIRE', KEYS[1], digits(math.max(86400000, tonumber(ARGV[2]))))
local held = tonumber(ARGV[3])
local kept = {}
for i = 1, held do
  local key = KEYS[1 + i]
  kept[i] = has_epoch(key, ARGV[3 + i]) and 1 or 0
  if kept[i] == 1 then redis.call('HSET', key, 'renewed', digits(now), 'ends', ends) end
end
local holders = {}
for i = held + 2, #KEYS do
  local lease = redis.call('HMGET', KEYS[i], 'id', 'name', 'epoch', 'renewed', 'ends')
  local is_free = not lease[1] or tonumber(lease[5]) <= now
  table.insert(holders, is_free and {} or { lease[1], lease[2], lease[3], digits(now - lease[4]) })
end
return { redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. digits(now), '+inf'), kept, holders }`,
};

export async function members(
  { run, namespace }: { run: RunScript; namespace: string },
  { copy, group, leaseMs, held, wanted }: Presence,
): Promise<StoredMembers> {
  const leases = [...held.map(({ key }) => key), ...wanted].map((key) => leaseKey(namespace, key));
  const epochs = held.map(({ epoch }) => String(epoch));
  const values = [memberText(copy), String(leaseMs), String(held.length), ...epochs];
  const reply = await run(MEMBERS, [membersKey(namespace, group), ...leases], values);
  const [alive, kept, holders] = lists(reply).map(lists);
  return {
    others: (alive ?? []).flatMap(copiesIn).filter(({ id }) => id !== copy.id),
    renewed: held.filter((_lease, index) => kept?.[index] === 1).map(({ key }) => key),
    holders: wanted.flatMap((key, index) => holderOf(key, lists(holders?.[index]))),
  };
}

/** A copy as a member of the sorted set. */
export function memberText({ id, name }: Copy): string {
  return JSON.stringify([id, name]);
}

/** Nothing for what another program wrote there: all copies would stop because of it. */
function copiesIn(text: Reply): Copy[] {
  try {
    const [id, name]: unknown[] = JSON.parse(String(text));
    return typeof id === "string" && typeof name === "string" ? [{ id, name }] : [];
  } catch {
    return [];
  }
}

function holderOf(key: string, lease: Reply[]): Array<[string, LeaseHolder]> {
  if (lease.length === 0) return [];
  const [id, name, epoch, ms] = lease;
  const holder = { copy: { id: String(id), name: String(name) }, epoch: Number(epoch) };
  return [[key, { ...holder, renewedMsAgo: Math.max(0, Number(ms)) }]];
}

function lists(reply: Reply | undefined): Reply[] {
  return Array.isArray(reply) ? reply : [];
}
