import type { QueryAnswer } from "../../src/index.ts";
import { type CodedError, nodeError } from "../common/shared/errors.ts";

/** Clocks differ. A block that is further ahead than this means that a clock is wrong. Seconds. */
const CLOCK_TOLERANCE = 60;

/**
 * Why a block is not recent enough by the clock of this machine; undefined where it is.
 * @param now Unix seconds
 */
export function blockAgeProblem(
  block: QueryAnswer["block"],
  maxAge: number,
  now = Date.now() / 1000,
): CodedError | undefined {
  const age = Math.floor(now - Number(block?.time));
  if (block === undefined || Number.isNaN(age)) {
    return nodeError(
      "BLOCK_TOO_OLD",
      "The answer does not name the time of its block, so its age is unknown. Leave Max block age empty to accept any age.",
    );
  }
  if (age < -CLOCK_TOLERANCE) {
    return nodeError(
      "BLOCK_IN_THE_FUTURE",
      `The time of block ${block.number} is ${-age} seconds ahead of this machine, so its age is unknown. Correct this machine's clock. If it is right, the blocks of this network are ahead: leave Max block age empty.`,
    );
  }
  if (age <= maxAge) return undefined;
  return nodeError(
    "BLOCK_TOO_OLD",
    `The answer is from block ${block.number}, which is ${age} seconds old, and Max block age is ${maxAge}. Send the message again later, or increase Max block age. If it is always so, check this machine's clock.`,
  );
}
