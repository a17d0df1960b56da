import { type RunScript, versionKey } from "./script.ts";

// The version of the keys.
//
//   in   KEYS[1] its key; ARGV[1] the version that this code knows
//   out  the version that is there now: this one, unless there was one before

const VERSION = 1;

const SCHEMA = {
  text: `redis.call('SETNX', KEYS[1], ARGV[1])
return redis.call('GET', KEYS[1])`,
};

/** @throws {NewerSchema} */
export async function prepareSchema(run: RunScript, namespace: string): Promise<void> {
  const found = Number(await run(SCHEMA, [versionKey(namespace)], [String(VERSION)]));
  if (found > VERSION) throw new NewerSchema(found);
}

/** A newer version of this code has changed the keys. */
export class NewerSchema extends Error {
  constructor(found: number) {
    super(`its keys have version ${found}, and this copy knows version ${VERSION}`);
  }
}

/** Redis removes keys that have no time to live when its memory is full: then an epoch would go back. */
export class EvictsLeases extends Error {
  constructor(policy: string) {
    super(
      `when its memory is full it removes any key (maxmemory-policy ${policy}), and with a lease the cursor; set maxmemory-policy to noeviction, or use a Redis that is no cache`,
    );
  }
}

/** What a server answers that has no such command for this user. It is no other failure, such as one of the connection. */
const NOT_ALLOWED = /^(NOPERM|ERR) /;

/**
 * Whether the server says what it evicts. One with `volatile-…` evicts nothing of ours that must not be lost: see script.ts.
 *
 * @param askInfo asks for `INFO memory`
 * @throws {EvictsLeases}
 */
export async function checkEviction(askInfo: () => Promise<string>): Promise<boolean> {
  const info = await askInfo().catch((error: unknown) => {
    if (error instanceof Error && NOT_ALLOWED.test(error.message)) return "";
    throw error;
  });
  const limit = /^maxmemory:(\d+)/m.exec(info)?.[1];
  const policy = /^maxmemory_policy:([a-z-]+)/m.exec(info)?.[1];
  if (policy?.startsWith("allkeys-") && limit !== "0") throw new EvictsLeases(policy);
  return policy !== undefined;
}
