// @ts-check
// npm run check:npm: checks that npm 10, 11 and 12 accept the lock files and do not change them. Runs in a folder
// with the manifests only, and installs nothing. Needs the registry.

import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { npm } from "./lib/npm.mjs";
import { fromRoot, root } from "./lib/paths.mjs";

const MAJORS = [10, 11, 12];
/** Where the lock files are, each with the manifests that it was made from. */
const LOCKS = [
  { folder: root, manifests: ["package.json", "client/package.json", "service/package.json"] },
  { folder: join(root, "site"), manifests: ["package.json"] },
];

for (const lock of LOCKS) {
  const name = fromRoot(join(lock.folder, "package-lock.json"));
  for (const major of MAJORS) {
    const problems = await problemsOf(major, lock);
    process.stdout.write(`${name}, npm ${major}: ${problems.length === 0 ? "fine" : problems.join("\n")}\n`);
    if (problems.length > 0) process.exitCode = 1;
  }
}

/**
 * @param {number} major
 * @param {typeof LOCKS[number]} lock
 * @returns {Promise<string[]>}
 */
async function problemsOf(major, lock) {
  const folder = await mkdtemp(join(tmpdir(), "crec-npm-"));
  try {
    for (const file of [...lock.manifests, "package-lock.json"]) {
      await cp(join(lock.folder, file), join(folder, file), { recursive: true });
    }
    const before = await readFile(join(folder, "package-lock.json"), "utf8");
    const version = await npmOf(major, ["--version"], folder);
    if (!version.startsWith(`${major}.`)) return [`asked for npm ${major}, got ${version.trim()}`];
    await npmOf(major, ["ci", "--dry-run"], folder);
    await npmOf(major, ["install", "--package-lock-only"], folder);
    const after = await readFile(join(folder, "package-lock.json"), "utf8");
    return after === before ? [] : ["npm install changes package-lock.json:", changedLines(before, after)];
  } catch (error) {
    return [/** @type {{ stderr?: string }} */ (error).stderr || String(error)];
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/**
 * @param {number} major
 * @param {readonly string[]} args
 * @param {string} cwd
 * @returns {Promise<string>} what it prints
 */
function npmOf(major, args, cwd) {
  return npm(["exec", "--yes", `--package=npm@${major}`, "--", "npm", ...args], { cwd });
}

/**
 * @param {string} before
 * @param {string} after
 * @returns {string} the lines that are in one of them alone
 */
function changedLines(before, after) {
  const [left, right] = [before.split("\n"), after.split("\n")];
  return [
    ...left.filter((line) => !right.includes(line)).map((line) => `- ${line}`),
    ...right.filter((line) => !left.includes(line)).map((line) => `+ ${line}`),
    `${left.length} lines before, ${right.length} after`,
  ].join("\n");
}
