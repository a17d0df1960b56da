/** Sizes and counts the service accepts; lengths in characters, times in seconds. */
export const LIMITS = {
  nameLength: 255,
  descriptionLength: 255,
  watcherNameMinLength: 4,
  transactionsPerOperation: 16,
  walletSigners: 10,
  idempotencyKeyLength: 255,
  queryMetadataBytes: 16_384,
  queryTtlSeconds: 300,
  finalizeBufferSeconds: 60,
  walletOperationIdDigits: 78,
} as const;

/** Largest and default `limit` of each list. */
export const PAGE_LIMITS = {
  channels: { max: 50, default: 20 },
  wallets: { max: 100, default: 50 },
  watchers: { max: 50, default: 20 },
  operations: { max: 100, default: 20 },
  queries: { max: 100, default: 20 },
  events: { max: 200, default: 200 },
  eventsSearch: { max: 200, default: 50 },
} as const;

export const ADDRESS_PATTERN = /^0x[0-9a-fA-F]{40}$/;
/** The size of RSA keys that sign for wallets. A signature has as many bits as its key. */
export const RSA_KEY_BITS = 2048;
/** Exponent and modulus of an RSA public key, which may have leading zeros, and an RSA signature. */
export const RSA_PATTERNS = {
  e: /^0x[0-9a-fA-F]{2,34}$/,
  n: /^0x[0-9a-fA-F]{512,}$/,
  signature: /^0x[0-9a-fA-F]{512}$/,
} as const;
export const ZERO_ADDRESS = "0x0000000000000000000000000000000000000000";
export const PUBLIC_BASE_URL = "https://cre-connect.api.chain.link/v1";
export const PUBLIC_GRAPHQL_URL = "https://api.cre.chain.link/graphql";
