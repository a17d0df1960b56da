/**
 * A value that this version does not list, such as a status of a newer service. At run time it is any text. Its type
 * matches no literal, so that a mistyped one does not compile: `status === "confrimed"`.
 */
export type Unlisted = `${string} (unlisted)`;

/** One of the values that this version lists, or any other that a newer service sends, which is passed on as it is. */
export type Open<T extends string> = T | Unlisted;

/**
 * A value that this version does not list, to compare with or to filter by. It is the text itself.
 * @example
 * operation.status === unlisted("paused"); // → false
 * isTerminal(OPERATION_LIFECYCLE, unlisted("paused")); // → false
 */
export function unlisted(text: string): Unlisted {
  return text as Unlisted;
}
