/** Words of people and policies. */
const DENIED = /\b(denied|rejected|declined|refused|cancell?ed|policy)\b/i;
/** Words of machines, which use those of people, too: "connection refused", "context canceled". */
const FAULT =
  /\b(connection|context cancell?ed|unavailable|overloaded|too many|rate limit\w*|limit exceeded|internal error)\b/i;
/** A proxy that has waited in vain has handed the request on, whatever its status. */
export const TIMED_OUT_WORDS = /\btime-?d?[ -]?out\b|\bdeadline exceeded\b/i;

/** Whether these are words of a person or a policy that decided against a signature. */
export function isDenial(words: string): boolean {
  return DENIED.test(words) && !FAULT.test(words) && !TIMED_OUT_WORDS.test(words);
}

/** What the JSON of an answer has at a path; undefined where it has nothing. */
export function fieldAt(json: unknown, ...path: ReadonlyArray<string | number>): unknown {
  return path.reduce((value, key) => {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    return (value as Readonly<Record<string | number, unknown>>)[key];
  }, json);
}

/** The same where it is text, or undefined. */
export function textAt(json: unknown, ...path: ReadonlyArray<string | number>): string | undefined {
  const value = fieldAt(json, ...path);
  return typeof value === "string" ? value : undefined;
}
