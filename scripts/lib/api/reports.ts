// The reports under release/api: what users of the package rely on, one line for each promise.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../paths.mjs";
import { differences, explained } from "./compare.ts";
import { endpointsReport } from "./endpoints.ts";
import { errorsReport } from "./error-codes.ts";
import { messagesReport } from "./messages.ts";
import { nodesReport } from "./nodes.ts";
import { metricsReport, settingsReport, statusesReport } from "./operating.ts";

type Report = {
  /** from the root */
  file: string;
  make: () => Record<string, string> | Promise<Record<string, string>>;
  /** keys whose change breaks nothing */
  harmless?: RegExp;
};

export const REPORTS: readonly Report[] = [
  // A higher version has a migration: a test asks for it.
  { file: "release/api/nodes.json", make: nodesReport, harmless: / label$| settings version$/ },
  { file: "release/api/messages.json", make: messagesReport },
  // The section of the page in which a code is explained.
  { file: "release/api/errors.json", make: errorsReport, harmless: /^/ },
  { file: "release/api/statuses.json", make: statusesReport },
  { file: "release/api/endpoints.json", make: endpointsReport },
  { file: "release/api/metrics.json", make: metricsReport },
  { file: "release/api/settings.json", make: settingsReport },
];

/** The library's report. It is made by API Extractor, which is fetched from the registry: see `library.mjs`. */
export const LIBRARY_REPORTS = {
  "release/api/library.api.md": { source: "src/index.ts", types: "index.d.ts" },
  "release/api/testing.api.md": { source: "src/testing/index.ts", types: "testing/index.d.ts" },
};

export const textOf = (report: Record<string, string>) => `${JSON.stringify(report, null, 2)}\n`;

/** How a kept report differs from the sources, for people. @returns empty if it does not */
export async function changesOf({ file, make, harmless }: Report): Promise<string> {
  const kept = JSON.parse(await readFile(join(root, file), "utf8"));
  return explained(file, differences(kept, await make(), harmless));
}
