/** Redis removes keys that have no time to live when its memory is full: then an epoch would go back. */
export class EvictsLeases extends Error {
  constructor(policy: string) {
    super(
      `when its memory is full it removes any key (maxmemory-policy ${policy}), and with a lease the cursor; set maxmemory-policy to noeviction, or use a Redis that is no cache`,
    );
  }
}

/**
 * @param info what `INFO memory` answers
 * @throws {EvictsLeases}
 */
export function checkEviction(info: string): void {
  const limit = /^maxmemory:(\d+)/m.exec(info)?.[1];
  const policy = /^maxmemory_policy:(allkeys-[a-z]+)/m.exec(info)?.[1];
  if (policy !== undefined && limit !== "0") throw new EvictsLeases(policy);
}
