// npm run build:client: makes client/dist/: the library for programs, as ES modules, as CommonJS, and with declarations for
// both. esbuild and the compiler do; no tool puts them together.
import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { builtInsAtRunTime } from "./lib/built-ins.ts";
import {
  inPackage,
  metafileOf,
  partsSeparate,
  small,
  vendored,
  writeCommonJs,
  writeParts,
} from "./lib/library-bundle.ts";
import { bundledIn, licensesOf } from "./lib/licenses.ts";
import { root } from "./lib/paths.mjs";
import { readJson } from "./lib/read-json.mjs";
import { makeWhole } from "./lib/whole-folder.ts";

const client = join(root, "client");

/** The entry for tests of programs. */
const TESTING = "src/testing/index.ts";

/**
 * The ES modules: a program's bundler leaves out those that it does not use. What they share is in further files, so two
 * with the same source make `index` a list of names without code. The others are what programs use alone: areas, constants,
 * and undici, which runs code when it is loaded. Each file takes time to import: there is not one for each source.
 */
const MODULES = {
  index: "src/index.ts",
  library: "src/index.ts",
  testing: TESTING,
  abi: "src/abi/index.ts",
  dispatcher: "src/http/dispatcher.ts",
  errors: "src/http/errors.ts",
  expectations: "src/proofs/expectations.ts",
  proofs: "src/proofs/index.ts",
  protocol: "src/protocol/index.ts",
  reasons: "src/proofs/reasons.ts",
  "shared-record": "src/ownership/shared-state.ts",
  "signed-text": "src/proofs/signed-text.ts",
  version: "src/http/version.ts",
};

/** @param dist the folder that is made */
export async function buildClient(dist: string = join(client, "dist")): Promise<void> {
  await makeWhole(dist, async (out) => {
    const { name } = await readJson(join(client, "package.json"));
    const define = inPackage(name);
    const modules = { ...small, format: "esm" } as const;
    await mkdir(out, { recursive: true });
    const bundled = await Promise.all([
      // For a Node.js that cannot require the ES module. CommonJS has nothing in common with other files: of what is in
      // both, there are two.
      metafileOf({
        ...{ ...small, define, plugins: vendored },
        entryPoints: [join(root, TESTING)],
        outfile: join(out, "testing.cjs"),
      }),
      metafileOf({
        ...{ ...modules, define, splitting: true, outdir: out, chunkNames: "shared-[hash]" },
        entryPoints: Object.entries(MODULES).map(([name, source]) => ({ in: join(root, source), out: name })),
        plugins: [builtInsAtRunTime, ...vendored, partsSeparate(".js")],
      }),
      ...writeParts(out, ".js", { ...modules, plugins: [builtInsAtRunTime] }),
    ]);
    const commonJs = await writeCommonJs(out, name, ".cjs", small);
    await writeTypes(join(out, "types"));
    await writeFile(
      join(out, "THIRD_PARTY_LICENSES"),
      await licensesOf(bundledIn([...bundled, ...commonJs])),
    );
  });
}

async function writeTypes(folder: string) {
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const args = [tsc, "-p", "tsconfig.types.json", "--outDir", folder];
  await promisify(execFile)(process.execPath, args, { cwd: root });
  await keepReachable(folder, ["index.d.ts", "testing/index.d.ts"]);
  await writeFile(join(folder, "package.json"), '{ "type": "commonjs" }\n');
  // A default import of CommonJS is undefined: with this name, compilers refuse it.
  const noDefault = "export declare const __esModule: true;\n";
  for (const place of ["", "testing/"]) {
    await writeFile(join(folder, `${place}required.d.ts`), `export * from "./index.js";\n${noDefault}`);
    // The extension says that this one describes an ES module.
    await writeFile(join(folder, `${place}imported.d.mts`), 'export * from "./index.js";\n');
  }
}

const SPECIFIER = /((?:from |import\()"\.[^"]*)\.ts"/g;

/**
 * Removes the declarations that no entry leads to, a third of them: no program can name what is in there. In the others,
 * imports get the extension of built files.
 */
async function keepReachable(folder: string, entries: readonly string[]): Promise<void> {
  const kept = new Set(entries);
  for (const file of kept) {
    const text = await readFile(join(folder, file), "utf8");
    await writeFile(join(folder, file), text.replaceAll(SPECIFIER, '$1.js"'));
    for (const [, specifier = ""] of text.matchAll(SPECIFIER)) {
      const path = specifier.slice(specifier.indexOf('"') + 1);
      kept.add(posix.join(posix.dirname(file), `${path}.d.ts`));
    }
  }
  for (const file of await readdir(folder, { recursive: true })) {
    if (/\.d\.ts$/.test(file) && !kept.has(file.replaceAll("\\", "/"))) await rm(join(folder, file));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  buildClient().catch((error) => {
    process.stderr.write(`The build of the client failed: ${error.message}\n${error.stdout ?? ""}`);
    process.exitCode = 1;
  });
}
