import { canonicalType } from "./abi-type.ts";
import { invalid } from "./invalid.ts";

/** One item of human-readable ABI text, and the line it begins in. */
export type Line = { text: string; number: number };

/** How the source of an interface begins. */
const HEADER = /^(?:abstract\s+)?(interface|contract|library)\s+([\w$]+)/;
/** As much of an item as that may take. The rest is not looked at again at each line break. */
const HEAD_LENGTH = 300;
/** What goes on with an item that began in a line above. */
const GOES_ON =
  /(?:[({]|(?:external|public|internal|private|view|pure|payable|nonpayable|virtual|override|returns|anonymous)\b)/y;
/** What a file says around its items, and the items that can neither be called nor watched. */
const LEFT_OUT = /^(?:pragma|import|using)\b|^(?:constructor|receive|fallback) ?\(/;

/** Items, and the names of the interfaces around them. */
export type Split = { items: Line[]; interfaces: string[] };

/**
 * Items end at a semicolon, a closing brace or a line break that is not inside brackets, unless the next line goes
 * on with them. The braces of an interface are no part of its items.
 *
 * @throws ArgumentError `ABI_INVALID` for the source of a contract, which does not say what its ABI is.
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
      if (isBlank || !goesOn(head, text, next)) end();
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
  // What is left never closed its brackets.
  end();
  const [unclosed] = open > 0 ? interfaces.slice(-1) : [];
  if (unclosed === undefined) return { items, interfaces: interfaces.map(({ text }) => text) };
  throw invalid(
    "abi",
    `Line ${unclosed.number} of the ABI begins interface ${unclosed.text}, whose last brace is missing.`,
  );
}

function startOfNext(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at]?.trim() === "") at++;
  return at;
}

function goesOn(head: string, text: string, next: number): boolean {
  if (HEADER.test(head)) return true;
  GOES_ON.lastIndex = next;
  return GOES_ON.test(text);
}

/** Of a contract, nobody knows from its text alone which getters and bases it has. */
function nameOf([, kind, name = ""]: RegExpExecArray, line: number): string {
  if (kind === "interface") return name;
  throw invalid(
    "abi",
    `Line ${line} of the ABI begins the source of a ${kind}. Paste its ABI as its compiler or an explorer gives it, or its interface.`,
  );
}

/**
 * The items of Solidity as a reader of human-readable ABIs knows them: without what no ABI has; with enums,
 * interfaces and value types of their own as the types they are encoded as.
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
