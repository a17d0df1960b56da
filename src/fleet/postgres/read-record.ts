// Reads a record.
//
//   in   $1 scope, $2 key
//   out  one row: its revision and its text.
//        no row: the record does not exist, or has expired.

import type { Run } from "./statement.ts";

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
