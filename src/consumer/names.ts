import type { CursorIdentity } from "./cursor.ts";

type Holder = { identity: CursorIdentity; onConflict: () => void };

/** Two consumers of one identity would overwrite each other's place, and each would miss events. */
const holders = new Map<string, Holder>();

/**
 * Claims an identity within this process. Gives the function that frees it again, or undefined when it is taken;
 * then the one that has it is told.
 */
export function claimName(identity: CursorIdentity, onConflict: () => void): (() => void) | undefined {
  const key = JSON.stringify([identity.service, identity.channelId, identity.consumer]);
  const holder = holders.get(key);
  if (holder !== undefined) {
    holder.onConflict();
    return undefined;
  }
  const mine: Holder = { identity, onConflict };
  holders.set(key, mine);
  return () => {
    if (holders.get(key) === mine) holders.delete(key);
  };
}
