import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";

/** A line of the library that makes up a fix, and what is there without the fix. */
export type Edit = { file: string; line: string; without: string };

const ROOT = join(import.meta.dirname, "../..");

/** The processes that tests start and kill: each is a file beside this one. */
export type Child = "chaos-child" | "crashing-child" | "kill-child";

/** Makes one file of such a process and the library in it, which starts sooner, where need be without a fix. */
export async function bundle(child: Child, folder: string, edits: readonly Edit[] = []): Promise<string> {
  const out = join(folder, `${child}.cjs`);
  const applied = new Set<Edit>();
  const withoutFixes: Plugin = {
    name: "without-fixes",
    setup: ({ onLoad }) => {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const here = edits.filter(({ file }) => join(ROOT, file) === path);
        if (here.length === 0) return undefined;
        let text = await readFile(path, "utf8");
        for (const edit of here) {
          text = withoutLine(text, edit);
          applied.add(edit);
        }
        return { contents: text, loader: "ts" };
      });
    },
  };
  await build({
    entryPoints: [join(import.meta.dirname, `${child}.ts`)],
    outfile: out,
    bundle: true,
    platform: "node",
    format: "cjs",
    logLevel: "silent",
    plugins: [withoutFixes],
  });
  if (applied.size < edits.length) throw new Error("A file that was to be edited is not part of it.");
  return out;
}

function withoutLine(text: string, { file, line, without }: Edit): string {
  const count = text.split(line).length - 1;
  if (count !== 1) throw new Error(`${file} has the line ${count} times: ${line}`);
  return text.replace(line, () => without);
}
