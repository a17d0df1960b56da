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

import type { Copy, LeaseHolder, Presence } from "../../consumer/index.ts";
import type { StoredMembers } from "../engine.ts";
import { later, type Run } from "./statement.ts";

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
