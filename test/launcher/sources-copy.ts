import { cp, mkdtemp, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

const NEEDED = [
  "LICENSE",
  "docs/glossary.md",
  "examples",
  "icons",
  "nodes",
  "package.json",
  "plugins",
  "rehearsal",
  "release/owner.json",
  "scripts",
  "service",
  "src",
];

/** A copy of the package's sources in a temporary folder, where a test may change and build them. */
export class SourcesCopy {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** `more` are files and folders that a test needs beside those that are built or run. */
  static async make(more: readonly string[] = []): Promise<SourcesCopy> {
    // Names of folders may have a space.
    const folder = await mkdtemp(join(tmpdir(), "crec sources "));
    for (const name of [...NEEDED, ...more])
      await cp(join(root, name), join(folder, name), { recursive: true });
    await symlink(join(root, "node_modules"), join(folder, "node_modules"));
    return new SourcesCopy(folder);
  }

  /**
   * Replaces a text in a file. It saves as an editor does: to a new file, which it renames.
   *
   * @returns the number of the line that had the text
   */
  async replace(file: string, text: RegExp, by: string): Promise<number> {
    const before = await readFile(join(this.folder, file), "utf8");
    const after = before.replace(text, by);
    if (after === before) throw new Error(`${file} has no ${text} to replace`);
    await writeFile(join(this.folder, `${file}~`), after);
    await rename(join(this.folder, `${file}~`), join(this.folder, file));
    return before.slice(0, before.search(text)).split("\n").length;
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }
}
