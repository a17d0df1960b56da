import { type CodedError, nodeError } from "../lib/shared/errors.ts";

/** How a node stands with the file its place is kept in: alone, the first of several, or one too many. */
export type Standing = "alone" | "first" | "barred";

type Holder = { standing?: Standing; onStanding: (standing: Standing) => void };

/** By the file's path, in the order they came. */
const places = new Map<string, Holder[]>();

/**
 * Claims the file of a place for a node of this process. Two that wrote to it would overwrite each other's place,
 * so only the first reads; both are told, now and whenever that changes. Gives the function that leaves it again.
 */
export function claimPlace(path: string, onStanding: (standing: Standing) => void): () => void {
  const holder: Holder = { onStanding };
  settle(path, [...(places.get(path) ?? []), holder]);
  return () =>
    settle(
      path,
      (places.get(path) ?? []).filter((other) => other !== holder),
    );
}

function settle(path: string, holders: Holder[]): void {
  if (holders.length > 0) places.set(path, holders);
  else places.delete(path);
  for (const [index, holder] of holders.entries()) {
    const standing = holders.length === 1 ? "alone" : index === 0 ? "first" : "barred";
    if (standing === holder.standing) continue;
    holder.standing = standing;
    holder.onStanding(standing);
  }
}

export function nameTaken(consumer: string): CodedError {
  return nodeError(
    "CONSUMER_NAME_TAKEN",
    `Two consumers are called "${consumer}". Only the first of them reads: give each a name of its own, or remove one.`,
  );
}
