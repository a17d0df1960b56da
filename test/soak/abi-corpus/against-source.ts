import {
  type Abi,
  type AbiItem,
  listAbis,
  type NamedAbi,
  type UnusableItem,
} from "../../../src/abi/index.ts";
import { keyOf, textOf } from "./against-viem.ts";

/** What came of reading a source. */
export type Compared = {
  /** Items as the compiler wrote them. */
  same: number;
  /** Items that are left out, each with a sentence. */
  refused: number;
  /** Events and errors in the source that the compiler does not list: none of the contract's code leads to them. */
  unused: number;
  /** Whether the source lists other contracts, by their names, and not this one. */
  isOther: boolean;
  /** Items that are silently missing, or others. */
  wrong: string[];
};

const NOTHING: Compared = { same: 0, refused: 0, unused: 0, isOther: false, wrong: [] };
const SENTENCE = /^Line \d+ of the ABI\b.*\.$/s;

/** Compares what is read from the source of a contract with the JSON ABI that the compiler wrote. */
export function compareSource(source: string, contract: string, json: Abi): Compared {
  let all: NamedAbi[];
  try {
    all = listAbis(source);
  } catch (error) {
    return {
      ...NOTHING,
      refused: json.length,
      wrong: unclear([{ name: "", message: String(messageOf(error)) }]),
    };
  }
  if (json.length === 0) return { ...NOTHING, wrong: [] };
  // Interfaces are one ABI together, without a name. Of contracts that have the same items, one is listed.
  const read =
    all.find(({ name }) => name === contract || name === "") ??
    all.find(({ abi }) => written(abi) === written(json));
  if (read === undefined) return { ...NOTHING, isOther: true };
  const found: Compared = { ...NOTHING, wrong: unclear(read.unusable) };
  const ours = grouped(read.abi);
  const theirs = grouped(json);
  for (const [key, [item]] of theirs) {
    const its = ours.get(key) ?? [];
    if (item === undefined) continue;
    if (its.some((one) => textOf(one) === textOf(item))) found.same += 1;
    else if (its.length > 0) found.wrong.push(`${textOf(item)} is read as ${its.map(textOf).join(" and ")}`);
    else if (isTold(item, read.unusable) || isOfImport(item, source)) found.refused += 1;
    else found.wrong.push(`${key} is missing`);
  }
  for (const key of ours.keys()) {
    if (theirs.has(key) || read.name === "") continue;
    if (key.startsWith("function ")) found.wrong.push(`${key} is not one of the contract`);
    else found.unused += 1;
  }
  return found;
}

function written(abi: Abi): string {
  return abi.map(textOf).sort().join("\n");
}

/** A sentence names the item, or what it comes from. */
function isTold({ name }: AbiItem, unusable: readonly UnusableItem[]): boolean {
  return unusable.some((one) => one.name === name || one.message.includes("inherits from"));
}

/** What only an import has, which is not in the text: its library has the event or error. */
function isOfImport({ type, name }: AbiItem, source: string): boolean {
  return (
    type !== "function" &&
    /^\s*import\b/m.test(source) &&
    !new RegExp(`\\b${type}\\s+${name}\\b`).test(source)
  );
}

function unclear(unusable: readonly UnusableItem[]): string[] {
  return unusable.filter(({ message }) => !SENTENCE.test(message)).map(({ message }) => message);
}

function messageOf(error: unknown): unknown {
  return (error as { message?: unknown }).message;
}

function grouped(abi: Abi): Map<string, AbiItem[]> {
  const found = new Map<string, AbiItem[]>();
  for (const item of abi) found.set(keyOf(item), [...(found.get(keyOf(item)) ?? []), item]);
  return found;
}
