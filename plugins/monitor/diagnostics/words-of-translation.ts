const STRING = /"((?:[^"\\\n]|\\.)*)"/g;
/** Languages without spaces have no words that could be found; what stands between two other characters counts as one. */
const WORD = /[\p{Script=Latin}]{2,40}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+/gu;

/**
 * The words of a catalog, in lower case.
 *
 * @param catalog as JSON
 */
export function wordsOfTranslation(catalog: string): string[] {
  return [...catalog.matchAll(STRING)].flatMap(([, text = ""]) =>
    [...text.matchAll(WORD)].map(([word]) => word.toLowerCase()),
  );
}
