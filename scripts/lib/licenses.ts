// The licences of all code that the build includes in the library.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Metafile } from "esbuild";
import { root } from "./paths.mjs";

/**
 * Code that is compiled into a bundled file, and of which the file's package has no notice. The notices
 * are in `scripts/notices`, word for word as their projects publish them.
 */
const COMPILED: ReadonlyArray<{ file: RegExp; holds: string | undefined; notice?: string }> = [
  {
    file: /\/ox\/.*\/secp256k1\.wasm\.js$/,
    holds: "libsecp256k1 (MIT), compiled to WebAssembly inside ox",
    notice: "libsecp256k1.txt",
  },
  {
    file: /\/undici\/lib\/llhttp\/llhttp(?:_simd)?-wasm\.js$/,
    holds: "llhttp (MIT), compiled to WebAssembly inside undici",
    notice: "llhttp.txt",
  },
  // Of ox's own sources alone.
  { file: /\/ox\/.*\/hashes\.wasm\.js$/, holds: undefined },
];
const WEB_ASSEMBLY = /[-.]wasm\.js$/;

/** The files whose code is in bundles: esbuild reads more of a package than it keeps. */
export function bundledIn(metafiles: readonly Metafile[]): string[] {
  const outputs = metafiles.flatMap((metafile) => Object.values(metafile.outputs));
  return outputs.flatMap(({ inputs }) =>
    Object.keys(inputs).filter((path) => (inputs[path]?.bytesInOutput ?? 0) > 0),
  );
}

/**
 * @param inputs the bundled files, from the root
 * @returns the licences of their packages, each text once, then those of what is compiled inside some of them
 * @throws {Error} for WebAssembly of which it is not known what lies inside
 */
export async function licensesOf(inputs: string[]): Promise<string> {
  const sections = [...(await ofPackages(inputs)), ...(await ofCompiled(inputs))];
  return sections.join(`\n${"-".repeat(80)}\n\n`);
}

async function ofPackages(inputs: string[]) {
  const packages = new Set<string>();
  for (const input of inputs) {
    const name = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(input);
    if (name) packages.add(input.slice(0, name.index + name[0].length - 1));
  }
  const titles: Map<string, string[]> = new Map();
  for (const folder of [...packages].sort()) {
    const path = join(root, folder);
    const { name, version, license } = JSON.parse(await readFile(join(path, "package.json"), "utf8"));
    const text = await textOf(path, license);
    titles.set(text, [...(titles.get(text) ?? []), `${name} ${version} (${license})`]);
  }
  return [...titles].map(([text, same]) => `${same.join("\n")}\n\n${text}\n`);
}

/** @param path of a package. @param license its name */
async function textOf(path: string, license: string) {
  const file = (await readdir(path)).find((entry) => /^licen[sc]e/i.test(entry));
  if (file) return (await readFile(join(path, file), "utf8")).trim();
  // Some packages name it only. It is the licence of this project, too.
  if (license === "Apache-2.0") return (await readFile(join(root, "LICENSE"), "utf8")).trim();
  return `Licence: ${license}`;
}

async function ofCompiled(inputs: string[]) {
  const found = new Map<string, string>();
  for (const input of inputs.filter((path) => WEB_ASSEMBLY.test(path))) {
    const known = COMPILED.find(({ file }) => file.test(input));
    if (!known)
      throw new Error(
        `${input} is WebAssembly, and nothing says what is compiled inside. Add it to scripts/lib/licenses.ts, with its notice in scripts/notices.`,
      );
    if (known.holds !== undefined)
      found.set(known.holds, await readFile(join(root, "scripts/notices", known.notice ?? ""), "utf8"));
  }
  return [...found].sort().map(([holds, notice]) => `${holds}\n\n${notice.trim()}\n`);
}
