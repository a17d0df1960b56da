import { ABI_BOUNDS, invalid, tooLarge } from "./bounds.ts";
import { type RawAbi, readHumanReadable } from "./human-readable.ts";
import { Literals } from "./literal.ts";

type Fields = Record<string, unknown>;

/** `isAbi`: where an ABI is expected, so that another list is one with mistakes. */
type Place = { value: unknown; name: string; isAbi?: boolean };

/** What was seen on the way to a place. */
type Walk = { seen: Set<object>; depth: number };

/** Deeper than where tools put an ABI; text in text counts too. */
const MOST_DEPTH = 12;
const LONGEST_SAID = 80;
const KINDS: ReadonlySet<unknown> = new Set([
  ...["function", "event", "error", "constructor", "fallback", "receive"],
]);
const TEXT_OF_ITEMS = /^\s*(?:[[{]|(?:function|event|error|constructor|struct)\b)/;

/**
 * The ABIs in what a person pastes: JSON, an artifact, the answer of an explorer, JavaScript, or human-readable text.
 *
 * @throws ArgumentError `ABI_INVALID` where there is none.
 */
export function pastedAbis(input: unknown): RawAbi[] {
  const found = abisAt({ value: input, name: "", isAbi: true }, { seen: new Set(), depth: 0 });
  if (found.length > 0) return found;
  throw invalid("abi", "An ABI is a list of items; paste the list, or the artifact with the field `abi`.");
}

function abisAt(place: Place, { seen, depth }: Walk): RawAbi[] {
  const { value, name, isAbi = false } = place;
  const walk: Walk = { seen, depth: depth + 1 };
  if (depth > MOST_DEPTH) return [];
  if (typeof value === "string") return isAbi ? abisInText(value, name, walk) : [];
  if (typeof value !== "object" || value === null || seen.has(value)) return [];
  seen.add(value);
  if (!Array.isArray(value)) return abisInFields(value as Fields, place, walk);
  const isText = value.length > 0 && value.every((item) => typeof item === "string");
  if (isText && isAbi) return abisAt({ value: value.join("\n"), name, isAbi }, walk);
  if (isAbi ? !value.some(holdsAbi) : value.length > 0 && value.every(isItem))
    return [{ name, items: value, failures: [], missing: [] }];
  return value.flatMap((item: unknown, index) =>
    abisAt({ value: item, name: name || String(index + 1) }, walk),
  );
}

/** An artifact has its ABI as `abi`, an explorer's answer as `ABI`, or as `result`: a list or its text. */
function abisInFields(value: Fields, { name, isAbi = false }: Place, walk: Walk): RawAbi[] {
  const { status, result } = value;
  const abi = abiIn(value);
  if (abi !== undefined) {
    const names = [value.contractName, value.ContractName, value.name, name];
    const own = names.find((one) => typeof one === "string" && one !== "");
    return abisAt({ value: abi, name: String(own ?? ""), isAbi: true }, walk);
  }
  if (isAbi && isItem(value)) return [{ name, items: [value], failures: [], missing: [] }];
  if (status === "0") throw withoutAbi(typeof result === "string" ? result : "");
  return Object.entries(value).flatMap(([key, child]) =>
    abisAt({ value: child, name: key.replace(/^.*:/, ""), isAbi: isAbi && key === "result" }, walk),
  );
}

function abisInText(text: string, name: string, walk: Walk): RawAbi[] {
  const trimmed = text.trim();
  if (trimmed === "") throw invalid("abi", "The ABI is empty; paste it as JSON or as one item a line.");
  const { jsonLength } = ABI_BOUNDS;
  if (trimmed.length > jsonLength)
    throw tooLarge("abi", `The ABI has ${trimmed.length} characters; the limit is ${jsonLength}.`);
  const literals = new Literals(text);
  const first = literals.next();
  const declared = /[[{]/.test(first) ? [] : declaredIn(text, literals.at);
  if (declared.length > 0)
    return declared.flatMap((one) => abisAt({ ...one, isAbi: holdsItems(one.value) }, walk));
  if (/[[{"'`]/.test(first)) return abisAt({ value: literalIn(text, literals), name, isAbi: true }, walk);
  if (/^Contract source code not verified/i.test(trimmed)) throw withoutAbi(trimmed);
  return readHumanReadable(text).map((abi) => ({ ...abi, name: abi.name || name }));
}

/** Text of JSON in quotation marks may have lost them. */
function literalIn(text: string, literals: Literals): unknown {
  try {
    return JSON.parse(text);
  } catch {
    if (/^[[{\s]*\\"/.test(text)) return text.replaceAll('\\"', '"').replaceAll("\\\\", "\\");
    const values = literals.values();
    return values.length === 1 ? values[0] : values;
  }
}

function holdsItems(value: unknown): boolean {
  if (typeof value === "string") return TEXT_OF_ITEMS.test(value);
  return Array.isArray(value) ? value.some((one) => isItem(one) || TEXT_OF_ITEMS.test(one)) : isItem(value);
}

/** The item of a list that is no ABI itself. */
function holdsAbi(item: unknown): boolean {
  return Array.isArray(item) || (isFields(item) && !isItem(item) && abiIn(item) !== undefined);
}

function abiIn(value: Fields): unknown {
  return value.abi ?? value.ABI;
}

function withoutAbi(said: string): Error {
  const words = said === "" ? "" : `: "${said.slice(0, LONGEST_SAID)}"`;
  return invalid("abi", `The explorer answered without an ABI${words}. Try again, or paste the ABI itself.`);
}

/** The oldest compilers wrote functions without a type. */
function isItem(value: unknown): boolean {
  if (!isFields(value)) return false;
  return KINDS.has(value.type) || (typeof value.name === "string" && Array.isArray(value.inputs));
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

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
function declaredIn(text: string, start: number): Declared[] {
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
