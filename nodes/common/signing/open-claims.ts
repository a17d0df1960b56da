import type { Node, NodeAPI } from "node-red";
import { fleetOf } from "../fleet/fleet.ts";
import { type Joined, joinFleet } from "../fleet/join-fleet.ts";
import { isStateInMemory } from "../folder/state-in-memory.ts";
import { fileClaims, memoryClaims, type SigningClaims, sharedClaims } from "./claims.ts";

/**
 * The claims of a node: in the state that copies share, where one is chosen or in the environment, else in the state
 * folder. The function opens them when they are first needed.
 */
export function openClaims(
  RED: NodeAPI,
  node: Node,
  fleetId: string | undefined,
): () => Promise<SigningClaims> {
  let joined: Promise<Joined> | undefined;
  const inMemory = memoryClaims();
  node.on("close", (done: () => void) => {
    const left = joined?.then(({ leave }) => leave());
    Promise.resolve(left)
      .catch(() => {})
      .finally(done);
  });
  const open = async () => {
    if (isStateInMemory()) return inMemory;
    const ref = fleetOf(RED, fleetId);
    if (!ref) return fileClaims(RED);
    joined ??= joinFleet(RED, ref);
    // After an error it is tried again.
    joined.catch(() => {
      joined = undefined;
    });
    return sharedClaims((await joined).fleet.shared);
  };
  // At the deploy, so that the health knows then whether the shared state works. A message reports the error.
  open().catch(() => {});
  return open;
}
