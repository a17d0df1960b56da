/** How long a signature may take in milliseconds, by key service, where nothing else is said. */
export const SIGNING_TIMEOUTS_MS = {
  "aws-kms": 60_000,
  vault: 60_000,
  /** People approve. */
  fireblocks: 30 * 60_000,
  privy: 60_000,
  /** A person may be asked. */
  remote: 5 * 60_000,
} as const;
