// Replaces a record.
//
//   in   $1 scope, $2 key, $3 its revision, $4 text, $5 milliseconds to keep it
//   out  one row: its new revision. It is written.
//        no row: it has another revision, has expired, or was removed. Nothing changed.

import type { StoredRecord } from "../engine.ts";
import { later, type Run } from "./statement.ts";

function replaceRecordStatement(namespace: string): string {
  return `UPDATE ${namespace}.record
SET revision = revision + 1, text = $4::text, ends_at = ${later("$5::float8")}
WHERE scope = $1::text AND key = $2::text AND revision = $3::float8::bigint AND ends_at > clock_timestamp()
RETURNING revision::float8 AS revision`;
}

export async function replaceRecord(
  { run, namespace }: { run: Run; namespace: string },
  { scope, key, revision, ttlMs }: StoredRecord,
  text: string,
): Promise<number | undefined> {
  const [row] = await run(replaceRecordStatement(namespace), [scope, key, revision, text, ttlMs]);
  return row && Number(row.revision);
}
