import { yieldToEventLoop } from "../timing/index.ts";

/** Proofs that are checked before the event loop runs again: about 2 ms. */
const PROOFS_PER_RUN = 8;

let left = PROOFS_PER_RUN;
let pause: Promise<void> | undefined;

/**
 * Called before each proof, by all verifiers of the process. Without it, many proofs in a row would keep timers and
 * sockets waiting until the last of them is checked: a loop of awaits alone does not let the event loop run.
 */
export async function yieldRegularly(): Promise<void> {
  while (left === 0) {
    pause ??= yieldToEventLoop().then(() => {
      left = PROOFS_PER_RUN;
      pause = undefined;
    });
    await pause;
  }
  left -= 1;
}
