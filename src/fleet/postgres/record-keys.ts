// Lists the records of a scope.
//
//   in   $1 scope, $2 how many at most
//   out  one row for each record that has not expired, the one that expires first first: its key, and the key as JSON or ''

import type { StoredRecord } from "../engine.ts";
import type { Run } from "./statement.ts";

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
