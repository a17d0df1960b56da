// The tables, in a schema that is named after the namespace.
//
//   lease    one row a cursor. It is never deleted, so that its epoch never goes back. While nobody has the lease,
//            copy_id, copy_name, renewed_at and ends_at are null. revision: that of the last save with this epoch.
//   once     one row a mark: what was processed. is_new is the answer to the call that wrote the row last.
//   member   one row a copy that is alive.
//   record   one row a record. name: the key as JSON where key is only its hash, else ''.
//   version  one row: the version of these tables. What was added later, such as record and once.digest, does not change
//            it: copies that do not know it go on with the rest.
//
// Creating:  out  nothing; the tables exist. Several copies may do it at once: they wait for each other.
// Version:   out  one row, or the error 42P01 or 3F000 when there are no tables.

/** A column of a row that a statement returns. */
export type Column = string | number | boolean | null;

/** Sends one statement with its parameters `$1`, `$2` and so on; resolves with the rows. */
export type Run = (text: string, parameters: ReadonlyArray<Column>) => Promise<Array<Record<string, Column>>>;

/** SQL: a moment so many milliseconds from now, by the clock of the server. */
export function later(ms: string): string {
  return `clock_timestamp() + ${ms} * interval '1 millisecond'`;
}

/** The version of the tables that this code knows. */
const VERSION = 1;

/** @throws {NewerSchema} */
export async function prepareSchema(run: Run, namespace: string): Promise<void> {
  const found = (await versionOf(run, namespace)) ?? (await createTables(run, namespace));
  if (found > VERSION) throw new NewerSchema(found);
}

/** A newer version of this code has changed the tables. */
export class NewerSchema extends Error {
  constructor(found: number) {
    super(`its tables have version ${found}, and this copy knows version ${VERSION}`);
  }
}

/** Whether an error says that there are no tables. */
export function isWithoutSchema(code: string): boolean {
  return code === "42P01" || code === "3F000";
}

/** Undefined where a table or a column is missing. */
async function versionOf(run: Run, namespace: string): Promise<number | undefined> {
  // The catalog answers where the schema may not be used, too: then reading the version says what is missing.
  const tables = `SELECT to_regclass($1) IS NOT NULL AND to_regclass($2) IS NOT NULL AND EXISTS (
  SELECT FROM pg_attribute WHERE attrelid = to_regclass($3) AND attname = 'digest' AND NOT attisdropped
) AS exist`;
  const [row] = await run(tables, [`${namespace}.version`, `${namespace}.record`, `${namespace}.once`]);
  if (row?.exist !== true) return undefined;
  const [version] = await run(`SELECT version FROM ${namespace}.version`, []);
  return Number(version?.version);
}

/** Creates what is missing. Resolves with the version of all of them. */
async function createTables(run: Run, namespace: string): Promise<number> {
  await run(creation(namespace), []);
  const [version] = await run(`SELECT version FROM ${namespace}.version`, []);
  return Number(version?.version);
}

/**
 * `CREATE SCHEMA IF NOT EXISTS` asks for a permission even where the schema exists: an administrator may have made it.
 * States are not compressed: most of a large one are random ids, and trying takes longer than writing it.
 */
function creation(namespace: string): string {
  return `DO $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('${namespace}'), 1129530691);
  IF to_regnamespace('${namespace}') IS NULL THEN
    CREATE SCHEMA ${namespace};
  END IF;
  IF to_regclass('${namespace}.version') IS NULL THEN
    CREATE TABLE ${namespace}.lease (
      key text COLLATE "C" PRIMARY KEY,
      epoch bigint NOT NULL,
      copy_id text,
      copy_name text,
      renewed_at timestamptz,
      ends_at timestamptz,
      state text,
      revision bigint NOT NULL DEFAULT 0
    );
    ALTER TABLE ${namespace}.lease ALTER COLUMN state SET STORAGE EXTERNAL;
    CREATE TABLE ${namespace}.once (
      scope text COLLATE "C",
      key text COLLATE "C",
      delivery text NOT NULL,
      is_new boolean NOT NULL,
      ends_at timestamptz NOT NULL,
      PRIMARY KEY (scope, key)
    );
    CREATE INDEX once_ends_at ON ${namespace}.once (ends_at);
    CREATE TABLE ${namespace}.member (
      id text COLLATE "C" PRIMARY KEY,
      name text NOT NULL,
      "group" text COLLATE "C" NOT NULL,
      ends_at timestamptz NOT NULL
    );
    CREATE TABLE ${namespace}.version (version integer NOT NULL);
    INSERT INTO ${namespace}.version VALUES (${VERSION});
  END IF;
  ALTER TABLE ${namespace}.once ADD COLUMN IF NOT EXISTS digest text NOT NULL DEFAULT '';
  IF to_regclass('${namespace}.record') IS NULL THEN
    CREATE TABLE ${namespace}.record (
      scope text COLLATE "C",
      key text COLLATE "C",
      name text NOT NULL,
      revision bigint NOT NULL,
      text text NOT NULL,
      ends_at timestamptz NOT NULL,
      PRIMARY KEY (scope, key)
    );
    CREATE INDEX record_ends_at ON ${namespace}.record (ends_at);
  END IF;
END
$$`;
}
