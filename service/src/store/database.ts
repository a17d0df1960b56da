import { chmodSync, closeSync, mkdirSync, openSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { messageOf, ServiceProblem } from "../problem.ts";
import { DATABASE_FILE, damagedDatabase, storageProblem } from "./storage-problem.ts";

const MOST_STATEMENTS = 300;
/** A database up to this size is read through at the start: that takes a fraction of a second. */
const MOST_CHECKED_BYTES = 64 * 1024 * 1024;

/**
 * Opens (or makes) the database of a data directory. The file stays locked for this process alone, and the
 * system gives the lock back however the process ends: two services can never share a data directory.
 *
 * @throws ServiceProblem when the directory cannot be used or another service holds it.
 */
export function openDatabase(dataDir: string): DatabaseSync {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    const problem = storageProblem(error, dataDir);
    if (problem !== undefined) throw problem;
    throw new ServiceProblem(
      `The data directory ${dataDir} cannot be made (${messageOf(error)}). Choose another one with --data-dir or CREC_DATA_DIR.`,
    );
  }
  let database: DatabaseSync | undefined;
  try {
    const file = join(dataDir, DATABASE_FILE);
    // It holds what is the user's alone, and the files beside it get its permissions.
    closeSync(openSync(file, "a", 0o600));
    chmodSync(file, 0o600);
    database = new Database(file);
    // Of letters beyond ASCII SQLite knows no lower case.
    database.function("fold", { deterministic: true }, (text) => String(text).toLowerCase());
    // An event with its proof fits into a page of this size; from smaller ones reading takes twice as long.
    database.exec("PRAGMA page_size = 16384;");
    database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
    database.exec("BEGIN IMMEDIATE; COMMIT;");
    if (statSync(file).size <= MOST_CHECKED_BYTES) refuseDamaged(database, dataDir);
    database.exec(SCHEMA);
    addMissingColumns(database);
    database.exec(ADD_MISSING_EXECUTIONS);
    return database;
  } catch (error) {
    database?.close();
    const problem = error instanceof ServiceProblem ? error : storageProblem(error, dataDir);
    if (problem !== undefined) throw problem;
    if (/locked|busy/i.test(messageOf(error))) {
      throw new ServiceProblem(
        `Another local service is using the data directory ${dataDir}. Stop it first, or choose another directory with --data-dir or CREC_DATA_DIR.`,
      );
    }
    throw new ServiceProblem(
      `The data directory ${dataDir} cannot be used (${messageOf(error)}). Check its permissions and free space, or choose another one with --data-dir or CREC_DATA_DIR.`,
    );
  }
}

/** Damage that lies deep shows only where it is read: better now than in the middle of something. */
function refuseDamaged(database: DatabaseSync, dataDir: string): void {
  const found = String(database.prepare("PRAGMA quick_check(1)").get()?.quick_check ?? "");
  if (found !== "ok") throw damagedDatabase(dataDir, found.split("\n").at(-1) ?? "");
}

/** Columns that came later: a data directory of an earlier version gets them here. */
const LATER_COLUMNS = {
  watchers: { service: "TEXT", service_config: "TEXT" },
  operations: { settled: "INTEGER NOT NULL DEFAULT 0" },
} as const;

function addMissingColumns(database: DatabaseSync): void {
  for (const [table, columns] of Object.entries(LATER_COLUMNS)) {
    const known = new Set(
      database
        .prepare("SELECT name FROM pragma_table_info(?)")
        .all(table)
        .map(({ name }) => name),
    );
    for (const [name, type] of Object.entries(columns)) {
      if (!known.has(name)) database.exec(`ALTER TABLE ${table} ADD COLUMN ${name} ${type}`);
    }
  }
}

/** Those of an earlier version: their blocks are not known, so that any that is replaced may have been theirs. */
const ADD_MISSING_EXECUTIONS = `
  INSERT INTO executions (operation_id, chain_selector, block, state)
    SELECT operation_id, chain_selector, 9007199254740991, 'there' FROM operations
    WHERE (status = 'confirmed' OR settled = 1) AND NOT EXISTS (SELECT 1 FROM executions);
`;

/**
 * Keeps what it has prepared, by its SQL. Each statement anew would cost more than most of them take, and memory that
 * the garbage collector knows nothing of.
 */
class Database extends DatabaseSync {
  readonly #statements = new Map<string, StatementSync>();

  override prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    // Lists of values make ever new ones.
    if (this.#statements.size >= MOST_STATEMENTS) this.#statements.clear();
    const statement = super.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

/** Runs `work` so that all of its writes are kept or none. Calls within one another are one transaction. */
export function transaction<T>(database: DatabaseSync, work: () => T): T {
  if (database.isTransaction) return work();
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

const SCHEMA = `
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
CREATE INDEX IF NOT EXISTS events_by_type ON events (channel_id, type, offset);
-- Of the id alone: beside one that begins with the channel SQLite prefers to read the whole channel.
DROP INDEX IF EXISTS events_by_operation;
CREATE INDEX IF NOT EXISTS events_by_operation_id ON events (operation_id) WHERE operation_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS events_by_wallet_operation_id ON events (wallet_operation_id) WHERE wallet_operation_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS events_by_query_id ON events (query_id) WHERE query_id IS NOT NULL;

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
CREATE INDEX IF NOT EXISTS operations_by_status ON operations (status);

-- Where confirmed operations were executed: how those are found that a chain loses when it goes back.
CREATE TABLE IF NOT EXISTS executions (
  sequence INTEGER PRIMARY KEY,
  operation_id TEXT NOT NULL UNIQUE,
  chain_selector TEXT NOT NULL,
  block INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('there', 'missing', 'gone')),
  reason TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS executions_by_block ON executions (chain_selector, state, block);
CREATE INDEX IF NOT EXISTS executions_lost ON executions (chain_selector, state, sequence) WHERE state <> 'there';

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
CREATE INDEX IF NOT EXISTS queries_by_status ON queries (status);
`;
