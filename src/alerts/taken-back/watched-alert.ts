import type { LogPlace, RaisedAlert, TakenBackReason } from "../types.ts";

/** A reminder has the id of its alert, and a log of its own. */
export function watchIdOf({ id, reminder }: Pick<RaisedAlert, "id" | "reminder">): string {
  return reminder === undefined ? id : `${id} ${reminder}`;
}

export type WatchedAlert = {
  /** How many were watched before. */
  readonly no: number;
  readonly alert: RaisedAlert;
  /** Where its log is by what is known now. */
  readonly log: LogPlace;
  readonly raisedAt: number;
  /** When the log was reported there last. */
  readonly seenAt: number;
  /** Other places in which the log was reported. */
  readonly others?: ReadonlyArray<readonly [blockNumber: string, logIndex: string]>;
  /**
   * It is not where it was, by evidence of this level and in this block: that of the transaction, or the one up to which
   * the level is reached. The same log may still be reported from another block. `stands`: it was reported from the block
   * of the same number, at another index.
   */
  readonly undone?: {
    readonly at: number;
    readonly blockNumber: string;
    readonly reason: TakenBackReason;
    readonly confidence: string;
    readonly stands?: true;
  };
  /** The chain passed its block at this level. That shows nothing while its source may have stopped reporting. */
  readonly passed?: { readonly at: number; readonly blockNumber: string; readonly confidence: string };
  /** People were told that the log has moved. */
  readonly toldMoved?: true;
};
