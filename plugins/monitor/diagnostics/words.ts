/** The words of the texts in our sources, made by the build. */
declare const OWN_WORDS: string;

/** In lower case. */
export function ownWords(): ReadonlySet<string> {
  return new Set(OWN_WORDS.split(" "));
}
