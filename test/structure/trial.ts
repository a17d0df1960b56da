import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SourcesCopy } from "../launcher/sources-copy.ts";

export const LANGUAGES = ["en-US", "de", "ja", "zh-CN"] as const;

/** What a contributor writes for one purpose, in a copy of the sources, and into which files. */
export class Trial {
  readonly #sources: SourcesCopy;
  readonly #files = new Set<string>();

  constructor(sources: SourcesCopy) {
    this.#sources = sources;
  }

  /** Those that were written so far. */
  get files(): string[] {
    return [...this.#files];
  }

  /** Replaces a text, which has to be there. */
  async edit(file: string, text: string | RegExp, by: string): Promise<void> {
    const path = join(this.#sources.folder, file);
    const before = await readFile(path, "utf8");
    const after = before.replace(text, () => by);
    if (after === before)
      throw new Error(`${file} has no ${text}: give the trial the place that it is at now.`);
    await this.add(file, after);
  }

  async add(file: string, content: string): Promise<void> {
    await writeFile(join(this.#sources.folder, file), content);
    this.#files.add(file);
  }

  /** Adds texts to a catalog, by their keys. */
  async text(file: string, texts: Readonly<Record<string, string>>): Promise<void> {
    const catalog = JSON.parse(await readFile(join(this.#sources.folder, file), "utf8")) as Catalog;
    for (const [key, text] of Object.entries(texts)) {
      const names = key.split(".");
      const last = names.pop() as string;
      let place = catalog;
      for (const name of names) {
        place[name] ??= {};
        place = place[name] as Catalog;
      }
      place[last] = text;
    }
    await this.add(file, `${JSON.stringify(catalog, undefined, 2)}\n`);
  }
}

type Catalog = { [key: string]: string | Catalog };
