/** Calls a listener, and ignores what it throws: an error of a listener must not become one of the consumer. */
export function callListener(call: () => void): void {
  try {
    call();
  } catch {}
}
