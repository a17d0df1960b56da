import type { Copy, LeaseHolder, OnceResult, Presence } from "../../ownership/index.ts";
import type { StoredMark, StoredMembers } from "../driver.ts";
import { later, type Run } from "./schema.ts";

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

// Saves a cursor and renews its lease.
//
//   in   $1 key, $2 epoch, $3 state, $4 milliseconds, $5 revision: higher for each save than for those before
//   out  one row: saved, unless a save with a higher revision came before: this one was late, as after its connection
//        was given up. The lease may have been over, as long as no other copy took it.
//        no row: the epoch is not the present one, or the lease was released. Nothing changed.

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

// Ends a lease.
//
//   in   $1 key, $2 epoch, $3 a last state or null
//   out  one row: the lease is free; its epoch and state stay.
//        no row: the epoch is not the present one, or the lease was released before. Nothing changed.

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

// Says that a copy is alive, renews its leases, and reads about the others.
//
//   in   $1 id of the copy, $2 its name, $3 group, $4 milliseconds, $5 its leases as JSON [[key, epoch], …],
//        $6 the keys it wants as JSON
//   out  one row: others: the other copies of the group that are alive, as JSON [[id, name], …]; renewed: the keys of
//        the leases that it still has; holders: who has the wanted leases that are not free, as JSON
//        [[key, id, name, epoch, milliseconds since it was renewed], …].
//        Copies that are not alive are removed, a few at a time.
//
// Leases are locked in the order of their keys: two copies that think they have the same ones wait, and never for each
// other.

const REMOVED_AT_ONCE = 20;

function membersStatement(namespace: string): string {
  const [lease, member] = [`${namespace}.lease`, `${namespace}.member`];
  return `WITH present AS (
  INSERT INTO ${member} (id, name, "group", ends_at)
  VALUES ($1::text, $2::text, $3::text, ${later("$4::float8")})
  ON CONFLICT (id) DO UPDATE SET
    name = excluded.name, "group" = excluded."group", ends_at = ${later("$4::float8")}
), removed AS (
  DELETE FROM ${member} WHERE id IN (
    SELECT id FROM ${member}
    WHERE ends_at <= clock_timestamp() AND id <> $1::text
    LIMIT ${REMOVED_AT_ONCE}
    FOR UPDATE SKIP LOCKED
  )
), locked AS MATERIALIZED (
  SELECT held.key FROM ${lease} AS held
  JOIN json_array_elements($5::text::json) AS mine
    ON held.key = mine->>0 AND held.epoch = (mine->>1)::float8::bigint
  WHERE held.copy_id IS NOT NULL
  ORDER BY held.key
  FOR UPDATE OF held
), renewed AS (
  UPDATE ${lease} AS held SET renewed_at = clock_timestamp(), ends_at = ${later("$4::float8")}
  FROM locked WHERE held.key = locked.key
  RETURNING held.key
)
SELECT
  (SELECT json_agg(json_build_array(id, name)) FROM ${member}
    WHERE "group" = $3::text AND id <> $1::text AND ends_at > clock_timestamp())::text AS others,
  (SELECT json_agg(key) FROM renewed)::text AS renewed,
  (SELECT json_agg(json_build_array(
      key, copy_id, copy_name, epoch, extract(epoch FROM clock_timestamp() - renewed_at) * 1000))
    FROM ${lease}
    WHERE key IN (SELECT json_array_elements_text($6::text::json))
      AND copy_id IS NOT NULL AND ends_at > clock_timestamp())::text AS holders`;
}

type HolderRow = [key: string, id: string, name: string, epoch: number, renewedMsAgo: number];

export async function members(
  { run, namespace }: { run: Run; namespace: string },
  { copy, group, leaseMs, held, wanted }: Presence,
): Promise<StoredMembers> {
  const mine = JSON.stringify(held.map(({ key, epoch }) => [key, epoch]));
  const parameters = [copy.id, copy.name, group, leaseMs, mine, JSON.stringify(wanted)];
  const [row] = await run(membersStatement(namespace), parameters);
  const list = (text: unknown) => (typeof text === "string" ? JSON.parse(text) : []);
  return {
    others: list(row?.others).map(([id, name]: [string, string]): Copy => ({ id, name })),
    renewed: list(row?.renewed),
    holders: list(row?.holders).map(([key, id, name, epoch, ms]: HolderRow): [string, LeaseHolder] => [
      key,
      { copy: { id, name }, epoch, renewedMsAgo: Math.max(0, ms) },
    ]),
  };
}

// Takes a copy off the list of members.
//
//   in   $1 id of the copy
//   out  no row. Its leases stay.

function leaveStatement(namespace: string): string {
  return `DELETE FROM ${namespace}.member WHERE id = $1::text`;
}

export async function leave({ run, namespace }: { run: Run; namespace: string }, copy: Copy): Promise<void> {
  await run(leaveStatement(namespace), [copy.id]);
}
