/** Languages without spaces have no words that could be found: what stands between two other characters counts as one. */
const WORD = /\p{Script=Latin}{2,40}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+/gu;

/** The words of catalogs, in lower case: of their texts, and not of their keys. */
export function translatedWords(catalogs: string): Set<string> {
  const texts = [...catalogs.matchAll(/": ?"((?:[^"\\\n]|\\.)*)"/g)].map(([, text = ""]) => text);
  return new Set([...texts.join("\n").matchAll(WORD)].map(([word]) => word.toLowerCase()));
}
