// Writes a record that does not exist yet, or has expired.
//
//   in   $1 scope, $2 key, $3 the key as JSON or '', $4 text, $5 milliseconds to keep it, $6 how many expired
//        records to remove
//   out  one row: its revision. It is written.
//        no row: the record exists. Nothing changed.
//
// The revision is at least the time in microseconds: so it also rises after the record was removed.

import type { StoredRecord } from "../engine.ts";
import { later, type Run } from "./statement.ts";

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

export async function createRecord(
  { run, namespace }: { run: Run; namespace: string },
  { scope, key, name, ttlMs }: StoredRecord,
  text: string,
  removed: number,
): Promise<number | undefined> {
  const [row] = await run(createRecordStatement(namespace), [scope, key, name, text, ttlMs, removed]);
  return row && Number(row.revision);
}
