/** Calls a listener. What it throws is its own error, and must not become the consumer's. */
export function quietly(call: () => void): void {
  try {
    call();
  } catch {}
}
