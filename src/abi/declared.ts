import { Literals } from "./literal.ts";

/** A value in JavaScript, and the name of its constant. */
type Declared = { value: unknown; name: string };

/** Each takes a pass over the text. */
const MOST_FAILURES = 20;
/** Where a value begins in other text: a JavaScript constant or export, or a heading of the compiler. */
const DECLARATION =
  /^[ \t]*(?:export[ \t]+default|(?:export[ \t]+)?(?:declare[ \t]+)?(?:const|let|var)[ \t]+([\w$]+)[^=\n]{0,200}=|(?:module\.)?exports(?:\.([\w$]+))?[ \t]*=|=+[ \t]+(?:[^\n=]*:)?([\w$]+)[ \t]+=+\s+Contract JSON ABI)/gm;
/** `abi = `, or `"abi": ` as in a part of an artifact. */
const ASSIGNMENT = /["']?[A-Za-z_$][\w$]*["']?\s*[:=]\s*(?=[[{"'`])/y;
/** What may stand before a value: `<const>`, or calls such as `parseAbi(`. */
const WRAPPING = /\s*(?:<\w+>\s*|(?:new\s+)?[\w$.]+\(\s*){0,3}/y;

/**
 * The values that a text declares. Beside an ABI there may be others, which name what is declared elsewhere: they are left
 * out, unless nothing else is there.
 *
 * @param start where the text begins, after comments
 * @throws ArgumentError `ABI_INVALID` with the line and the word
 */
export function declaredIn(text: string, start: number): Declared[] {
  const found: Declared[] = [];
  const failures: Array<{ name: string; error: unknown }> = [];
  const read = (at: number, name: string, declaration: string): number => {
    WRAPPING.lastIndex = at;
    const from = at + (WRAPPING.exec(text)?.[0].length ?? 0);
    // Other values are not looked at: the first one is named where there is nothing else. Solidity has let and var, too.
    const isLiteral = /[[{"'`]/.test(text[from] ?? "");
    if (!isLiteral && (failures.length > 0 || /^\s*(?:let|var)\b/.test(declaration))) return from;
    const literals = new Literals(text, from);
    try {
      const value = literals.value();
      if (isLiteral) found.push({ value, name });
    } catch (error) {
      failures.push({ name: isLiteral ? name : "", error });
    }
    return Math.max(literals.at, from + 1);
  };
  ASSIGNMENT.lastIndex = start;
  const [assigned] = ASSIGNMENT.exec(text) ?? [];
  if (assigned !== undefined) read(start + assigned.length, "", assigned);
  DECLARATION.lastIndex = assigned === undefined ? 0 : text.length;
  for (let match = DECLARATION.exec(text); match; match = DECLARATION.exec(text)) {
    const name = match[1] ?? match[2] ?? match[3] ?? "";
    DECLARATION.lastIndex = read(DECLARATION.lastIndex, name, match[0]);
    if (failures.length === MOST_FAILURES) break;
  }
  const failure = failures.find(({ name }) => found.length === 0 || /abi/i.test(name));
  if (failure) throw failure.error;
  return found;
}
