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
