import { chmodSync, closeSync, mkdirSync, openSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Log } from "../log.ts";
import { messageOf, ServiceProblem } from "../problem.ts";
import { DATABASE_FILE, damagedDatabase, storageProblem } from "./storage-problem.ts";
import { upgrade } from "./upgrade.ts";

const MOST_STATEMENTS = 300;
const CACHE_KIB = 16 * 1024;
/** A checkpoint holds up the commit that it falls on: one of 4 MB some milliseconds, SQLite's own of 16 MB a hundred. */
const CHECKPOINT_PAGES = 250;
/** A database up to this size is read through at the start: that takes a fraction of a second. */
const MOST_CHECKED_BYTES = 64 * 1024 * 1024;

/**
 * Opens (or makes) the database of a data directory. The file stays locked for this process alone, and the
 * system gives the lock back however the process ends: two services can never share a data directory.
 *
 * @throws ServiceProblem when the directory cannot be used or another service holds it.
 */
export function openDatabase(dataDir: string, log?: Log): DatabaseSync {
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
    // Room for the ends of all lists of places, which each event writes to.
    database.exec(`PRAGMA cache_size = -${CACHE_KIB};`);
    // The system's temporary folder may be full, or on another disk than the one that is said to be.
    database.exec("PRAGMA temp_store = MEMORY;");
    database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
    database.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};`);
    database.exec("BEGIN IMMEDIATE; COMMIT;");
    if (statSync(file).size <= MOST_CHECKED_BYTES) refuseDamaged(database, dataDir);
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

/** Damage that lies deep shows only where it is read: better now than in the middle of something. */
function refuseDamaged(database: DatabaseSync, dataDir: string): void {
  const found = String(database.prepare("PRAGMA quick_check(1)").get()?.quick_check ?? "");
  if (found !== "ok") throw damagedDatabase(dataDir, found.split("\n").at(-1) ?? "");
}

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
