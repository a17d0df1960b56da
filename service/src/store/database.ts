import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { messageOf, ServiceProblem } from "../errors.ts";
import type { Log } from "../log.ts";
import { upgrade } from "./upgrade.ts";

export const DATABASE_FILE = "service.sqlite";

const MAX_STATEMENTS = 300;
const CACHE_KIB = 16 * 1024;
/** A checkpoint delays its commit: 4 MB take some milliseconds, ten times as much about a hundred. */
const CHECKPOINT_PAGES = 125;
/** A database up to this size is checked at the start: that takes a fraction of a second. */
const MAX_CHECKED_BYTES = 64 * 1024 * 1024;

/** Primary result codes of SQLite; higher bits of a code have details. */
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_NOTADB = 26;
/** A value is larger than a row can hold. */
const SQLITE_TOOBIG = 18;

/**
 * Opens or creates the database of a data directory. The file is locked for this process, and the system releases the lock
 * however the process ends: two services can never share a data directory.
 *
 * @throws ServiceProblem when the directory cannot be used or another service holds it.
 */
export function openDatabase(dataDir: string, log?: Log): DatabaseSync {
  try {
    makeFolder(dataDir);
  } catch (error) {
    const problem = storageProblem(error, dataDir);
    if (problem !== undefined) throw problem;
    throw new ServiceProblem(
      `The data directory ${dataDir} cannot be created (${messageOf(error)}). Choose another one with --data-dir or CREC_DATA_DIR.`,
    );
  }
  let database: DatabaseSync | undefined;
  try {
    const file = join(dataDir, DATABASE_FILE);
    // It contains private data. SQLite's other files get the same permissions.
    closeSync(openSync(file, "a", 0o600));
    chmodSync(file, 0o600);
    database = new Database(file);
    // SQLite's lower() supports only ASCII.
    database.function("fold", { deterministic: true }, (text) => String(text).toLowerCase());
    // Some events with their proofs fit into a page of this size. With smaller pages, reading many of them takes longer.
    database.exec("PRAGMA page_size = 32768;");
    // Enough for the index of some millions of events.
    database.exec(`PRAGMA cache_size = -${CACHE_KIB};`);
    // The system's temporary folder may be full while the disk of the data directory is not.
    database.exec("PRAGMA temp_store = MEMORY;");
    database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
    database.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};`);
    database.exec("BEGIN IMMEDIATE; COMMIT;");
    if (statSync(file).size <= MAX_CHECKED_BYTES) refuseDamaged(database, dataDir);
    upgrade(database, log);
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

/** Finds damage at the start, not later when the damaged page is read. */
function refuseDamaged(database: DatabaseSync, dataDir: string): void {
  const found = String(database.prepare("PRAGMA quick_check(1)").get()?.quick_check ?? "");
  if (found !== "ok") throw damagedDatabase(dataDir, found.split("\n").at(-1) ?? "");
}

/**
 * Makes a folder that only its owner can read, and those above it that are missing. Node.js does that itself with
 * `recursive`, but never ends in a folder such as /proc, in which none can be made.
 */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  const above = dirname(path);
  if (above !== path) makeFolder(above);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another program was faster.
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}

/**
 * Caches prepared statements by their SQL. Preparing takes longer than running most of them, and uses memory outside the
 * garbage-collected heap.
 */
class Database extends DatabaseSync {
  readonly #statements = new Map<string, StatementSync>();

  override prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    // Lists of values make new statements all the time.
    if (this.#statements.size >= MAX_STATEMENTS) this.#statements.clear();
    const statement = super.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

/** What to do about an error of the disk or the database; undefined for other errors. */
export function storageProblem(error: unknown, dataDir: string): ServiceProblem | undefined {
  if (error instanceof ServiceProblem) return undefined;
  const { code, errcode } = Object(error) as { code?: unknown; errcode?: unknown };
  const sqlite = typeof errcode === "number" ? errcode & 0xff : undefined;
  if (sqlite === SQLITE_FULL || code === "ENOSPC" || code === "EDQUOT") {
    return new ServiceProblem(
      `The disk that holds the data directory ${dataDir} is full (${messageOf(error)}). Free some space on it, or choose another directory with --data-dir or CREC_DATA_DIR, and start again.`,
    );
  }
  if (sqlite === SQLITE_CORRUPT || sqlite === SQLITE_NOTADB)
    return damagedDatabase(dataDir, messageOf(error));
  return undefined;
}

/** Whether an error is of the disk or the database, whatever was to be stored. */
export function isOfStorage(error: unknown): boolean {
  const { code, errcode, errno } = Object(error) as { code?: unknown; errcode?: unknown; errno?: unknown };
  if (typeof errcode === "number") return (errcode & 0xff) !== SQLITE_TOOBIG;
  // A closed database, and every error of the system.
  return code === "ERR_INVALID_STATE" || typeof errno === "number";
}

/** What to do about a database that cannot be read. */
function damagedDatabase(dataDir: string, why: string): ServiceProblem {
  const file = join(dataDir, DATABASE_FILE);
  return new ServiceProblem(
    `The database ${file} is damaged (${why}). Stop the service and restore a copy of the file. Without a copy, move it away together with ${DATABASE_FILE}-wal and ${DATABASE_FILE}-shm: the service then starts without channels, watchers, wallets, operations and events, and keeps the oracle keys.`,
  );
}
