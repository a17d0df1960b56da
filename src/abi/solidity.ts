import { canonicalType } from "./abi-type.ts";
import { invalid } from "./invalid.ts";

/** One item of human-readable ABI text, and the line it begins in. */
export type Line = { text: string; number: number };

/** The beginning of an interface's source. */
const HEADER = /^(?:abstract\s+)?(interface|contract|library)\s+([\w$]+)/;
/** As many characters of an item as this can need, so that not the whole item is checked at each line break. */
const HEAD_LENGTH = 300;
/** The beginning of a line that continues the item above. */
const CONTINUATION =
  /(?:[({]|(?:external|public|internal|private|view|pure|payable|nonpayable|virtual|override|returns|anonymous)\b)/y;
/** Statements of a source file that are not items, and items that can neither be called nor watched. */
const LEFT_OUT = /^(?:pragma|import|using)\b|^(?:constructor|receive|fallback) ?\(/;

/** Items, and the names of the interfaces around them. */
export type Split = { items: Line[]; interfaces: string[] };

/**
 * Items end at a semicolon, a closing brace or a line break outside of brackets, unless the next line continues them. The
 * braces of an interface are not part of its items.
 *
 * @throws ArgumentError `ABI_INVALID` for the source of a contract, from which its ABI cannot be read.
 */
export function splitItems(source: string): Split {
  const text = `${source.replaceAll("\r\n", "\n")}\n`;
  const items: Line[] = [];
  const interfaces: Line[] = [];
  let open = 0;
  let item = "";
  let head = "";
  let isBlank = true;
  let depth = 0;
  let line = 1;
  let startedAt = 1;
  const end = () => {
    if (!isBlank) items.push({ text: item, number: startedAt });
    item = "";
    head = "";
    isBlank = true;
    depth = 0;
  };
  const take = (character: string) => {
    item += character;
    if (head.length < HEAD_LENGTH) head += character;
  };
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    if (depth <= 0 && character === "\n") {
      const next = isBlank ? at + 1 : startOfNext(text, at);
      if (isBlank || !continues(head, text, next)) end();
      else take(" ");
      for (; at < next; at++) if (text[at] === "\n") line++;
      at--;
      continue;
    }
    if (depth <= 0 && (character === ";" || (character === "}" && open > 0))) {
      if (character === "}") open--;
      end();
      continue;
    }
    const header = depth <= 0 && character === "{" ? HEADER.exec(head) : null;
    if (header !== null) {
      interfaces.push({ text: nameOf(header, startedAt), number: startedAt });
      open++;
      isBlank = true;
      end();
      continue;
    }
    if (character === "\n") line++;
    if (isBlank && character.trim() === "") continue;
    if (isBlank) startedAt = line;
    isBlank = false;
    take(character);
    if ("({".includes(character)) depth++;
    if (")}".includes(character)) depth--;
    if (character === "}" && depth <= 0 && !head.startsWith("import")) end();
  }
  // The rest has unclosed brackets.
  end();
  const [unclosed] = open > 0 ? interfaces.slice(-1) : [];
  if (unclosed === undefined) return { items, interfaces: interfaces.map(({ text }) => text) };
  throw invalid(
    "abi",
    `Line ${unclosed.number} of the ABI begins interface ${unclosed.text}, but its last brace is missing.`,
  );
}

function startOfNext(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at]?.trim() === "") at++;
  return at;
}

function continues(head: string, text: string, next: number): boolean {
  if (HEADER.test(head)) return true;
  CONTINUATION.lastIndex = next;
  return CONTINUATION.test(text);
}

/** The source of a contract alone does not show all its getters and base contracts. */
function nameOf([, kind, name = ""]: RegExpExecArray, line: number): string {
  if (kind === "interface") return name;
  throw invalid(
    "abi",
    `Line ${line} of the ABI begins the source of a ${kind}. Paste its ABI from a compiler or an explorer, or its interface.`,
  );
}

/**
 * Solidity items in the form of human-readable ABIs: without statements that no ABI has, and with enums, interfaces and
 * user-defined value types replaced by the types of their encoding.
 */
export function plainItems(lines: readonly Line[], interfaces: readonly string[]): Line[] {
  const encodedAs = new Map(interfaces.map((name) => [name, "address"]));
  const items = lines.filter(({ text }) => {
    const [, enumName] = /^enum ([\w$]+) ?\{/.exec(text) ?? [];
    const [, alias, type = ""] = /^type ([\w$]+) is (\w+)$/.exec(text) ?? [];
    const known = canonicalType(type);
    if (enumName !== undefined) encodedAs.set(enumName, "uint8");
    if (alias !== undefined && known !== undefined) encodedAs.set(alias, known);
    return enumName === undefined && (alias === undefined || known === undefined) && !LEFT_OUT.test(text);
  });
  const plain = (text: string) =>
    text
      .replace(/(?<![\w$])(?:[\w$]+\.)+(?=[A-Za-z_$])/g, "")
      .replace(/([(,{;] ?)([A-Za-z_$][\w$]*)/g, (all, before: string, word: string) => {
        const type = encodedAs.get(word);
        return type === undefined ? all : before + type;
      });
  return items.map(({ text, number }) => ({ text: plain(text), number }));
}
