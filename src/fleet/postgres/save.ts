// Saves a cursor and renews its lease.
//
//   in   $1 key, $2 epoch, $3 state, $4 milliseconds
//   out  one row: saved. The lease may have been over, as long as no other copy took it.
//        no row: the epoch is not the present one, or the lease was released. Nothing changed.

import { later, type Run } from "./statement.ts";

export function saveStatement(namespace: string): string {
  return `UPDATE ${namespace}.lease
SET state = $3::text, renewed_at = clock_timestamp(), ends_at = ${later("$4::float8")}
WHERE key = $1::text AND epoch = $2::float8::bigint AND copy_id IS NOT NULL
RETURNING true AS saved`;
}

export async function save(
  { run, namespace }: { run: Run; namespace: string },
  key: string,
  epoch: number,
  state: string,
  leaseMs: number,
): Promise<boolean> {
  return (await run(saveStatement(namespace), [key, epoch, state, leaseMs])).length === 1;
}
