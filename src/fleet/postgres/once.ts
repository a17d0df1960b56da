// Marks something as processed.
//
//   in   $1 scope, $2 key, $3 delivery or '', $4 whether it is redelivered, $5 milliseconds to remember it,
//        $6 key and $7 epoch of the lease that must be held, or nulls, $8 how many marks that are over to remove,
//        $9 digest or ''
//   out  one row, is_new true: process it. It is marked.
//        one row, is_new false: it was processed. It is remembered for longer. is_other: with another digest.
//        no row: the lease has another epoch or was released. Nothing is marked.
//
// The row of the lease is locked until the mark is committed: another copy that takes the lease sees the mark.

import type { OnceResult } from "../../consumer/index.ts";
import type { StoredMark } from "../engine.ts";
import { later, type Run } from "./statement.ts";

/** Both have a digest. Marks of earlier versions have none. */
const IS_OTHER = "(known.digest <> '' AND excluded.digest <> '' AND known.digest <> excluded.digest)";

function onceStatement(namespace: string): string {
  const once = `${namespace}.once`;
  return `WITH fence AS MATERIALIZED (
  SELECT FROM ${namespace}.lease
  WHERE key = $6::text AND epoch = $7::float8::bigint AND copy_id IS NOT NULL
  FOR SHARE
), removed AS (
  DELETE FROM ${once} WHERE (scope, key) IN (
    SELECT scope, key FROM ${once}
    WHERE ends_at <= clock_timestamp() AND NOT (scope = $1::text AND key = $2::text)
    ORDER BY ends_at LIMIT $8::int
    FOR UPDATE SKIP LOCKED
  )
)
INSERT INTO ${once} AS known (scope, key, delivery, digest, is_new, ends_at)
SELECT $1::text, $2::text, $3::text, $9::text, true, ${later("$5::float8")}
WHERE $6::text IS NULL OR EXISTS (SELECT FROM fence)
ON CONFLICT (scope, key) DO UPDATE SET
  is_new = known.ends_at <= clock_timestamp()
    OR ($4::boolean AND known.delivery <> '' AND known.delivery = excluded.delivery
      AND NOT ${IS_OTHER}),
  delivery = CASE WHEN known.ends_at <= clock_timestamp() THEN excluded.delivery ELSE known.delivery END,
  digest = CASE WHEN known.ends_at <= clock_timestamp() THEN excluded.digest ELSE known.digest END,
  ends_at = ${later("$5::float8")}
RETURNING is_new, known.digest <> '' AND $9::text <> '' AND known.digest <> $9::text AS is_other`;
}

export async function once(
  { run, namespace }: { run: Run; namespace: string },
  mark: StoredMark,
  removed: number,
): Promise<OnceResult> {
  const { scope, key, delivery, redelivered, digest, ttlMs, fence } = mark;
  const lease = [fence?.key ?? null, fence?.epoch ?? null];
  const parameters = [scope, key, delivery, redelivered, ttlMs, ...lease, removed, digest];
  const [row] = await run(onceStatement(namespace), parameters);
  if (row === undefined) return "moved";
  if (row.is_new === true) return "new";
  return row.is_other === true ? "contradicts" : "seen";
}
