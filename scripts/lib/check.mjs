// @ts-check
// What the scripts that CI runs beside the tests say when something does not work.

/**
 * The script goes on, and has failed.
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
