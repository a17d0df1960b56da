// The version of the keys.
//
//   in   KEYS[1] its key; ARGV[1] the version that this code knows
//   out  the version that is there now: this one, unless there was one before

import { versionKey } from "./keys.ts";
import type { RunScript } from "./script.ts";

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
