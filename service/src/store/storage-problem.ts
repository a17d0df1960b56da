import { join } from "node:path";
import { messageOf, ServiceProblem } from "../problem.ts";

export const DATABASE_FILE = "service.sqlite";

/** Primary result codes of SQLite; higher bits of a code have details. */
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_NOTADB = 26;
/** A value is larger than a row can hold. */
const SQLITE_TOOBIG = 18;

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
export function damagedDatabase(dataDir: string, why: string): ServiceProblem {
  const file = join(dataDir, DATABASE_FILE);
  return new ServiceProblem(
    `The database ${file} is damaged (${why}). Stop the service and restore a copy of the file. Without a copy, move it away together with ${DATABASE_FILE}-wal and ${DATABASE_FILE}-shm: the service then starts without channels, watchers, wallets, operations and events, and keeps the oracle keys.`,
  );
}
