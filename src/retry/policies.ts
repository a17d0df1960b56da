import type { PollPolicy } from "./poll.ts";
import type { Backoff, Jitter, RetryPolicy } from "./retry.ts";

/** Anything up to the whole pause. */
const full: Jitter = (ms, random) => ms * random();
/** The second half of the pause is random. */
const half: Jitter = (ms, random) => ms * (1 - 0.5 * (1 - random()));
/** Up to a quarter more or less. */
const quarter: Jitter = (ms, random) => ms * (0.75 + random() / 2);
/** Up to a tenth more or less. */
const tenth: Jitter = (ms, random) => ms * (0.9 + 0.2 * random());

/** 200 ms, 400 ms, … up to 5 s. */
const REQUEST: Backoff = {
  delay: (attempt) => 200 * 2 ** (attempt - 1),
  backoffLimit: 5_000,
  jitter: full,
};
const HOUR_MS = 3_600_000;

/** Every repeat of the library, by what is tried again. */
export const RETRIES = {
  /** A request that the service, or the network, failed. No `Retry-After` is followed for longer than a day. */
  request: { ...REQUEST, limit: 3, maxRetryAfter: 24 * HOUR_MS },
  /** A call that acts, once it is known that it has not acted. */
  call: { ...REQUEST, maxRetryAfter: 10_000, beyondMaxRetryAfter: "fail" },
  /** The same after a refusal by a rate limit. */
  limitedCall: {
    ...REQUEST,
    delay: (attempt) => REQUEST.delay(attempt + 2),
    maxRetryAfter: 10_000,
    beyondMaxRetryAfter: "fail",
  },
  /** A call of a key service. */
  custodian: { ...REQUEST, limit: 3, maxRetryAfter: 30_000, beyondMaxRetryAfter: "fail" },
  /** A search for what has a name, and is not in the list yet. */
  taken: {
    delay: (attempt) => 100 * 2 ** (attempt - 1),
    backoffLimit: 2_000,
    jitter: quarter,
  },
  /** Reading events after an error. */
  read: {
    delay: (attempt) => 1_000 * 2 ** (attempt - 1),
    backoffLimit: 60_000,
    jitter: half,
    maxRetryAfter: HOUR_MS,
  },
  /** Reading with a key that was refused: a person has to fix that, and asking often looks like an attack. */
  refused: {
    delay: (attempt) => 30_000 * 1.25 ** (attempt - 1),
    backoffLimit: 60_000,
    maxRetryAfter: HOUR_MS,
  },
  /** Something that is missing, and is probably being created: a person may be waiting for it. */
  missing: {
    delay: (attempt) => 1_000 * 1.5 ** (attempt - 1),
    backoffLimit: 5_000,
    maxRetryAfter: HOUR_MS,
  },
} as const satisfies Record<string, RetryPolicy>;

/** How often a call that acts is repeated at most. A change of a draft is repeated until its time is over. */
export const CALL_LIMITS = { create: 2, submit: 3 } as const;

/** An event that was not processed is sent again. */
export const REDELIVERY: Backoff = { delay: (attempt) => 1_000 * 2 ** (attempt - 1), backoffLimit: 60_000 };

/** Every poll of the library, by what is looked for. */
export const POLLS = {
  /** A status, or an operation that certainly exists. */
  wait: { min: 250, max: 5_000, growth: 1.5, jitter: quarter },
  /** What was just created, and is not shown yet. */
  justCreated: { min: 500, max: 2_000, growth: 1.5, jitter: quarter },
  /** The event that has the reason of a failure. */
  reason: { min: 250, max: 250, growth: 1 },
  /** An event that has no proof yet. */
  proof: { min: 250, max: 5_000, growth: 2 },
  /** What people decide about a signature; `min` and `max` are options. */
  decision: { growth: 1.5 },
  /** The events of a channel; `min` and `max` are options. */
  channel: { growth: 1.25, shrink: 4, jitter: tenth, staysWithin: true },
} as const satisfies Record<string, PollPolicy | Omit<PollPolicy, "min" | "max">>;
