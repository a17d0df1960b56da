// Removes a record.
//
//   in   $1 scope, $2 key, $3 its revision
//   out  one row: it is removed.
//        no row: it has another revision, has expired, or was removed before. Nothing changed.

import type { StoredRecord } from "../engine.ts";
import type { Run } from "./statement.ts";

function removeRecordStatement(namespace: string): string {
  return `DELETE FROM ${namespace}.record
WHERE scope = $1::text AND key = $2::text AND revision = $3::float8::bigint AND ends_at > clock_timestamp()
RETURNING true AS removed`;
}

export async function removeRecord(
  { run, namespace }: { run: Run; namespace: string },
  { scope, key, revision }: StoredRecord,
): Promise<boolean> {
  return (await run(removeRecordStatement(namespace), [scope, key, revision])).length === 1;
}
