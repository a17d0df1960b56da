import { readFile } from "node:fs/promises";
import { join, posix } from "node:path";
import type { Artifact } from "./artifacts.ts";
import type { Package } from "./packages.ts";

const IMPORT = /^[ \t]*import\s+(?:[^"';]*?\sfrom\s*|\{[^}]*\}\s*from\s*)?["']([^"']+)["']/gm;
const COMMENT = /\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;
const DECLARED = /^[ \t]*(?:abstract\s+)?(?:contract|interface|library)\s+([A-Za-z_$][\w$]*)/gm;

/** The source of a contract. */
export type Source = {
  file: string;
  /** `abstract contract`, say. */
  kind: string;
  /** Its file. */
  alone: string;
  /** Its file after all files that it imports, as far as the packages have them. */
  whole: string;
  /** Whether another contract inherits from it. */
  isInherited: { alone: boolean; whole: boolean };
};

/** The Solidity sources of packages. */
export class Sources {
  readonly #packages: readonly Package[];
  readonly #texts = new Map<string, Promise<string>>();
  readonly #declaring = new Map<Package, Promise<Map<string, string[]>>>();

  constructor(packages: readonly Package[]) {
    this.#packages = packages;
  }

  /** The source of a contract; undefined where its package has none, or several and nothing says which. */
  async of({ of, contract, text }: Artifact): Promise<Source | undefined> {
    let declaring = this.#declaring.get(of);
    if (!declaring) {
      declaring = this.#declaringIn(of);
      this.#declaring.set(of, declaring);
    }
    const files = (await declaring).get(contract) ?? [];
    const { sourceName, sourcePath, ast } = JSON.parse(text);
    const path = String(sourceName ?? sourcePath ?? ast?.absolutePath ?? "");
    const [file, ...others] = files.filter(
      (one) => path === "" || `/${path}`.endsWith(`/${one.replace(/^(?:contracts|src)\//, "")}`),
    );
    if (file === undefined || others.length > 0) return undefined;
    const texts = new Map<string, string>();
    await this.#gather(of, file, texts);
    const alone = await this.#text(of, file);
    const whole = [...texts.values()].join("\n");
    const kind = new RegExp(
      `^[ \\t]*(abstract\\s+contract|contract|interface|library)\\s+${contract}\\b`,
      "m",
    );
    const heir = new RegExp(`\\bis\\b[^{;]*\\b${contract}\\b[^{;]*\\{`);
    const isInherited = { alone: heir.test(alone), whole: heir.test(whole) };
    return { file, kind: kind.exec(alone)?.[1] ?? "", alone, whole, isInherited };
  }

  async #declaringIn(of: Package): Promise<Map<string, string[]>> {
    const found = new Map<string, string[]>();
    for (const file of of.files) {
      if (!file.endsWith(".sol")) continue;
      const text = (await this.#text(of, file)).replace(COMMENT, "");
      for (const [, name = ""] of text.matchAll(DECLARED))
        found.set(name, [...(found.get(name) ?? []), file]);
    }
    return found;
  }

  /** What a file imports comes before it, each once. */
  async #gather(of: Package, file: string, texts: Map<string, string>): Promise<void> {
    const key = join(of.folder, file);
    if (texts.has(key)) return;
    texts.set(key, "");
    const text = await this.#text(of, file);
    for (const [, path = ""] of text.replace(COMMENT, "").matchAll(IMPORT)) {
      const found = this.#find(of, file, path);
      if (found) await this.#gather(found.of, found.file, texts);
    }
    texts.delete(key);
    texts.set(key, text);
  }

  #find(of: Package, file: string, path: string): { of: Package; file: string } | undefined {
    if (path.startsWith(".")) {
      const its = posix.join(posix.dirname(file), path);
      return of.files.includes(its) ? { of, file: its } : undefined;
    }
    const its = path.replace(/(?<=\/[\w-]+)@[\d.]+(?=\/)/, "");
    const [, written] = /\/[\w-]+@([\d.]+)\//.exec(path) ?? [];
    for (const one of [of, ...this.#packages]) {
      if (!its.startsWith(`${one.name}/`)) continue;
      const inner = its.slice(one.name.length + 1);
      const range = written ?? of.needs[one.name];
      const isIts = one === of || (range !== undefined && takes(range, one.version));
      if (isIts && one.files.includes(inner)) return { of: one, file: inner };
    }
    return undefined;
  }

  #text(of: Package, file: string): Promise<string> {
    const path = join(of.folder, file);
    let text = this.#texts.get(path);
    if (!text) {
      text = readFile(path, "utf8");
      this.#texts.set(path, text);
    }
    return text;
  }
}

/** Of the same major version where the range has a caret. */
function takes(range: string, version: string): boolean {
  return (
    range === version || (range.startsWith("^") && range.slice(1).split(".")[0] === version.split(".")[0])
  );
}
