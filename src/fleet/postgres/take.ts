// Takes a lease.
//
//   in   $1 key, $2 id of the copy, $3 its name, $4 milliseconds
//   out  one row: the epoch, the one before or null, and the state that was saved last or null. The lease is this copy's.
//        no row: another copy has the lease, or took it at the same moment. Nothing changed.
//
// The epoch is above the last one, and at least the time in milliseconds: so it rises even where the server lost what
// it committed last, as when a replica that was behind became the primary. What is seen first spares the copies that
// stand by a lock: only a lease that is free, over or this copy's own is written at all. `WHERE` decides again on the
// row as it is once this statement has it. `RETURNING` reads the epoch before as it was when the statement began.

import type { Copy } from "../../consumer/index.ts";
import { later, type Run } from "./statement.ts";

const now = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

function takeStatement(namespace: string): string {
  const lease = `${namespace}.lease`;
  return `INSERT INTO ${lease} AS mine (key, epoch, copy_id, copy_name, renewed_at, ends_at)
SELECT $1::text, ${now}, $2::text, $3::text, clock_timestamp(), ${later("$4::float8")}
WHERE NOT EXISTS (
  SELECT FROM ${lease} WHERE key = $1::text AND copy_id <> $2::text AND ends_at > clock_timestamp()
)
ON CONFLICT (key) DO UPDATE SET
  epoch = greatest(mine.epoch + 1, ${now}), revision = 0,
  copy_id = excluded.copy_id, copy_name = excluded.copy_name,
  renewed_at = clock_timestamp(), ends_at = ${later("$4::float8")}
WHERE mine.copy_id IS NULL OR mine.copy_id = excluded.copy_id OR mine.ends_at <= clock_timestamp()
RETURNING epoch::float8 AS epoch, state,
  (SELECT earlier.epoch::float8 FROM ${lease} AS earlier WHERE earlier.key = $1::text) AS replaced`;
}

export async function take(
  { run, namespace }: { run: Run; namespace: string },
  key: string,
  copy: Copy,
  leaseMs: number,
): Promise<{ epoch: number; replaced: number | undefined; state: string | undefined } | undefined> {
  const [row] = await run(takeStatement(namespace), [key, copy.id, copy.name, leaseMs]);
  if (row === undefined) return undefined;
  return {
    epoch: Number(row.epoch),
    replaced: row.replaced === null ? undefined : Number(row.replaced),
    state: typeof row.state === "string" ? row.state : undefined,
  };
}
