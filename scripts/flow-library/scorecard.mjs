// @ts-check
// Runs the flow library's tool, node-red-dev, and reads its scorecard.
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { compileFunction } from "node:vm";
import { npm } from "../lib/npm.mjs";
import { startAnswers } from "./answers.mjs";

const TOOL = "node-red-dev";
const VERSION = "0.1.6";
/** Those that the tool has. It leaves out P02. */
const CHECKS = ["P01", "P03", "P04", "P05", "P06", "P07", "P08", "N01", "N02", "D01", "D02", "D03"];

/** @typedef {{ category?: string, color?: string, defaults?: object }} SeenType */
/** @typedef {{ folder: string, typesIn: (file: string) => Record<string, SeenType> }} Tool */

/**
 * Installs the tool, with more than 400 packages and without their scripts.
 *
 * @param {string} folder a new one
 * @returns {Promise<Tool>}
 */
export async function installTool(folder) {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), '{ "private": true }\n');
  await npm(["install", `${TOOL}@${VERSION}`, "--save-exact"], { cwd: folder });
  const installed = join(folder, "node_modules", TOOL);
  return { folder: installed, typesIn: await parserOf(join(installed, "src/libs/checknodes.js")) };
}

/**
 * @param {Tool} tool
 * @param {string} folder of the files as they are packed
 * @param {Record<string, unknown>} answers of the web, by address
 * @returns {Promise<{ problems: Map<string, string>, printed: string }>} the problems by check, or by another name
 */
export async function scorecardOf(tool, folder, answers) {
  const web = await startAnswers(answers);
  const output = `${folder}-scorecard.json`;
  try {
    const printed = await runTool(tool, ["validate", "--path", folder, "--output", output], web.url);
    const card = JSON.parse(await readFile(output, "utf8").catch(() => "{}"));
    const problems = new Map(
      CHECKS.filter((check) => card[check]?.test !== true).map((check) => [check, lineWith(check, printed)]),
    );
    // Its scorecard forgets two things: P05 passes always, and a node that it cannot parse is one less to check.
    const keyword = /P05 .*/.exec(printed)?.[0];
    if (keyword !== undefined) problems.set("P05", keyword);
    const unparsed = printed.match(/Unable to parse .*/g) ?? [];
    if (unparsed.length > 0) problems.set("parse", unparsed.join("; "));
    if (!printed.includes("Complete")) problems.set("run", `it did not end well: ${printed.trim()}`);
    if (web.unknown.length > 0)
      problems.set("web", `it asks for more: ${[...new Set(web.unknown)].join(", ")}`);
    return { problems, printed };
  } finally {
    await web.close();
  }
}

/**
 * @param {Tool} tool
 * @param {readonly string[]} args
 * @param {string} proxy
 * @returns {Promise<string>} all that it prints
 */
async function runTool({ folder }, args, proxy) {
  const env = {
    ...process.env,
    ...{ http_proxy: proxy, https_proxy: proxy, HTTP_PROXY: proxy, HTTPS_PROXY: proxy },
    ...{ no_proxy: "", NO_PROXY: "", COLUMNS: "1000" },
  };
  const started = promisify(execFile)(process.execPath, [join(folder, "bin/run"), ...args], { env });
  // What it says of an error is what it prints.
  const { stdout, stderr } = await started.catch(
    (/** @type {{ stdout: string, stderr: string }} */ error) => error,
  );
  return `${stdout}\n${stderr}`;
}

/**
 * @param {string} check
 * @param {string} printed
 */
function lineWith(check, printed) {
  return new RegExp(`${check} .*`).exec(printed)?.[0] ?? `${check} is not passed`;
}

/**
 * The tool's parser is a function that its file does not export.
 *
 * @param {string} file
 * @returns {Promise<Tool["typesIn"]>}
 */
async function parserOf(file) {
  const source = await readFile(file, "utf8");
  return compileFunction(`${source}\nreturn getNodeDefinitions;`, ["require", "module"])(
    createRequire(file),
    {},
  );
}
