/** A word this long at the end, such as an address, is cut itself: nothing would be left before it. */
const LONGEST_WORD = 24;

/** The text, or its start with an ellipsis, cut between two words. */
export function cutAtWord(text: string, length: number): string {
  if (text.length <= length) return text;
  const start = text.slice(0, length);
  const end = start.lastIndexOf(" ");
  const kept = end >= length - LONGEST_WORD ? start.slice(0, end) : start.slice(0, length - 1);
  return `${kept.replace(/[\s.,:;·(–-]+$/, "")}…`;
}
