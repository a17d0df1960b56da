import * as OxAbi from "ox/Abi";
import { ABI_BOUNDS, tooLarge } from "./bounds.ts";
import { invalid } from "./invalid.ts";
import { type Line, plainItems, splitItems } from "./solidity.ts";
import { Structs } from "./structs.ts";

/**
 * Reads human-readable ABI text: one item a line, or several with `;` between, with `//` and block
 * comments and blank lines anywhere; or the source of interfaces. The items come back as in a JSON ABI.
 *
 * @throws ArgumentError `ABI_INVALID`, naming the line.
 */
export function readHumanReadable(text: string): unknown[] {
  const { textLength, items, structs: mostStructs, writtenLength } = ABI_BOUNDS;
  if (text.length > textLength)
    throw tooLarge("abi", `The ABI has ${text.length} characters; the limit is ${textLength}.`);
  const split = splitItems(blankComments(text));
  if (split.items.length > items)
    throw tooLarge("abi", `The ABI has ${split.items.length} items; the limit is ${items}.`);
  const tidied = split.items.map((line) => ({ ...line, text: tidy(requireShort(line)) }));
  const lines = plainItems(tidied, split.interfaces);
  const texts = structTexts(lines);
  if (texts.length > mostStructs)
    throw tooLarge("abi", `The ABI has ${texts.length} structs; the limit is ${mostStructs}.`);
  const structs = new Structs(texts);
  let length = 0;
  return lines
    .filter((line) => !isStruct(line))
    .map((line) => {
      const written = writtenOut(line, structs);
      length += written.length;
      if (length > writtenLength)
        throw tooLarge(
          "abi",
          `The ABI has more than ${writtenLength} characters with its structs written out.`,
        );
      return readLine(line, written);
    });
}

/** Two interfaces may have different structs with one name: then it is not clear which one an item uses. */
function structTexts(lines: readonly Line[]): string[] {
  const texts = new Map<string, string>();
  for (const { text, number } of lines.filter(isStruct)) {
    const name = /^struct [\w$]*/.exec(text)?.[0] ?? text;
    if ((texts.get(name) ?? text) === text) texts.set(name, text);
    else
      throw invalid(
        "abi",
        `Line ${number} of the ABI defines ${name} differently from a line above. Paste one interface at a time.`,
      );
  }
  return [...texts.values()];
}

function requireShort({ text, number }: Line): string {
  if (text.length <= ABI_BOUNDS.itemLength) return text;
  throw tooLarge("abi", `Line ${number} of the ABI begins an item of ${text.length} characters.`);
}

/** A line with its structs replaced by tuples, if that is within the limits. */
function writtenOut({ text, number }: Line, structs: Structs): string {
  const { parameters, depth: mostDeep } = ABI_BOUNDS;
  const { size, depth } = structs.extentOf(text);
  const line = `Line ${number} of the ABI`;
  if (depth > mostDeep)
    throw tooLarge("abi", `${line} uses structs that are nested too deeply, or contain themselves.`);
  if (size > parameters)
    throw tooLarge("abi", `${line} has more than ${parameters} parameters, with those of its structs.`);
  return structs.writtenOut(text);
}

function readLine({ text, number }: Line, written: string): unknown {
  const anonymous = /^event .*\) ?anonymous$/.test(written);
  const item = anonymous ? written.replace(/ ?anonymous$/, "") : written;
  try {
    const signatures: readonly string[] = [item.replace(NAMED_ERROR, ` ${PLACEHOLDER}`)];
    const [parsed] = OxAbi.from(signatures);
    return withNames({ ...parsed, anonymous });
  } catch (cause) {
    const shown = text.length > 80 ? `${text.slice(0, 80)}…` : text;
    throw invalid("abi", `Line ${number} of the ABI cannot be read: "${shown}". ${hint(text, cause)}`, cause);
  }
}

/** Solidity allows a parameter with the name `error`, and the parser does not. */
const NAMED_ERROR = / error(?=[,)])/g;
const PLACEHOLDER = "$error";

type Named = Partial<Record<"name" | "inputs" | "outputs" | "components" | "anonymous", unknown>>;

function withNames<T extends Named>(item: T): T {
  const lists = (["inputs", "outputs", "components"] as const).flatMap((key) => {
    const list = item[key];
    return Array.isArray(list) ? [[key, list.map((part: Named) => withNames(part))]] : [];
  });
  const name = item.name === PLACEHOLDER ? { name: "error" } : {};
  return { ...item, ...Object.fromEntries(lists), ...name };
}

function hint(text: string, cause: unknown): string {
  const keyword = /^(function|event|error|constructor|receive|fallback)\b/.test(text);
  if (!keyword)
    return "An item begins with function, event or error; a whole interface begins with interface.";
  const reason = /Type "[^"]*" is not a valid ABI type/.exec(String(cause))?.[0];
  return reason === undefined
    ? "It should look like `function name(type name, …) view returns (type)`."
    : `${reason}.`;
}

function isStruct({ text }: Line): boolean {
  return text.startsWith("struct ");
}

/** Replaces comments by spaces, so that lines keep their numbers. A comment without an end counts as text. */
function blankComments(text: string): string {
  const parts: string[] = [];
  let from = 0;
  const start = /\/[/*]/g;
  for (let match = start.exec(text); match !== null; match = start.exec(text)) {
    const { index } = match;
    const isLine = text[index + 1] === "/";
    const end = isLine ? text.slice(index).search(/[\r\n]|$/) + index : text.indexOf("*/", index + 2) + 2;
    if (end < index + 2) break;
    parts.push(text.slice(from, index), text.slice(index, end).replace(/[^\r\n]/g, " "));
    from = end;
    start.lastIndex = end;
  }
  return [...parts, text.slice(from)].join("");
}

/** Removes optional spaces and keywords that do not change the ABI. */
function tidy(item: string): string {
  return item
    .replace(/\boverride\s*\([^()]*\)/g, " ")
    .replace(/\s+/g, " ")
    .replace(/ ?([(),[\]]) ?/g, "$1")
    .replace(/\btuple\(/g, "(")
    .replace(/([)\]])(?=\w)/g, "$1 ")
    .replace(/\breturns\(/g, "returns (")
    .replace(/ (?:override|virtual|nonpayable)\b/g, "")
    .trim();
}
