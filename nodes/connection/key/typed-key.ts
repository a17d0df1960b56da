/**
 * The mark of the moment at which a key was typed, stored behind it. Who changes a flow can set every other field, but
 * does not know the key: so a new mark says that somebody who knows it has typed it again.
 */
const MARK = /^(.+) typed-([\w-]+)$/s;

export function markTyped(key: string, moment: string): string {
  return `${withoutMark(key)} typed-${moment}`;
}

/** The key itself. */
export function withoutMark(stored: string): string {
  return MARK.exec(stored)?.[1] ?? stored;
}
