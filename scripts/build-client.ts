// Makes client/dist/: the library for programs, as ES modules, as CommonJS, and with declarations for both.
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { builtInsAtRunTime } from "./lib/built-ins.ts";
import { bundledFiles } from "./lib/bundled-files.ts";
import { keepReachable } from "./lib/declarations.ts";
import {
  inPackage,
  nodeOptions,
  partsSeparate,
  small,
  vendored,
  writeCommonJs,
  writeParts,
} from "./lib/library-bundle.ts";
import { licensesOf } from "./lib/licenses.ts";
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
    const { build: bundle } = await import("esbuild");
    const { name: installed } = await readJson(join(client, "package.json"));
    await mkdir(out, { recursive: true });
    const [modules, testing, commonJs] = await Promise.all([
      writeModules(out, { bundle, installed }),
      writeTestingAsCommonJs(out, { bundle, installed }),
      writeCommonJs(out, { bundle, installed, extension: ".cjs", options: small }),
      writeTypes(join(out, "types")),
    ]);
    const files = [testing, ...modules, ...commonJs].flatMap((metafile) => bundledFiles(metafile));
    await writeFile(join(out, "THIRD_PARTY_LICENSES"), await licensesOf(files));
  });
}

async function writeModules(
  folder: string,
  { bundle, installed }: { bundle: typeof import("esbuild").build; installed: string },
) {
  const options = { ...small, format: "esm" } as const;
  const [{ metafile }, ...parts] = await Promise.all([
    bundle({
      ...nodeOptions,
      ...options,
      splitting: true,
      entryPoints: Object.entries(MODULES).map(([name, source]) => ({ in: join(root, source), out: name })),
      outdir: folder,
      chunkNames: "shared-[hash]",
      metafile: true,
      define: inPackage(installed),
      plugins: [builtInsAtRunTime, ...vendored, partsSeparate(".js")],
    }),
    ...writeParts(folder, {
      bundle,
      extension: ".js",
      options: { ...options, plugins: [builtInsAtRunTime] },
    }),
  ]);
  return [metafile, ...parts];
}

/**
 * For a Node.js that cannot require the ES module. CommonJS has nothing in common with other files: of what is in both,
 * there are two.
 */
async function writeTestingAsCommonJs(
  folder: string,
  { bundle, installed }: { bundle: typeof import("esbuild").build; installed: string },
) {
  const { metafile } = await bundle({
    ...nodeOptions,
    ...small,
    entryPoints: [join(root, TESTING)],
    outfile: join(folder, "testing.cjs"),
    metafile: true,
    define: inPackage(installed),
    plugins: [...vendored],
  });
  return metafile;
}

async function writeTypes(folder: string) {
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  await promisify(execFile)(process.execPath, [tsc, "-p", "tsconfig.types.json", "--outDir", folder], {
    cwd: root,
  });
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  buildClient().catch((error) => {
    process.stderr.write(`The build of the client failed: ${error.message}\n${error.stdout ?? ""}`);
    process.exitCode = 1;
  });
}
