/** Columns of `events` that searches use. */
export const SEARCHED_COLUMNS = [
  "type",
  "chain_selector",
  "status",
  "address",
  "service",
  "watcher_id",
  "wallet_id",
  "operation_id",
  "wallet_operation_id",
  "query_id",
  "event_name",
] as const;

/** Tables of resources with a status. */
export const COUNTED_TABLES = ["channels", "watchers", "wallets", "operations", "queries"] as const;

/** Newer columns: a data directory of an earlier version gets them. */
export const LATER_COLUMNS = {
  // The size of the largest event in bytes: without large events, no page is large.
  channels: { largest_event: "INTEGER NOT NULL DEFAULT 0" },
  watchers: { service: "TEXT", service_config: "TEXT" },
  wallets: { configuration: "TEXT", was_deployed: "INTEGER NOT NULL DEFAULT 0" },
  operations: { settled: "INTEGER NOT NULL DEFAULT 0", relay_status: "TEXT" },
} as const;

/** Values of these columns in rows of an earlier version. */
export const LATER_VALUES: Readonly<Record<string, string>> = {
  largest_event: `UPDATE channels SET largest_event = coalesce(
    (SELECT max(octet_length(json)) FROM events WHERE events.channel_id = channels.channel_id), 0)`,
  // An archived wallet keeps its address: nothing else is known of it.
  was_deployed: "UPDATE wallets SET was_deployed = 1 WHERE status IN ('deployed', 'archived')",
  relay_status: `UPDATE operations SET relay_status = CASE
      WHEN status IN ('sending', 'sent', 'broadcasting', 'confirmed_latest', 'confirmed_safe', 'confirmed') THEN status
      ELSE 'sent' END
    WHERE raw_transaction IS NOT NULL OR status = 'sending'`,
};

export const TABLES = `
CREATE TABLE IF NOT EXISTS settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;

CREATE TABLE IF NOT EXISTS channels (
  sequence INTEGER PRIMARY KEY,
  channel_id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL UNIQUE,
  description TEXT,
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_offset INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE IF NOT EXISTS watchers (
  sequence INTEGER PRIMARY KEY,
  watcher_id TEXT NOT NULL UNIQUE,
  channel_id TEXT NOT NULL,
  name TEXT NOT NULL,
  status TEXT NOT NULL,
  chain_selector TEXT NOT NULL,
  address TEXT NOT NULL,
  events TEXT NOT NULL,
  abi TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  from_block INTEGER,
  UNIQUE (channel_id, name)
) STRICT;

CREATE TABLE IF NOT EXISTS events (
  channel_id TEXT NOT NULL,
  offset INTEGER NOT NULL,
  event_id TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  chain_selector TEXT,
  status TEXT,
  address TEXT,
  watcher_id TEXT,
  wallet_id TEXT,
  operation_id TEXT,
  wallet_operation_id TEXT,
  query_id TEXT,
  event_name TEXT,
  service TEXT,
  json TEXT NOT NULL,
  PRIMARY KEY (channel_id, offset)
) STRICT, WITHOUT ROWID;

-- Values that events are found by, each with a number of its own.
CREATE TABLE IF NOT EXISTS event_values (
  value_id INTEGER PRIMARY KEY,
  channel_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  value TEXT NOT NULL,
  UNIQUE (channel_id, kind, value)
) STRICT;

-- The events that have a value, in blocks of 4,096 offsets: a search intersects one row of each value, and counts what it
-- leaves out. The last block of a channel has no rows before it is full: it is read from its events.
CREATE TABLE IF NOT EXISTS event_blocks (
  value_id INTEGER NOT NULL,
  block INTEGER NOT NULL,
  places BLOB NOT NULL,
  PRIMARY KEY (value_id, block)
) STRICT, WITHOUT ROWID;

-- The oldest and newest time of a block. Also says which blocks are indexed.
CREATE TABLE IF NOT EXISTS event_block_times (
  channel_id TEXT NOT NULL,
  block INTEGER NOT NULL,
  oldest INTEGER NOT NULL,
  newest INTEGER NOT NULL,
  PRIMARY KEY (channel_id, block)
) STRICT, WITHOUT ROWID;

-- The time of each event of a block: apart, since few searches read it.
CREATE TABLE IF NOT EXISTS event_seconds (
  channel_id TEXT NOT NULL,
  block INTEGER NOT NULL,
  seconds BLOB NOT NULL,
  PRIMARY KEY (channel_id, block)
) STRICT, WITHOUT ROWID;

-- How many there are of each kind and status.
CREATE TABLE IF NOT EXISTS counts (
  kind TEXT NOT NULL,
  status TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (kind, status)
) STRICT, WITHOUT ROWID;

-- Blocks whose logs have been read, newest kept: how a reorganized chain is noticed.
CREATE TABLE IF NOT EXISTS blocks (
  chain_selector TEXT NOT NULL,
  number INTEGER NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (chain_selector, number)
) STRICT, WITHOUT ROWID;

-- How far logs have been reported, for each confidence.
CREATE TABLE IF NOT EXISTS positions (
  chain_selector TEXT NOT NULL,
  confidence TEXT NOT NULL,
  number INTEGER NOT NULL,
  PRIMARY KEY (chain_selector, confidence)
) STRICT, WITHOUT ROWID;

-- What has been reported: never twice for one log of one block at one confidence.
CREATE TABLE IF NOT EXISTS reported (
  watcher_id TEXT NOT NULL,
  block_hash TEXT NOT NULL,
  log_index INTEGER NOT NULL,
  confidence TEXT NOT NULL,
  PRIMARY KEY (watcher_id, block_hash, log_index, confidence)
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS wallets (
  sequence INTEGER PRIMARY KEY,
  wallet_id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL UNIQUE,
  description TEXT,
  address TEXT NOT NULL,
  owner TEXT NOT NULL,
  chain_selector TEXT NOT NULL,
  type TEXT NOT NULL,
  status TEXT NOT NULL,
  status_channel_id TEXT,
  ecdsa_signers TEXT NOT NULL,
  rsa_signers TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  raw_transaction TEXT,
  transaction_hash TEXT
) STRICT;

CREATE TABLE IF NOT EXISTS operations (
  sequence INTEGER PRIMARY KEY,
  operation_id TEXT NOT NULL UNIQUE,
  channel_id TEXT NOT NULL,
  wallet_id TEXT NOT NULL,
  status TEXT NOT NULL,
  chain_selector TEXT NOT NULL,
  address TEXT NOT NULL,
  wallet_operation_id TEXT NOT NULL,
  deadline INTEGER NOT NULL,
  transactions TEXT NOT NULL,
  signature TEXT,
  digest TEXT NOT NULL,
  initiator TEXT NOT NULL,
  signer TEXT,
  canceller TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  signed_at INTEGER,
  cancelled_at INTEGER,
  confirmed_at INTEGER,
  raw_transaction TEXT,
  transaction_hash TEXT
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS operations_once ON operations (chain_selector, address, wallet_operation_id)
  WHERE status NOT IN ('failed', 'cancelled', 'expired');

-- Where confirmed operations were executed: how those are found that a chain loses when it goes back.
CREATE TABLE IF NOT EXISTS executions (
  sequence INTEGER PRIMARY KEY,
  operation_id TEXT NOT NULL UNIQUE,
  chain_selector TEXT NOT NULL,
  block INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('there', 'missing', 'gone')),
  reason TEXT
) STRICT;

CREATE TABLE IF NOT EXISTS queries (
  sequence INTEGER PRIMARY KEY,
  query_id TEXT NOT NULL UNIQUE,
  channel_id TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  status TEXT NOT NULL,
  query_kind TEXT NOT NULL,
  chain_selector TEXT NOT NULL,
  target TEXT NOT NULL,
  params TEXT NOT NULL,
  metadata TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  times TEXT NOT NULL,
  event_hash TEXT,
  verifiable_result TEXT,
  proof TEXT,
  UNIQUE (channel_id, idempotency_key)
) STRICT;

-- What happened, in its order, for the time line of the start page. Only the newest rows are kept.
CREATE TABLE IF NOT EXISTS timeline (
  sequence INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  channel_id TEXT,
  offset INTEGER,
  facts TEXT
) STRICT;
`;

/** Indexes, and the removal of old ones. Each ends with the sequence, the order of lists. */
export const INDEXES = `
DROP INDEX IF EXISTS events_by_type; DROP INDEX IF EXISTS events_by_operation;
DROP INDEX IF EXISTS events_by_operation_id; DROP INDEX IF EXISTS events_by_wallet_operation_id;
DROP INDEX IF EXISTS events_by_query_id; DROP INDEX IF EXISTS operations_by_status;
CREATE INDEX IF NOT EXISTS channels_by_status ON channels (status);
CREATE INDEX IF NOT EXISTS watchers_of_channel ON watchers (channel_id, status);
CREATE INDEX IF NOT EXISTS watchers_by_status ON watchers (status);
CREATE INDEX IF NOT EXISTS watchers_by_from_block ON watchers (from_block);
CREATE INDEX IF NOT EXISTS wallets_by_status ON wallets (status);
CREATE INDEX IF NOT EXISTS wallets_by_address ON wallets (lower(address));
CREATE INDEX IF NOT EXISTS operations_of_channel ON operations (channel_id, status);
CREATE INDEX IF NOT EXISTS operations_of_wallet ON operations (channel_id, wallet_id);
CREATE INDEX IF NOT EXISTS operations_by_progress ON operations (status, settled);
CREATE INDEX IF NOT EXISTS operations_by_deadline ON operations (status, deadline) WHERE deadline > 0;
DROP INDEX IF EXISTS executions_by_block; DROP INDEX IF EXISTS executions_by_state;
-- Each row is in one of these. A chain that is reset changes the state of many rows together.
CREATE INDEX IF NOT EXISTS executions_there ON executions (chain_selector, block) WHERE state = 'there';
CREATE INDEX IF NOT EXISTS executions_missing ON executions (chain_selector) WHERE state = 'missing';
CREATE INDEX IF NOT EXISTS executions_gone ON executions (chain_selector) WHERE state = 'gone';
CREATE INDEX IF NOT EXISTS queries_of_channel ON queries (channel_id, status);
DROP INDEX IF EXISTS queries_by_status;
CREATE INDEX IF NOT EXISTS queries_by_expiry ON queries (status, expires_at);
`;

/** Executions of an earlier version: their blocks are unknown, so any replaced block may be theirs. */
export const ADD_OLD_EXECUTIONS = `
INSERT INTO executions (operation_id, chain_selector, block, state)
  SELECT operation_id, chain_selector, ${Number.MAX_SAFE_INTEGER}, 'there' FROM operations
  WHERE (status = 'confirmed' OR settled = 1) AND NOT EXISTS (SELECT 1 FROM executions);
`;

/** The index of an earlier version, which had a row for each event and value. */
export const DROP_OLD_INDEX = `
DROP TRIGGER IF EXISTS events_are_found;
DROP TABLE IF EXISTS event_places;
DROP TABLE IF EXISTS event_times;
`;

const COUNT_UP = "ON CONFLICT DO UPDATE SET count = count + 1";

export const COUNT_TRIGGERS = COUNTED_TABLES.map(
  (table) => `
CREATE TRIGGER IF NOT EXISTS ${table}_are_counted AFTER INSERT ON ${table} BEGIN
  INSERT INTO counts VALUES ('${table}', NEW.status, 1) ${COUNT_UP};
END;
CREATE TRIGGER IF NOT EXISTS ${table}_are_counted_anew AFTER UPDATE OF status ON ${table}
WHEN OLD.status <> NEW.status BEGIN
  UPDATE counts SET count = count - 1 WHERE kind = '${table}' AND status = OLD.status;
  INSERT INTO counts VALUES ('${table}', NEW.status, 1) ${COUNT_UP};
END;`,
).join("");

/** Counts the rows that are older than the triggers. */
export const COUNT_OLD = COUNTED_TABLES.map(
  (table) => `INSERT INTO counts SELECT '${table}', status, COUNT(*) FROM ${table} GROUP BY status;`,
).join("");
