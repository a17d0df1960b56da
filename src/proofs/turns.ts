import { yieldToEventLoop } from "../timing/index.ts";

/** How many proofs are checked before other work gets its turn: some 2 ms at a time. */
const PROOFS_PER_TURN = 8;

let left = PROOFS_PER_TURN;
let pause: Promise<void> | undefined;

/**
 * Asked before each proof, by all verifiers of the process together: a loop of awaits alone, or many proofs at
 * once, would keep timers and sockets waiting until the last of them is done.
 */
export async function takeTurn(): Promise<void> {
  while (left === 0) {
    pause ??= yieldToEventLoop().then(() => {
      left = PROOFS_PER_TURN;
      pause = undefined;
    });
    await pause;
  }
  left -= 1;
}
