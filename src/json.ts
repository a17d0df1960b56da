/** Integers beyond 2^53 are decimal text, everything else is as `JSON.parse` returns it. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/**
 * Numbers that `JSON.parse` might round: 16 characters or more, or with an exponent.
 * It may also match inside a string, which only costs time.
 */
const MAY_ROUND = /(?:^|[:[,])\s*-?(?:\d[\d.]{15,}|[\d.]+[eE])/;
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** More digits than a uint256 has, but an exponent cannot produce a gigabyte of zeros. */
const MAX_INTEGER_DIGITS = 100;

/**
 * Parses JSON without rounding integers: those beyond 2^53 become decimal strings, however they are
 * written (`1.2e+21` too). Only text that may need it is read a second time. The JSON may have any depth.
 *
 * A reviver with the source text of each number is not used: Node.js 20 has none, its stack limits the depth, and this
 * takes a third to two thirds of its time.
 *
 * @throws SyntaxError when the text is not JSON or an integer in it has more than 100 digits; its message
 * quotes the text, so never show it.
 */
export function parseJson(text: string): JsonValue {
  return JSON.parse(MAY_ROUND.test(text) ? withQuotedIntegers(text) : text);
}

/** The same JSON, with integers beyond 2^53 as text. Not recursive: the JSON may have any depth. */
function withQuotedIntegers(text: string): string {
  JSON.parse(text);
  const token = /"|-?\d[\d.eE+-]*/g;
  const parts: string[] = [];
  let done = 0;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [source] = match;
    if (source === '"') {
      token.lastIndex = endOfString(text, token.lastIndex);
      continue;
    }
    const value = unrounded(Number(source), source);
    if (typeof value === "number") continue;
    parts.push(text.slice(done, match.index), `"${value}"`);
    done = token.lastIndex;
  }
  return parts.join("") + text.slice(done);
}

/** The end of the string whose text begins at `start`, in valid JSON. */
function endOfString(text: string, start: number): number {
  for (let at = start; ; at += 1) {
    at = text.indexOf('"', at);
    let escapes = 0;
    while (text[at - 1 - escapes] === "\\") escapes += 1;
    if (escapes % 2 === 0) return at + 1;
  }
}

function unrounded(value: number, source: string): number | string {
  if (Number.isSafeInteger(value)) return value;
  const digits = integerDigits(source);
  if (digits !== undefined) return digits;
  if (Number.isFinite(value)) return value;
  throw new SyntaxError("A number is too large.");
}

/**
 * The decimal digits of a number written in any way JSON allows, or undefined when it is not an integer.
 *
 * @throws SyntaxError when it has more than 100 digits.
 */
export function integerDigits(source: string): string | undefined {
  const match = NUMBER.exec(source);
  if (match === null) return undefined;
  const [, sign = "", whole = "", fraction = "", exponentText = "0"] = match;
  const exponent = Number(exponentText);
  const digits = (whole + fraction).replace(/^0+/, "");
  if (digits === "") return "0";
  const point = digits.length - fraction.length + exponent;
  const isInteger = point >= 0 && /^0*$/.test(digits.slice(point));
  if (!isInteger) return undefined;
  if (point > MAX_INTEGER_DIGITS) throw new SyntaxError("An integer has too many digits.");
  return `${sign}${digits.slice(0, point).padEnd(point, "0")}`;
}
