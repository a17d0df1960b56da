// Saves a cursor and renews its lease.
//
//   in   $1 key, $2 epoch, $3 state, $4 milliseconds, $5 revision: higher for each save than for those before
//   out  one row: saved, unless a save with a higher revision came before: this one was late, as after its connection
//        was given up. The lease may have been over, as long as no other copy took it.
//        no row: the epoch is not the present one, or the lease was released. Nothing changed.

import { later, type Run } from "./statement.ts";

export function saveStatement(namespace: string): string {
  return `UPDATE ${namespace}.lease
SET state = CASE WHEN revision < $5::float8::bigint THEN $3::text ELSE state END,
  revision = greatest(revision, $5::float8::bigint), renewed_at = clock_timestamp(), ends_at = ${later("$4::float8")}
WHERE key = $1::text AND epoch = $2::float8::bigint AND copy_id IS NOT NULL
RETURNING true AS saved`;
}

export async function save(
  { run, namespace }: { run: Run; namespace: string },
  key: string,
  epoch: number,
  state: string,
  { leaseMs, revision }: { leaseMs: number; revision: number },
): Promise<boolean> {
  return (await run(saveStatement(namespace), [key, epoch, state, leaseMs, revision])).length === 1;
}
