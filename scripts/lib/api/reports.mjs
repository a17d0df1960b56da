// @ts-check
// The reports under release/api: what users of the package rely on, one line for each promise.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../paths.mjs";
import { differences, explained } from "./compare.mjs";
import { endpointsReport } from "./endpoints.mjs";
import { errorsReport } from "./error-codes.mjs";
import { messagesReport } from "./messages.mjs";
import { nodesReport } from "./nodes.mjs";
import { metricsReport, settingsReport, statusesReport } from "./operating.mjs";

/**
 * @typedef {object} Report
 * @property {string} file from the root
 * @property {() => Record<string, string> | Promise<Record<string, string>>} make
 * @property {RegExp} [harmless] keys whose change breaks nothing
 */

/** @type {readonly Report[]} */
export const REPORTS = [
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

/** @param {Record<string, string>} report */
export const textOf = (report) => `${JSON.stringify(report, null, 2)}\n`;

/**
 * How a kept report differs from the sources, for people.
 *
 * @param {Report} report
 * @returns {Promise<string>} empty if it does not
 */
export async function changesOf({ file, make, harmless }) {
  const kept = JSON.parse(await readFile(join(root, file), "utf8"));
  return explained(file, differences(kept, await make(), harmless));
}
