// The declarations of the library, as TypeScript writes them: one for each file of the sources.
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, posix } from "node:path";

const SPECIFIER = /((?:from |import\()"\.[^"]*)\.ts"/g;

/**
 * Removes the declarations that no entry leads to, a third of them: no program can name what is in there. In the others,
 * imports get the extension of built files.
 */
export async function keepReachable(folder: string, entries: readonly string[]): Promise<void> {
  const kept: Set<string> = new Set();
  const next = [...entries];
  for (let file = next.pop(); file !== undefined; file = next.pop()) {
    if (kept.has(file)) continue;
    kept.add(file);
    const text = await readFile(join(folder, file), "utf8");
    await writeFile(join(folder, file), text.replaceAll(SPECIFIER, '$1.js"'));
    for (const [, specifier = ""] of text.matchAll(SPECIFIER)) {
      const path = specifier.slice(specifier.indexOf('"') + 1);
      next.push(posix.join(posix.dirname(file), `${path}.d.ts`));
    }
  }
  for (const file of await readdir(folder, { recursive: true })) {
    if (/\.d\.ts$/.test(file) && !kept.has(file.replaceAll("\\", "/"))) await rm(join(folder, file));
  }
}
