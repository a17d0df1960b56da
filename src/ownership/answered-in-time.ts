import { CrecError } from "../errors.ts";
import type { Clock } from "../timing/index.ts";

/**
 * What the shared state answers. Rejects with a retryable error when the answer comes so late that it would be of no use.
 * `label` is that of the shared state.
 */
export function answeredInTime<T>(
  answer: Promise<T>,
  { ms, clock, label }: { ms: number; clock: Clock; label: string },
): Promise<T> {
  const waiting = new AbortController();
  const late = clock.sleep(ms, waiting.signal).then(() => {
    throw noAnswer(label, ms);
  });
  return Promise.race([answer, late]).finally(() => waiting.abort());
}

function noAnswer(label: string, ms: number): CrecError {
  return new CrecError(
    "SHARED_STATE_UNREACHABLE",
    `The shared state (${label}) did not answer within ${Math.round(ms / 100) / 10} s. Check that it runs and is not overloaded, and the network between; it is tried again.`,
    { retryable: true },
  );
}
