/**
 * A mark that is stored after a typed key, new each time. A person who changes a flow can set every other field, but does
 * not know the key: a new mark shows that a person who knows the key has entered it again.
 */
const MARK = /^(.+) typed-([\w-]+)$/s;

export function markTyped(key: string, moment: string): string {
  return `${withoutMark(key)} typed-${moment}`;
}

/** The key itself. */
export function withoutMark(stored: string): string {
  return MARK.exec(stored)?.[1] ?? stored;
}
