/** Sizes and counts the service accepts; lengths in characters, times in seconds. */
export const LIMITS = {
  /** Of the name of a channel, wallet or watcher. */
  nameLength: 255,
  /** Of the description of a channel or wallet. */
  descriptionLength: 255,
  /** Shortest name of a watcher. */
  watcherNameMinLength: 4,
  /** Calls in one operation. */
  transactionsPerOperation: 16,
  /** Signers of one wallet. */
  walletSigners: 10,
  /** Of the idempotency key of a query. */
  idempotencyKeyLength: 255,
  /** Metadata of a query, as JSON. */
  queryMetadataBytes: 16_384,
  /** After this time an unanswered query expires. */
  queryTtlSeconds: 300,
  /** A draft cannot be finalized in the last seconds before its deadline. */
  finalizeBufferSeconds: 60,
  /** Decimal digits of a wallet operation id. */
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

/** The size of RSA keys that sign for wallets. A signature has as many bits as its key. */
export const RSA_KEY_BITS = 2048;
/** Exponent and modulus of an RSA public key, which may have leading zeros, and an RSA signature. */
export const RSA_PATTERNS = {
  e: /^0x[0-9a-fA-F]{2,34}$/,
  n: /^0x[0-9a-fA-F]{512,}$/,
  signature: /^0x[0-9a-fA-F]{512}$/,
} as const;
/** The REST API of the public service. */
export const PUBLIC_BASE_URL = "https://cre-connect.api.chain.link/v1";
/** The GraphQL API of the public service. */
export const PUBLIC_GRAPHQL_URL = "https://api.cre.chain.link/graphql";
