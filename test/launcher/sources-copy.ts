import { cp, mkdtemp, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

const NEEDED = ["examples", "icons", "nodes", "package.json", "scripts", "service", "src"];

/** The sources of the package in a folder of their own, where a test may change them and build. */
export class SourcesCopy {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async make(): Promise<SourcesCopy> {
    // With a space: the folders of people have such names.
    const folder = await mkdtemp(join(tmpdir(), "crec sources "));
    for (const name of NEEDED) await cp(join(root, name), join(folder, name), { recursive: true });
    await symlink(join(root, "node_modules"), join(folder, "node_modules"));
    return new SourcesCopy(folder);
  }

  /**
   * Saves a file with another text in place of one, as an editor does: a new file, renamed to its name.
   *
   * @returns the number of the line in which the text stood
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
