// @ts-check
// npm run check:recipes: runs the recipes of "In your own tests" in docs/local-service.md, as the page has them, with the
// packed service on Node.js 22 and 24: their tests pass, fail where what they expect is wrong, and leave nothing. On Node.js
// 20, `start` says what it needs. The packed command ends with the npx of npm 10, 11 and 12. Needs the registry; takes one
// to two minutes.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { installChain, installCommand, installService } from "../service/test/installed.ts";
import { COMMAND, isGone, startedBy } from "../service/test/under-npm.ts";
import { eventually } from "../test/support/eventually.ts";
import { fail, messageOf } from "./lib/check.mjs";
import { installNode } from "./lib/installed-versions.mjs";
import { npm } from "./lib/npm.mjs";
import { root } from "./lib/paths.mjs";
import { withReleaseTools } from "./release/tools.mjs";

const PAGE = "docs/local-service.md";
const NODES = ["22", "24"];
const OLD_NODE = "20";
const NPMS = [10, 11, 12];

/** @typedef {{ name: string, files: [name: string, text: string][], command: string }} Recipe */

/** What the tests of the recipes expect, and what is wrong. */
const EXPECTED = "201";
const WRONG = "418";

const recipes = await readRecipes();
const folder = await mkdtemp(join(tmpdir(), "crec-recipes-"));
try {
  await withReleaseTools(async (_, tools) => {
    await installBeside(tools);
    for (const version of NODES) {
      const node = dirname(await installNode(folder, version));
      for (const recipe of recipes) await check(recipe, { tools, node, version });
    }
    await checkOldNode(tools);
    for (const major of NPMS) await checkNpx(tools, major);
  }, "recipes");
} catch (error) {
  fail(`The recipes could not be tried: ${messageOf(error)}`);
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Each has files, whose first line is their name, and then a command. @returns {Promise<Recipe[]>} */
async function readRecipes() {
  const page = await readFile(join(root, PAGE), "utf8");
  const section = page.split("\n## In your own tests\n")[1]?.split("\n## ")[0] ?? "";
  const found = section
    .split("\n#### ")
    .slice(1)
    .map((text) => {
      const blocks = [...text.matchAll(/^```(js|text)\n([\s\S]*?)^```$/gm)];
      const files = blocks.flatMap(([, language, code = ""]) => {
        const name = /^\/\/ (\S+)\n/.exec(code)?.[1];
        return language === "js" && name !== undefined
          ? [/** @type {[string, string]} */ ([name, code])]
          : [];
      });
      const command = blocks.find(([, language]) => language === "text")?.[2]?.trim() ?? "";
      return { name: text.split("\n", 1)[0] ?? "", files, command };
    });
  const names = found.map(({ name }) => name).join(", ");
  if (names !== "vitest, jest, mocha, node:test") throw new Error(`${PAGE} has the recipes ${names}.`);
  return found;
}

/** The packed service with its chain and its command, and mocha. @param {string} tools the folder of the other tools */
async function installBeside(tools) {
  await installService(tools);
  await installChain(tools);
  await installCommand(tools);
  const modules = join(tools, "node_modules");
  await symlink(join(root, "node_modules/mocha"), join(modules, "mocha"), "junction");
  await symlink("../mocha/bin/mocha.js", join(modules, ".bin/mocha"));
}

/**
 * @param {Recipe} recipe
 * @param {{ tools: string, node: string, version: string }} on
 */
async function check({ name, files, command }, { tools, node, version }) {
  const title = `${name} on Node.js ${version}`;
  const project = join(tools, `${name.replace(":", "-")}-${version}`);
  await mkdir(project);
  await writeFile(join(project, "package.json"), '{ "private": true }\n');
  for (const [file, text] of files) await writeFile(join(project, file), text);
  const commands = name === "mocha" ? [command, `${command} --parallel`] : [command];
  for (const line of commands) {
    const { code, printed, left } = await run(line, project, node);
    if (code !== 0) fail(`${title}: "${line}" ended with ${code}:\n${printed}`);
    else if (!/\b1 (passed|passing)\b|\bpass 1\b/.test(printed))
      fail(`${title}: no test has passed:\n${printed}`);
    else if (left.length > 0) fail(`${title}: "${line}" left ${left.join(", ")}`);
    else process.stdout.write(`${title}: fine: ${line}\n`);
  }
  for (const [file, text] of files.filter(([, text]) => text.includes(EXPECTED))) {
    await writeFile(join(project, file), text.replace(EXPECTED, WRONG));
  }
  const { code, printed, left } = await run(command, project, node);
  if (code === 0 || !printed.includes(WRONG)) fail(`${title}: a test that fails is not noticed:\n${printed}`);
  if (left.length > 0) fail(`${title}: a test that fails left ${left.join(", ")}`);
}

/**
 * @param {string} line of a shell
 * @param {string} project its folder
 * @param {string} node the folder of the Node.js to use
 */
async function run(line, project, node) {
  const temporary = join(project, "temporary");
  await mkdir(temporary, { recursive: true });
  const child = spawn(line, {
    shell: true,
    cwd: project,
    env: {
      ...process.env,
      PATH: [node, process.env.PATH].join(delimiter),
      ...{ TMPDIR: temporary, TEMP: temporary, NO_COLOR: "1" },
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      printed += chunk;
    });
  }
  const [code] = await once(child, "close");
  const left = (await readdir(temporary)).filter((name) => name.startsWith("crec-"));
  return { code, printed, left };
}

/** @param {string} tools */
async function checkOldNode(tools) {
  const node = dirname(await installNode(folder, OLD_NODE));
  const [forImport, forRequire] = ["old.mjs", "old.cjs"].map((name) => join(tools, name));
  const told = ".then(console.log, ({ code, message }) => console.log(code, message));\n";
  await writeFile(forImport ?? "", `import { start } from "@crec-nodes/local-service";\nstart()${told}`);
  await writeFile(forRequire ?? "", `require("@crec-nodes/local-service").start()${told}`);
  for (const file of [forImport, forRequire]) {
    const { printed, left } = await run(`node "${file}"`, tools, node);
    if (left.length === 0 && /^NODE_TOO_OLD The local service needs Node\.js /.test(printed)) {
      process.stdout.write(`start says on Node.js ${OLD_NODE} what it needs\n`);
    } else {
      fail(`start on Node.js ${OLD_NODE} left ${left.join(", ") || "nothing"} and said:\n${printed}`);
    }
  }
}

/**
 * @param {string} tools
 * @param {number} major of npm
 */
async function checkNpx(tools, major) {
  const own = join(folder, `npm-${major}`);
  await mkdir(own);
  await writeFile(join(own, "package.json"), '{ "private": true }\n');
  await npm(["install", `npm@${major}`], { cwd: own });
  const program = join(own, "node_modules/npm/bin/npm-cli.js");
  const args = [program, "exec", "--no", "--call", COMMAND];
  for (const signal of /** @type {const} */ (["SIGTERM", "SIGKILL"])) {
    const { child, ready } = await startedBy(tools, process.execPath, args);
    child.kill(signal);
    await eventually(`the end of the service with npx of npm ${major}`, () => isGone(ready));
  }
  process.stdout.write(`The service ends with npx of npm ${major}\n`);
}
