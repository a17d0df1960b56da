import { toCodedError } from "../shared/errors.ts";
import { isForReadOnlyUser } from "../status/read-limit.ts";

/** What is looked up once for all messages that need it. A look-up that failed is not remembered. */
export function sharedLookUp<T>(
  lookUp: (signal: AbortSignal) => Promise<T>,
): (signal: AbortSignal) => Promise<T> {
  let known: Promise<T> | undefined;
  return async (signal) => {
    // It may be refused, or wait for long: a flow does not join it.
    if (!known && isForReadOnlyUser()) {
      const found = await lookUp(signal);
      known ??= Promise.resolve(found);
      return found;
    }
    for (;;) {
      known ??= lookUp(signal);
      const current = known;
      try {
        return await current;
      } catch (error) {
        if (known === current) known = undefined;
        // The look-up of another node, which ended with that node: this node does its own.
        if (toCodedError(error).code !== "ABORTED" || signal.aborted) throw error;
      }
    }
  };
}
