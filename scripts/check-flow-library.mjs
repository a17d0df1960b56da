// @ts-check
// npm run check:flow-library: checks that the flow library (flows.nodered.org) finds each node type of the package. It
// runs that library's parser, from the package node-red-dev, without the package's dependencies except acorn: there
// are more than 400. Needs the registry; test/package checks the same rules without it.

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { compileFunction } from "node:vm";

const PARSER = "node-red-dev@0.1.6";
const PARSER_FILE = "src/libs/checknodes.js";

/** @typedef {{ category?: string, color?: string, defaults?: object }} SeenType */

const run = promisify(execFile);
const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const folder = await mkdtemp(join(tmpdir(), "crec-flow-library-"));
try {
  const [parser, ours] = [await unpacked(PARSER, "parser"), await unpacked(root, "ours")];
  const typesIn = parserOf(await readFile(join(parser, PARSER_FILE), "utf8"));
  const { "node-red": listed } = JSON.parse(await readFile(join(ours, "package.json"), "utf8"));
  for (const [name, file] of Object.entries(listed.nodes)) {
    const type = typesIn(join(ours, file.replace(/\.js$/, ".html")))[`crec-${name}`];
    const { category, color = "no color", defaults = {} } = type ?? {};
    const isFound = category !== undefined && (category === "config" || type?.color !== undefined);
    const count = Object.keys(defaults).length;
    if (!isFound || count === 0) process.exitCode = 1;
    process.stdout.write(
      isFound && count > 0
        ? `crec-${name}: ${category}, ${color}, ${count} properties\n`
        : `crec-${name}: the flow library does not see it whole: ${JSON.stringify(type)}\n`,
    );
  }
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

/**
 * @param {string} what a package of the registry, or a folder
 * @param {string} name
 * @returns {Promise<string>} the folder with its files
 */
async function unpacked(what, name) {
  const args = ["pack", what, "--json", "--pack-destination", folder, "--ignore-scripts", "--loglevel=error"];
  const { stdout } = await run("npm", args, { cwd: root });
  // npm 12 prints an object by name, older versions a list.
  const [packed] = Object.values(JSON.parse(stdout));
  const target = join(folder, name);
  await mkdir(target);
  await run("tar", ["-xzf", join(folder, packed.filename), "--strip-components=1", "-C", target]);
  return target;
}

/**
 * The parser is a function that the file does not export. The one that it exports runs all checks, some of which need
 * the network.
 *
 * @param {string} source
 * @returns {(file: string) => Record<string, SeenType>}
 */
function parserOf(source) {
  const require = createRequire(import.meta.url);
  const only = (/** @type {string} */ name) => (name === "axios" ? {} : require(name));
  return compileFunction(`${source}\nreturn getNodeDefinitions;`, ["require", "module"])(only, {});
}
