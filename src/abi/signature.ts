import { arrayOf, canonicalType } from "./abi-type.ts";
import { ABI_BOUNDS } from "./bounds.ts";
import { type Definitions, pathAt, type RawParameter } from "./definitions.ts";
import type { Scope } from "./solidity.ts";
import { type Cursor, shorten } from "./solidity.ts";

/** Reads types and parameters where these are known. */
export type Known = { definitions: Definitions; scope: Scope | undefined };

/** An item as a JSON ABI has it, before it is checked. */
export type RawItem = {
  type: "function" | "event" | "error";
  name: string;
  inputs: RawParameter[];
  outputs?: RawParameter[];
  stateMutability?: string;
  anonymous?: boolean;
};

type RawType = Pick<RawParameter, "type" | "components"> & {
  mapping?: { key: RawParameter; value: RawType & { name: string } };
};

const TYPE_WORD = /^(?:address|bool|string|bytes\d*|u?int\d*|u?fixed|tuple|mapping|indexed)$/;
const LOCATION = /^(?:calldata|memory)$/;
const OF_VARIABLE = /^(?:public|constant|immutable|transient|override)$/;

/** `function f(uint256 a) external view returns (bool)`; undefined for a fallback. */
export function itemAt(cursor: Cursor, known: Known): RawItem | undefined {
  const type = cursor.take();
  switch (type) {
    case "function":
      // The fallback of old contracts.
      if (cursor.peek === "(") return undefined;
      return functionAt(cursor, known);
    case "event": {
      const [name, inputs] = [cursor.name(), parametersAt(cursor, known, true)];
      const anonymous = cursor.takeIf("anonymous");
      return atEnd(cursor, { type, name, anonymous, inputs });
    }
    case "error":
      return atEnd(cursor, { type, name: cursor.name(), inputs: parametersAt(cursor, known) });
    default:
      return cursor.fail(
        "An item begins with function, event or error; a whole interface begins with interface.",
        1,
      );
  }
}

function atEnd(cursor: Cursor, item: RawItem): RawItem {
  return cursor.peek === "" ? item : cursor.fail();
}

/**
 * Modifiers change nothing that an ABI has. Without a visibility they are likely misspelt words. `@648` is what other
 * tools write for gas.
 */
function functionAt(cursor: Cursor, known: Known): RawItem {
  const [name, inputs] = [cursor.name(), parametersAt(cursor, known)];
  let outputs: RawParameter[] = [];
  let stateMutability = "nonpayable";
  let isSource = known.scope !== undefined;
  let unknown: string | undefined;
  while (cursor.peek !== "" && cursor.peek !== "{") {
    if (cursor.takeIf("@")) {
      cursor.take();
      continue;
    }
    const [word] = pathAt(cursor);
    if (word === "returns") outputs = parametersAt(cursor, known);
    else if (cursor.peek === "(") cursor.skipBracket();
    else if (word === "constant") stateMutability = "view";
    else if (word === "view" || word === "pure" || word === "payable") stateMutability = word;
    else if (word === "external" || word === "public") isSource = true;
    else if (!/^(?:nonpayable|virtual|override)$/.test(word ?? "")) unknown = word;
  }
  if (unknown !== undefined && !isSource) cursor.fail(`"${shorten(unknown)}" is not expected there.`);
  return { type: "function", name, inputs, outputs, stateMutability };
}

/** `(address indexed from, (uint256 x, bool y)[] points)` */
function parametersAt(cursor: Cursor, known: Known, ofEvent = false, depth = 0): RawParameter[] {
  if (depth > ABI_BOUNDS.depth) cursor.fail("It is nested too deeply.");
  const parameters: RawParameter[] = [];
  cursor.expect("(");
  if (cursor.takeIf(")")) return parameters;
  do {
    const { mapping, ...type } = typeAt(cursor, known, depth);
    if (mapping) cursor.fail('"mapping" is not an ABI type.');
    let indexed = false;
    while (LOCATION.test(cursor.peek) || (ofEvent && cursor.peek === "indexed"))
      indexed = cursor.take() === "indexed" || indexed;
    parameters.push({ name: nameAt(cursor), ...type, ...(ofEvent ? { indexed } : {}) });
  } while (cursor.takeIf(","));
  cursor.expect(")");
  return parameters;
}

function nameAt(cursor: Cursor): string {
  const { peek } = cursor;
  if (TYPE_WORD.test(peek))
    cursor.fail(
      `"${peek}" is a reserved word, which cannot be a name: write another name, or the missing comma.`,
    );
  return cursor.isName ? cursor.take() : "";
}

function typeAt(cursor: Cursor, known: Known, depth: number): RawType {
  if (cursor.takeIf("mapping")) return mappingAt(cursor, known, depth);
  const isTuple = cursor.takeIf("tuple") || cursor.peek === "(";
  const type = isTuple
    ? { type: "tuple", components: parametersAt(cursor, known, false, depth + 1) }
    : namedTypeAt(cursor, known);
  let { type: whole } = type;
  for (let dimensions = 0; cursor.takeIf("["); dimensions++) {
    if (dimensions === ABI_BOUNDS.dimensions)
      cursor.fail(`It has an array with more than ${dimensions} dimensions.`, 1);
    const { peek } = cursor;
    const length = cursor.isName ? known.definitions.digitsOf(cursor.take(), known.scope) : undefined;
    if (length === undefined && /^[A-Za-z_$]/.test(peek))
      cursor.fail(`The constant "${peek}" is not in the text.`, 1);
    whole += `[${length ?? (/^\d+$/.test(peek) ? cursor.take() : "")}]`;
    cursor.expect("]");
  }
  return { ...type, type: whole };
}

function namedTypeAt(cursor: Cursor, { definitions, scope }: Known): RawType {
  const path = pathAt(cursor);
  const name = path.join(".");
  const type = path.length === 1 ? canonicalType(name) : undefined;
  if (type === "function") skipFunctionType(cursor);
  if (type === "address") cursor.takeIf("payable");
  if (type !== undefined) return { type };
  return (
    definitions.typeOf(path, scope) ??
    cursor.fail(
      /^(?:u?int|bytes|u?fixed)\d/.test(name)
        ? `Type "${name}" is not a valid ABI type.`
        : `Type "${name}" is not in the text, or not clear: paste what defines it too, or the ABI as JSON.`,
      1,
    )
  );
}

/** What a value of the type can call, as in `function(uint256) external returns (bool) callback`. */
function skipFunctionType(cursor: Cursor): void {
  if (cursor.peek === "(") cursor.skipBracket();
  while (/^(?:external|view|pure|payable)$/.test(cursor.peek)) cursor.take();
  if (cursor.takeIf("returns")) cursor.skipBracket();
}

function mappingAt(cursor: Cursor, known: Known, depth: number): RawType {
  if (depth > ABI_BOUNDS.depth) cursor.fail("It is nested too deeply.");
  cursor.expect("(");
  const key = { ...typeAt(cursor, known, depth + 1), name: nameAt(cursor) };
  cursor.expect("=");
  cursor.expect(">");
  const value = { ...typeAt(cursor, known, depth + 1), name: nameAt(cursor) };
  cursor.expect(")");
  return { type: "mapping", mapping: { key, value } };
}

/** The fields of a struct. A mapping among them is no ABI type: only a getter leaves it out. */
export function fieldsAt(cursor: Cursor, known: Known): RawParameter[] {
  const fields: RawParameter[] = [];
  while (cursor.peek !== "") {
    const { mapping, ...type } = typeAt(cursor, known, 0);
    fields.push({ name: nameAt(cursor), ...type });
    if (cursor.peek !== "") cursor.expect(";");
  }
  return fields;
}

/** The getter of `mapping(address => uint256) public balanceOf`. Of a struct it returns what is no list and no mapping. */
export function getterAt(cursor: Cursor, known: Known): RawItem {
  let type: RawType & { name?: string } = typeAt(cursor, known, 0);
  while (OF_VARIABLE.test(cursor.peek)) {
    cursor.take();
    if (cursor.peek === "(") cursor.skipBracket();
  }
  const name = cursor.name();
  const inputs: RawParameter[] = [];
  for (;;) {
    const array = arrayOf(type);
    if (type.mapping) {
      inputs.push(type.mapping.key);
      type = type.mapping.value;
    } else if (array !== undefined) {
      inputs.push({ name: "", type: "uint256" });
      type = array.item;
    } else break;
  }
  const isLeftOut = (field: RawParameter) => field.type === "mapping" || field.type.endsWith("]");
  const outputs =
    type.type === "tuple"
      ? (type.components ?? []).filter((field) => !isLeftOut(field))
      : [{ name: type.name ?? "", type: type.type }];
  return { type: "function", name, inputs, outputs, stateMutability: "view" };
}
