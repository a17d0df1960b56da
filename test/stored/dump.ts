import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Redis } from "ioredis";
import postgres from "postgres";

/** The files of a folder, by their paths. */
export type Files = Record<string, string>;
/** The rows of each table. */
export type Rows = Record<string, Array<Record<string, unknown>>>;
/** Each key with its type, its value, and for how long it lives, in milliseconds; -1 for ever. */
export type Keys = Record<string, { type: string; value: unknown; ttlMs: number }>;

const SCHEMA = "crec";
/** Some is kept for a year or so: it would be over one day, and the tests with it. */
const LEAST_END = new Date("2066-01-01");

export async function filesOf(folder: string): Promise<Files> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const named = paths.map((path) => [path.slice(folder.length + 1).replaceAll("\\", "/"), path] as const);
  const read = named.sort().map(async ([name, path]) => [name, await readFile(path, "utf8")] as const);
  return Object.fromEntries(await Promise.all(read));
}

export async function putFiles(files: Files, folder: string): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text, { mode: 0o600 });
  }
}

const sqlAt = (url: string) => postgres(url, { max: 1, onnotice: () => {} });

export async function rowsAt(url: string): Promise<Rows> {
  const sql = sqlAt(url);
  try {
    const tables = await sql`SELECT table_name AS name FROM information_schema.tables
      WHERE table_schema = ${SCHEMA} ORDER BY 1`;
    const rows: Rows = {};
    for (const { name } of tables) {
      const found =
        await sql`SELECT to_jsonb(t) AS row FROM ${sql(SCHEMA)}.${sql(name)} AS t ORDER BY t::text`;
      rows[name] = found.map(({ row }) => row);
    }
    return rows;
  } finally {
    await sql.end();
  }
}

/** The statements that make the tables as they are. */
export async function tablesAt(url: string): Promise<string[]> {
  const sql = sqlAt(url);
  try {
    const tables = await sql`SELECT format('CREATE TABLE %I.%I (%s)', n.nspname, c.relname, (
        SELECT string_agg(part, ', ' ORDER BY no) FROM (
          SELECT a.attnum AS no, concat_ws(' ', quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
            CASE WHEN l.collname = 'C' THEN 'COLLATE "C"' END, CASE WHEN a.attnotnull THEN 'NOT NULL' END,
            'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid)) AS part
          FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
            LEFT JOIN pg_collation l ON l.oid = a.attcollation
          WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
          UNION ALL
          SELECT 1000, pg_get_constraintdef(k.oid) FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'p'
        ) AS parts)) AS made
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = ${SCHEMA} AND c.relkind = 'r' ORDER BY c.relname`;
    const indexes = await sql`SELECT indexdef AS made FROM pg_indexes
      WHERE schemaname = ${SCHEMA} AND indexname NOT LIKE '%_pkey' ORDER BY 1`;
    return [`CREATE SCHEMA ${SCHEMA}`, ...[...tables, ...indexes].map(({ made }) => String(made))];
  } finally {
    await sql.end();
  }
}

/** Makes the tables by their statements, with these rows. */
export async function putRows(url: string, tables: readonly string[], rows: Rows): Promise<void> {
  const sql = sqlAt(url);
  try {
    await sql.unsafe(tables.join(";\n"));
    for (const [table, list] of Object.entries(rows))
      for (const row of list)
        await sql`INSERT INTO ${sql(SCHEMA)}.${sql(table)}
          SELECT * FROM jsonb_populate_record(NULL::${sql(SCHEMA)}.${sql(table)}, ${sql.json(lasting(row) as never)})`;
  } finally {
    await sql.end();
  }
}

export async function keysAt(url: string): Promise<Keys> {
  const redis = new Redis(url);
  try {
    const keys: Keys = {};
    for (const key of (await redis.keys("*")).sort()) {
      const type = await redis.type(key);
      const read: Record<string, () => Promise<unknown>> = {
        string: () => redis.get(key),
        hash: async () => Object.fromEntries(Object.entries(await redis.hgetall(key)).sort()),
        zset: async () => scoresIn(await redis.zrange(key, "0", "-1", "WITHSCORES")),
      };
      keys[key] = { type, value: await read[type]?.(), ttlMs: await redis.pttl(key) };
    }
    return keys;
  } finally {
    redis.disconnect();
  }
}

export async function putKeys(url: string, keys: Keys): Promise<void> {
  const redis = new Redis(url);
  try {
    for (const [key, { type, value, ttlMs }] of Object.entries(keys)) {
      if (type === "string") await redis.set(key, String(value));
      if (type === "hash") await redis.hset(key, value as Record<string, string>);
      if (type === "zset")
        for (const [member, score] of Object.entries(value as Record<string, string>))
          await redis.zadd(key, Math.max(Number(score), LEAST_END.getTime()), member);
      if (ttlMs > 0) await redis.pexpire(key, ttlMs);
    }
  } finally {
    redis.disconnect();
  }
}

/** By members, since several may have one score. */
function scoresIn(list: readonly string[]): Record<string, string> {
  const pairs = list.flatMap(
    (member, at): Array<[string, string]> => (at % 2 === 0 ? [[member, String(list[at + 1])]] : []),
  );
  return Object.fromEntries(pairs.sort());
}

function lasting(row: Record<string, unknown>): Record<string, unknown> {
  const { ends_at: end } = row;
  const isShort = typeof end === "string" && new Date(end) < LEAST_END;
  return isShort ? { ...row, ends_at: LEAST_END.toISOString() } : row;
}
