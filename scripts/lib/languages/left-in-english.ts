// Finds English where another language should be.

/** of a language */
export type Rules = {
  /** words that are the same in English, in lower case */
  same: ReadonlySet<string>;
  /** several words that are the same in English */
  phrases: readonly string[];
  /** letters that every text of the language has, if it does not use Latin ones */
  script?: RegExp;
  /** whether the language has spaces between words */
  hasSpaces: boolean;
};

/** Frequent English words that none of the languages has. */
const ENGLISH = /\b(?:the|and|of|is|are|with|this|that|not|does|has|which|from|your|when|than|only)\b/i;
/** Names of fields, codes, values and what is quoted are not translated. */
const NO_PROSE = new RegExp(
  [
    ...["`[^`]*`", '"[^"]*"', "“[^”]*”", "„[^“]*“", "「[^」]*」", "<[^>]*>", "\\]\\([^)]*\\)"],
    // Addresses, PEM, a line of an ABI.
    ...["\\w+://\\S+", "-----[A-Z ]+-----", "^event \\w+\\([^)]*\\)$"],
    // Names such as ${NAME}, WAIT_TIMEOUT, settings.js, a/b and maxAge.
    ...["\\$\\{?\\w+\\}?", "\\b\\w*_\\w+\\b", "\\b\\w+(?:[./]\\w+)+\\b", "\\b[a-z]+[A-Z]\\w*\\b"],
  ].join("|"),
  "g",
);
const WORD = /\p{L}[\p{L}\p{M}\p{N}-]*/gu;

export function englishIn(text: string, english: string, { same, phrases, script }: Rules): string[] {
  const named = phrases.reduce((rest, phrase) => rest.replaceAll(phrase, " "), text);
  const prose = named.replace(NO_PROSE, " ");
  const words = [...prose.matchAll(WORD)].map(([word]) => word.toLowerCase());
  const others = words.filter((word) => !same.has(word));
  if (others.length === 0) return [];
  if (text.trim() === english.trim()) return [`left in English: ${others.join(" ")}`];
  if (script && !script.test(prose)) return [`without a letter of the language: ${text}`];
  const found = ENGLISH.exec(prose);
  return found ? [`has the English word "${found[0]}"`] : [];
}
