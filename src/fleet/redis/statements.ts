import type { Copy, LeaseHolder, OnceResult, Presence } from "../../ownership/index.ts";
import type { StoredMark, StoredMembers } from "../driver.ts";
import {
  CLOCK,
  HAS_EPOCH,
  KEPT,
  keptKey,
  leaseKey,
  membersKey,
  onceKey,
  type Reply,
  type RunScript,
} from "./script.ts";

// Takes a lease.
//
//   in   KEYS[1] the lease; ARGV[1] id of the copy, [2] its name, [3] milliseconds
//   out  the epoch, the one before or nil, and the state that was saved last or nil. The lease is this copy's.
//        nil: another copy has the lease. Nothing changed.
//
// The epoch is above the last one, and at least the time in milliseconds: so it rises even where the server lost what
// it was told last, as when a replica that was behind became the primary.

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

// Saves a cursor and renews its lease.
//
//   in   KEYS[1] the lease; ARGV[1] epoch, [2] state, [3] milliseconds, [4] revision: higher for each save than for
//        those before
//   out  1: saved, unless a save with a higher revision came before: this one was late, as after its connection was
//        given up. The lease may have been over, as long as no other copy took it.
//        0: the epoch is not the present one, or the lease was released. Nothing changed.

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

// Ends a lease.
//
//   in   KEYS[1] the lease; ARGV[1] epoch, [2] a last state, if there is one
//   out  1: the lease is free; its epoch and state stay.
//        0: the epoch is not the present one, or the lease was released before. Nothing changed.

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

// Marks something as processed.
//
//   in   KEYS[1] the mark, then the lease that must be held, if there is one, then the index; ARGV[1] delivery or '',
//        [2] '1' where it is redelivered, [3] digest or '', [4] milliseconds to remember it, [5] the epoch of the lease
//   out  'new': process it. It is marked.
//        'seen': it was processed. It is remembered for longer.
//        'contradicts': as seen, but with another digest.
//        'moved': the lease has another epoch or was released. Nothing is marked.
//        What has expired is removed, a few at a time.

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

// Says that a copy is alive, renews its leases, and reads about the others.
//
//   in   KEYS[1] the members of its group, then its leases, then the leases it wants; ARGV[1] [id, name] as JSON,
//        [2] milliseconds, [3] how many leases it has, then the epoch of each
//   out  1. the copies of the group that are alive, as JSON [id, name]
//        2. for each of its leases 1 where it still has it, otherwise 0
//        3. for each lease it wants: nothing while it is free, or id, name, epoch and milliseconds since it was renewed
//        Copies that are not alive are removed, a few at a time; a group without copies is removed after a day.

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
function memberText({ id, name }: Copy): string {
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

// Takes a copy off the lists of members.
//
//   in   KEYS the members of each of its groups; ARGV[1] [id, name] as JSON
//   out  nothing. Its leases stay.

const LEAVE = {
  text: `for _, key in ipairs(KEYS) do redis.call('ZREM', key, ARGV[1]) end`,
};

export async function leave(
  { run, namespace }: { run: RunScript; namespace: string },
  copy: Copy,
  groups: readonly string[],
): Promise<void> {
  const keys = groups.map((group) => membersKey(namespace, group));
  await run(LEAVE, keys, [memberText(copy)]);
}
