import * as OxAbi from "ox/Abi";
import { ArgumentError } from "../errors.ts";

type Line = { text: string; number: number };

/**
 * Reads human-readable ABI text: one item a line, or several with `;` between, with `//` and block
 * comments and blank lines anywhere. The items come back as in a JSON ABI.
 *
 * @throws ArgumentError `ABI_INVALID`, naming the line.
 */
export function readHumanReadable(text: string): unknown[] {
  const lines = splitItems(blankComments(text)).map(({ text, number }) => ({ text: tidy(text), number }));
  const structs = lines.filter(isStruct).map((line) => line.text);
  return lines.filter((line) => !isStruct(line)).map((line) => readLine(line, structs));
}

function readLine({ text, number }: Line, structs: string[]): unknown {
  const anonymous = /^event .*\) ?anonymous$/.test(text);
  const item = anonymous ? text.replace(/ ?anonymous$/, "") : text;
  try {
    const signatures: readonly string[] = [item, ...structs];
    const [parsed] = OxAbi.from(signatures);
    return { ...parsed, anonymous };
  } catch (cause) {
    const shown = text.length > 80 ? `${text.slice(0, 80)}…` : text;
    throw new ArgumentError(
      "abi",
      `Line ${number} of the ABI cannot be read: "${shown}". ${hint(text, cause)}`,
      { code: "ABI_INVALID", cause },
    );
  }
}

function hint(text: string, cause: unknown): string {
  const keyword = /^(function|event|error|constructor|receive|fallback)\b/.test(text);
  if (!keyword) return "An item begins with function, event or error.";
  const reason = /Type "[^"]*" is not a valid ABI type/.exec(String(cause))?.[0];
  return reason === undefined
    ? "It should look like `function name(type name, …) view returns (type)`."
    : `${reason}.`;
}

function isStruct({ text }: Line): boolean {
  return text.startsWith("struct ");
}

/** Comments become spaces, so that lines keep their numbers. */
function blankComments(text: string): string {
  return text.replace(/\/\/[^\r\n]*|\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\r\n]/g, " "));
}

/** Items end at a line break or semicolon that is not inside brackets. */
function splitItems(text: string): Line[] {
  const items: Line[] = [];
  let item = "";
  let depth = 0;
  let line = 1;
  let startedAt = 1;
  for (const character of `${text.replaceAll("\r\n", "\n")}\n`) {
    if ("({".includes(character)) depth++;
    if (")}".includes(character)) depth--;
    const ends = depth <= 0 && (character === "\n" || character === ";");
    if (!ends) {
      if (item.trim() === "") startedAt = line;
      item += character;
    } else {
      if (item.trim() !== "") items.push({ text: item, number: startedAt });
      item = "";
      depth = 0;
    }
    if (character === "\n") line++;
  }
  // What is left never closed its brackets.
  if (item.trim() !== "") items.push({ text: item, number: startedAt });
  return items;
}

/** Solidity's freedom of spaces and words that say nothing about the ABI, reduced to one way. */
function tidy(item: string): string {
  return item
    .replace(/\s+/g, " ")
    .replace(/ ?([(),[\]]) ?/g, "$1")
    .replace(/\btuple\(/g, "(")
    .replace(/([)\]])(?=\w)/g, "$1 ")
    .replace(/\breturns\(/g, "returns (")
    .replace(/ (?:override|virtual|nonpayable)\b/g, "")
    .trim();
}
