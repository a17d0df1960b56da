/** A Lua script, which Redis runs as one statement: nothing else runs meanwhile. */
type Script = { readonly text: string };

/** What Redis answers. */
export type Reply = string | number | null | Reply[];

/** Runs a script with its `KEYS` and `ARGV`. */
export type RunScript = (
  script: Script,
  keys: readonly string[],
  values: readonly string[],
) => Promise<Reply>;

/** Lua: `now`, in milliseconds by the clock of the server, and `digits`, a whole number as text. */
export const CLOCK = `local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function digits(number) return string.format('%.0f', number) end`;

/** Lua: whether the lease of a key has an epoch now. It may be over, as long as no other copy took it. */
export const HAS_EPOCH = `local function has_epoch(key, epoch)
  local lease = redis.call('HMGET', key, 'epoch', 'id')
  return lease[1] == epoch and lease[2]
end`;

// The keys, which begin with the namespace. Its braces keep them on one server where keys are spread over several.
//
//   {crec}:version          the version of what follows
//   {crec}:lease:KEY        a hash: epoch, state, revision (of the last save with this epoch), and while a copy has the
//                           lease: id, name, renewed, ends. It has no time to live, so that its epoch never goes back.
//   {crec}:once:[SCOPE,KEY] the first delivery, or nothing; and after a line break the digest, if there is one
//   {crec}:record:[SCOPE,KEY]
//                           a hash: revision, text
//   {crec}:records:SCOPE    a sorted set of [KEY, name] of the records of a scope, by the time until which they are kept
//   {crec}:kept             a sorted set of the keys of marks, records and lists of records, by the time until which each
//                           is kept: they have no time to live. Copies of an earlier version know no such set: they
//                           give these keys a time to live, which then counts, and see what is over until it is removed.
//   {crec}:members:GROUP    a sorted set of [id, name] of the copies, by the time until which they are alive. It is all
//                           that has a time to live, and may be lost: a lease that is held is not taken because of it,
//                           and each copy writes itself into it again when it renews its leases.

export const versionKey = (namespace: string) => `{${namespace}}:version`;
export const leaseKey = (namespace: string, key: string) => `{${namespace}}:lease:${key}`;
export const onceKey = (namespace: string, scope: string, key: string) =>
  `{${namespace}}:once:${JSON.stringify([scope, key])}`;
export const recordKey = (namespace: string, scope: string, key: string) =>
  `{${namespace}}:record:${JSON.stringify([scope, key])}`;
export const recordsKey = (namespace: string, scope: string) => `{${namespace}}:records:${scope}`;
export const keptKey = (namespace: string) => `{${namespace}}:kept`;
export const membersKey = (namespace: string, group: string) => `{${namespace}}:members:${group}`;

// Until when marks and records are kept. None of them has a time to live: a Redis with a `volatile-…` policy evicts what
// has one when its memory is full, and a mark that is forgotten lets an event act twice.

/**
 * Lua, after `CLOCK`, for a script whose last key is the index: `left`, the milliseconds for which a key is still kept,
 * or nil where nothing limits them; `keep`, which sets them; and `remove_expired`, a few at a time.
 *
 * Copies of an earlier version give keys a time to live, which counts then: it becomes one of the index.
 */
export const KEPT = `local index = KEYS[#KEYS]
local function left(key)
  local ms = redis.call('PTTL', key)
  if ms >= 0 then
    redis.call('PERSIST', key)
    redis.call('ZADD', index, digits(now + ms), key)
    return ms
  end
  local ends = redis.call('ZSCORE', index, key)
  return ends and ends - now
end
local function is_over(key) return (left(key) or 1) <= 0 end
local function keep(key, ms) redis.call('ZADD', index, digits(now + ms), key) end
local function remove_expired()
  for _, key in ipairs(redis.call('ZRANGEBYSCORE', index, '-inf', digits(now), 'LIMIT', 0, 20)) do
    if is_over(key) then
      redis.call('DEL', key)
      redis.call('ZREM', index, key)
    end
  end
end`;
