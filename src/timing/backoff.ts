/** A number from 0 up to 1, as `Math.random` returns. */
export type Random = () => number;

/**
 * How long to wait before each further attempt. `jitter` is the part of the wait that is random: 0 is none, 1 is full
 * jitter, anything between nothing and the whole wait.
 */
export type Schedule = { firstMs: number; growth: number; maxMs: number; jitter: number };

/** Every back-off of the library, by what is tried again. */
export const SCHEDULES = {
  /** A request that the service, or the network, failed. */
  request: { firstMs: 200, growth: 2, maxMs: 5_000, jitter: 1 },
  /** Reading events after an error. */
  read: { firstMs: 1_000, growth: 2, maxMs: 60_000, jitter: 0.5 },
  /** Reading with a key that was refused: a person has to fix that, and asking often looks like an attack. */
  refused: { firstMs: 30_000, growth: 1.25, maxMs: 60_000, jitter: 0 },
  /** Something that is missing, and is probably being created: a person may be waiting for it. */
  missing: { firstMs: 1_000, growth: 1.5, maxMs: 5_000, jitter: 0 },
  /** An event that was not processed. */
  redelivery: { firstMs: 1_000, growth: 2, maxMs: 60_000, jitter: 0 },
  /** An event that has no proof yet. */
  proof: { firstMs: 250, growth: 2, maxMs: 5_000, jitter: 0 },
} as const satisfies Record<string, Schedule>;

/** How long to wait after the given attempt (1, 2, …), in milliseconds. */
export function backoffMs(
  { firstMs, growth, maxMs, jitter }: Schedule,
  attempt: number,
  random: Random = Math.random,
): number {
  const fullMs = Math.min(maxMs, firstMs * growth ** (attempt - 1));
  return fullMs * (1 - jitter * (1 - random()));
}

/** Up to a quarter more or less, so that many clients do not call at the same time. */
export function jittered(ms: number, random: Random = Math.random): number {
  return ms * (0.75 + random() / 2);
}
