import type { StoredRecord } from "../driver.ts";
import { later, type Run } from "./schema.ts";

// Reads a record.
//
//   in   $1 scope, $2 key
//   out  one row: its revision and its text.
//        no row: the record does not exist, or has expired.

function readRecordStatement(namespace: string): string {
  return `SELECT revision::float8 AS revision, text FROM ${namespace}.record
WHERE scope = $1::text AND key = $2::text AND ends_at > clock_timestamp()`;
}

export async function readRecord(
  { run, namespace }: { run: Run; namespace: string },
  scope: string,
  key: string,
): Promise<{ revision: number; text: string } | undefined> {
  const [row] = await run(readRecordStatement(namespace), [scope, key]);
  return row && { revision: Number(row.revision), text: String(row.text) };
}

// Lists the records of a scope.
//
//   in   $1 scope, $2 how many at most
//   out  one row for each record that has not expired, the one that expires first first: its key, and the key as JSON or ''

function recordKeysStatement(namespace: string): string {
  return `SELECT key, name FROM ${namespace}.record
WHERE scope = $1::text AND ends_at > clock_timestamp()
ORDER BY ends_at
LIMIT $2::int`;
}

export async function recordKeys(
  { run, namespace }: { run: Run; namespace: string },
  scope: string,
  limit: number,
): Promise<Array<Pick<StoredRecord, "key" | "name">>> {
  const rows = await run(recordKeysStatement(namespace), [scope, limit]);
  return rows.map(({ key, name }) => ({ key: String(key), name: String(name) }));
}

// Writes a record that does not exist yet, or has expired.
//
//   in   $1 scope, $2 key, $3 the key as JSON or '', $4 text, $5 milliseconds to keep it, $6 how many expired
//        records to remove
//   out  one row: its revision. It is written.
//        no row: the record exists. Nothing changed.
//
// The revision is at least the time in microseconds: so it also rises after the record was removed.

const now = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint";

function createRecordStatement(namespace: string): string {
  const record = `${namespace}.record`;
  return `WITH removed AS (
  DELETE FROM ${record} WHERE (scope, key) IN (
    SELECT scope, key FROM ${record}
    WHERE ends_at <= clock_timestamp() AND NOT (scope = $1::text AND key = $2::text)
    ORDER BY ends_at LIMIT $6::int
    FOR UPDATE SKIP LOCKED
  )
)
INSERT INTO ${record} AS known (scope, key, name, revision, text, ends_at)
VALUES ($1::text, $2::text, $3::text, ${now}, $4::text, ${later("$5::float8")})
ON CONFLICT (scope, key) DO UPDATE SET
  revision = greatest(known.revision + 1, excluded.revision), text = excluded.text, ends_at = ${later("$5::float8")}
WHERE known.ends_at <= clock_timestamp()
RETURNING revision::float8 AS revision`;
}

async function createRecord(
  { run, namespace }: { run: Run; namespace: string },
  { scope, key, name, ttlMs }: StoredRecord,
  text: string,
  removed: number,
): Promise<number | undefined> {
  const [row] = await run(createRecordStatement(namespace), [scope, key, name, text, ttlMs, removed]);
  return row && Number(row.revision);
}

// Replaces a record.
//
//   in   $1 scope, $2 key, $3 its revision, $4 text, $5 milliseconds to keep it
//   out  one row: its new revision. It is written.
//        no row: it has another revision, has expired, or was removed. Nothing changed.

function replaceRecordStatement(namespace: string): string {
  return `UPDATE ${namespace}.record
SET revision = revision + 1, text = $4::text, ends_at = ${later("$5::float8")}
WHERE scope = $1::text AND key = $2::text AND revision = $3::float8::bigint AND ends_at > clock_timestamp()
RETURNING revision::float8 AS revision`;
}

async function replaceRecord(
  { run, namespace }: { run: Run; namespace: string },
  { scope, key, revision, ttlMs }: StoredRecord,
  text: string,
): Promise<number | undefined> {
  const [row] = await run(replaceRecordStatement(namespace), [scope, key, revision, text, ttlMs]);
  return row && Number(row.revision);
}

// Removes a record.
//
//   in   $1 scope, $2 key, $3 its revision
//   out  one row: it is removed.
//        no row: it has another revision, has expired, or was removed before. Nothing changed.

function removeRecordStatement(namespace: string): string {
  return `DELETE FROM ${namespace}.record
WHERE scope = $1::text AND key = $2::text AND revision = $3::float8::bigint AND ends_at > clock_timestamp()
RETURNING true AS removed`;
}

async function removeRecord(
  { run, namespace }: { run: Run; namespace: string },
  { scope, key, revision }: StoredRecord,
): Promise<boolean> {
  return (await run(removeRecordStatement(namespace), [scope, key, revision])).length === 1;
}

/** The statement that a write needs. Each of them is atomic, and decides by the revision. */
export async function writeRecord(
  place: { run: Run; namespace: string },
  record: StoredRecord,
  removed: number,
): Promise<number | undefined> {
  const { scope, key, revision, text } = record;
  if (text !== undefined) {
    return revision === 0 ? createRecord(place, record, text, removed) : replaceRecord(place, record, text);
  }
  const isGone =
    revision === 0 ? (await readRecord(place, scope, key)) === undefined : await removeRecord(place, record);
  return isGone ? 0 : undefined;
}
