// @ts-check
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { withReleaseTools } from "../../release/tools.mjs";
import { root } from "../paths.mjs";

/** The types of API Extractor are not installed here: this is what is used of it. */
/**
 * @typedef {{ prepare(options: object): object }} ExtractorConfig
 * @typedef {{ logLevel: string, text: string, handled: boolean }} Message
 * @typedef {{ invoke(config: object, options: object): { errorCount: number } }} Extractor
 */

/**
 * The report of the library's declarations, from `client/dist/types` as the build writes it.
 *
 * @returns {Promise<string>} Markdown
 */
export function libraryReport() {
  if (!existsSync(join(root, "client/dist/types/index.d.ts"))) {
    throw new Error('There are no declarations: run "npm run build:client" first.');
  }
  return withReleaseTools(async (load, folder) => {
    const out = await mkdtemp(join(folder, "report-"));
    await mkdir(join(out, "temp"));
    /** @type {{ Extractor: Extractor, ExtractorConfig: ExtractorConfig }} */
    const { Extractor, ExtractorConfig } = load("@microsoft/api-extractor");
    const config = ExtractorConfig.prepare({
      configObject: configIn(out),
      configObjectFullPath: join(root, "api-extractor.json"),
      packageJsonFullPath: join(root, "client/package.json"),
    });
    /** @type {string[]} */
    const problems = [];
    const { errorCount } = Extractor.invoke(config, {
      localBuild: true,
      messageCallback: (/** @type {Message} */ message) => {
        message.handled = true;
        if (message.logLevel === "error") problems.push(message.text);
      },
    });
    if (errorCount > 0)
      throw new Error(`API Extractor cannot read the declarations:\n${problems.join("\n")}`);
    const report = await readFile(join(out, REPORT_NAME), "utf8");
    await rm(out, { recursive: true, force: true });
    return report;
  });
}

const REPORT_NAME = "library.api.md";

/** @param {string} out */
function configIn(out) {
  const entry = join(root, "client/dist/types/index.d.ts");
  const off = { default: { logLevel: "none" } };
  return {
    projectFolder: root,
    mainEntryPointFilePath: entry,
    newlineKind: "lf",
    compiler: {
      overrideTsconfig: {
        compilerOptions: {
          ...{ target: "es2023", lib: ["es2024"], module: "nodenext", moduleResolution: "nodenext" },
          ...{ types: ["node"], typeRoots: [join(root, "node_modules/@types")] },
          ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: true },
        },
        files: [entry],
      },
    },
    apiReport: {
      enabled: true,
      reportFileName: REPORT_NAME,
      reportFolder: out,
      reportTempFolder: join(out, "temp"),
      // Types that are only reached through others are part of what a program relies on.
      includeForgottenExports: true,
    },
    docModel: { enabled: false },
    dtsRollup: { enabled: false },
    tsdocMetadata: { enabled: false },
    messages: {
      extractorMessageReporting: off,
      tsdocMessageReporting: off,
      compilerMessageReporting: { default: { logLevel: "error" } },
    },
  };
}
