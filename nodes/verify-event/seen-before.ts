/** The rejection of an event that this node has sent before. */
export type SeenBefore = { verified: false; reason: "seen_before"; message: string };

export function seenBefore(dedupeKey: string): SeenBefore {
  return {
    verified: false,
    reason: "seen_before",
    message: `This node has sent an event with the same signed content before (${dedupeKey}). It must not be processed again.`,
  };
}
