/** A number of 16 or more digits where a value may stand: only such a body can hold one that rounds. */
const LONG_NUMBER = /(?:^|[:[,])\s*-?\d{16,}/;
const INTEGER = /^-?\d+$/;

/** `JSON.parse` as the engine has it: the reviver is also given the text of the value. */
type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;
const parse = JSON.parse as (text: string, reviver?: Reviver) => unknown;

/**
 * Parses JSON without rounding: an integer beyond ±(2^53 − 1) becomes a decimal string.
 * The reviver halves the throughput, so it only runs on a text that needs it.
 * @throws {SyntaxError} when the text is no JSON; its message quotes the text, so never pass it on.
 */
export function parseJson(text: string): unknown {
  return LONG_NUMBER.test(text) ? parse(text, keepLongIntegers) : parse(text);
}

const keepLongIntegers: Reviver = (_key, value, { source }) =>
  typeof value === "number" && !Number.isSafeInteger(value) && source !== undefined && INTEGER.test(source)
    ? source
    : value;
