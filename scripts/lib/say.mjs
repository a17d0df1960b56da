// @ts-check

/** An error that the user can fix: the message says what happened and what to do. */
export class StartError extends Error {}

/**
 * Prints a line for people, to stderr: stdout has only the `ready` line.
 *
 * @param {string} line
 */
export function say(line) {
  process.stderr.write(`${line}\n`);
}
