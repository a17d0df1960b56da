// @ts-check
// Error reports of the check scripts.

/**
 * Prints what failed. The script continues, and its exit code will be 1.
 *
 * @param {string} sentence
 */
export function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 1;
}

/** What a command printed, or an error says. @param {unknown} error */
export function messageOf(error) {
  if (!(error instanceof Error)) return String(error);
  return "stderr" in error && error.stderr ? String(error.stderr) : error.message;
}
