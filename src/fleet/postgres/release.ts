// Ends a lease.
//
//   in   $1 key, $2 epoch, $3 a last state or null
//   out  one row: the lease is free; its epoch and state stay.
//        no row: the epoch is not the present one, or the lease was released before. Nothing changed.

import type { Run } from "./statement.ts";

function releaseStatement(namespace: string): string {
  return `UPDATE ${namespace}.lease
SET state = coalesce($3::text, state), copy_id = NULL, copy_name = NULL, renewed_at = NULL, ends_at = NULL
WHERE key = $1::text AND epoch = $2::float8::bigint AND copy_id IS NOT NULL
RETURNING true AS released`;
}

export async function release(
  { run, namespace }: { run: Run; namespace: string },
  key: string,
  epoch: number,
  state: string | undefined,
): Promise<boolean> {
  return (await run(releaseStatement(namespace), [key, epoch, state ?? null])).length === 1;
}
