import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { withReleaseTools } from "../installs.ts";
import { root } from "../paths.mjs";
import { LIBRARY_REPORTS } from "./reports.ts";

/** The types of API Extractor are not installed here: this is what is used of it. */
type Message = { logLevel: string; text: string; handled: boolean };
type Tools = {
  Extractor: { invoke(config: object, options: object): { errorCount: number } };
  ExtractorConfig: { prepare(options: object): object };
};

const REPORT_NAME = "report.api.md";

/**
 * The reports of the library's declarations, from `client/dist/types` as the build writes it.
 *
 * @returns the Markdown of each, by its file from the root
 */
export function libraryReports(): Promise<Map<string, string>> {
  if (!existsSync(join(root, "client/dist/types/index.d.ts")))
    throw new Error('There are no declarations: run "npm run build:client" first.');
  return withReleaseTools(async (load, folder) => {
    const tools = load("@microsoft/api-extractor") as Tools;
    const reports = Object.entries(LIBRARY_REPORTS).map(async ([file, { types }]) => {
      const out = await mkdtemp(join(folder, "report-"));
      return [file, await reportOf(tools, join(root, "client/dist/types", types), out)] as const;
    });
    return new Map(await Promise.all(reports));
  });
}

/** @param entry the declarations. @param out a folder */
async function reportOf({ Extractor, ExtractorConfig }: Tools, entry: string, out: string) {
  await mkdir(join(out, "temp"));
  const off = { enabled: false };
  const silent = { default: { logLevel: "none" } };
  const config = ExtractorConfig.prepare({
    configObject: {
      ...{ projectFolder: root, mainEntryPointFilePath: entry, newlineKind: "lf" },
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
        ...{
          enabled: true,
          reportFileName: REPORT_NAME,
          reportFolder: out,
          reportTempFolder: join(out, "temp"),
        },
        // Types that are only reached through others are part of what a program relies on.
        includeForgottenExports: true,
      },
      ...{ docModel: off, dtsRollup: off, tsdocMetadata: off },
      messages: {
        ...{ extractorMessageReporting: silent, tsdocMessageReporting: silent },
        compilerMessageReporting: { default: { logLevel: "error" } },
      },
    },
    configObjectFullPath: join(root, "api-extractor.json"),
    packageJsonFullPath: join(root, "client/package.json"),
  });
  const problems: string[] = [];
  const { errorCount } = Extractor.invoke(config, {
    localBuild: true,
    messageCallback: (message: Message) => {
      message.handled = true;
      if (message.logLevel === "error") problems.push(message.text);
    },
  });
  if (errorCount > 0) throw new Error(`API Extractor cannot read the declarations:\n${problems.join("\n")}`);
  return readFile(join(out, REPORT_NAME), "utf8");
}
