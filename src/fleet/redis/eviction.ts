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
 * Whether the server says what it evicts. One with `volatile-…` evicts nothing of ours that must not be lost: see keys.ts.
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
