import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Package } from "./packages.ts";

/** An item of a JSON ABI, as a compiler wrote it. */
export type JsonItem = { type?: string; name?: string };

/** A contract whose JSON ABI a package ships. */
export type Artifact = {
  of: Package;
  /** The file in the package, and its text. */
  file: string;
  text: string;
  contract: string;
  abi: JsonItem[];
};

type Fields = Record<string, unknown>;

/** All files of a package that hold an ABI: artifacts of Hardhat, Foundry and Truffle, and lists alone. */
export async function artifactsOf(of: Package): Promise<Artifact[]> {
  const found: Artifact[] = [];
  for (const file of of.files) {
    if (!file.endsWith(".json")) continue;
    const text = await readFile(join(of.folder, file), "utf8");
    const value = parsed(text);
    const abi = Array.isArray(value) ? value : isFields(value) ? value.abi : undefined;
    if (!Array.isArray(abi) || !abi.every(isItem)) continue;
    const own = isFields(value) ? value.contractName : undefined;
    const contract = typeof own === "string" ? own : basename(file).replace(/(?:\.abi)?\.json$/, "");
    found.push({ of, file, text, contract, abi });
  }
  return found;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isItem(value: unknown): value is JsonItem {
  return isFields(value) && typeof (value.type ?? value.name) === "string" && !("components" in value);
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
