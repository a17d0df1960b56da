// @ts-check

/** Something a person can put right: the message says what happened and what to do about it. */
export class StartError extends Error {}

/**
 * Tells people something. It goes to stderr: stdout carries the `ready` line and nothing else.
 *
 * @param {string} line
 */
export function say(line) {
  process.stderr.write(`${line}\n`);
}
