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
