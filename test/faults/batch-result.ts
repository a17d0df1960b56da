/** What became of one batch of odd messages. */
export type BatchResult = {
  /** Their numbers in the batch: those that did not end, and those that ended twice. */
  lost: number[];
  twice: number[];
  thrown: string[];
  longestMs: number;
  longestAt: number;
  heapBefore: number;
  heapAfter: number;
  polluted: boolean;
  unhandled: string[];
};
