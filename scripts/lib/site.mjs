// @ts-check
// Builds the documentation as static pages: VitePress, and TypeDoc for the reference. Both are installed in site/, apart
// from the project: TypeDoc needs an older TypeScript.
import { spawn } from "node:child_process";
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { examplePages } from "../../site/lib/examples.mjs";
import { baseOf, exampleFiles, pagesFolder, root, site, sourcePages } from "../../site/lib/places.mjs";
import { buildClient } from "../build-client.mjs";
import { npmCommand } from "./npm-command.mjs";
import { readOwner } from "./owner.mjs";

/**
 * @returns {Promise<{ folder: string, base: string, pages: number }>} where the pages are, the path they are made for,
 *   and how many there are
 */
export async function buildSite() {
  await installTools();
  await buildClient();
  await collectPages();
  await tool("typedoc/bin/typedoc", ["--options", "typedoc.json"]);
  await nameParameters();
  await tool("vitepress/bin/vitepress.js", ["build", "."]);
  const folder = join(site, "dist");
  const files = await readdir(folder, { recursive: true });
  const pages = files.filter((file) => file.endsWith(".html")).length;
  return { folder, base: baseOf(await readOwner()), pages };
}

/** Unless they are installed from this lock file already. */
async function installTools() {
  const [wanted, installed] = await Promise.all(
    ["package-lock.json", "node_modules/.package-lock.json"].map((file) =>
      stat(join(site, file)).catch(() => undefined),
    ),
  );
  if (wanted && installed && installed.mtimeMs >= wanted.mtimeMs) return;
  const { command, args } = npmCommand(["ci", "--no-audit", "--no-fund", "--loglevel=error"]);
  await run(command, args);
}

/** The sources stay where they are: the pages are copies, made anew for each build. */
async function collectPages() {
  await rm(pagesFolder, { recursive: true, force: true, maxRetries: 3 });
  for (const [file, page] of sourcePages()) await copy(file, page);
  for (const file of exampleFiles()) await copy(file, join("public", file));
  await copy("site/favicon.svg", join("public", "favicon.svg"));
  await cp(join(root, "docs/images"), join(pagesFolder, "public/images"), { recursive: true });
  for (const [page, text] of examplePages()) {
    await mkdir(dirname(join(pagesFolder, page)), { recursive: true });
    await writeFile(join(pagesFolder, page), text);
  }
}

/** Declarations list the options of a function without a name for all of them; TypeDoc makes one up. */
async function nameParameters() {
  const folder = join(pagesFolder, "reference");
  for (const file of await readdir(folder, { recursive: true })) {
    if (!file.endsWith(".md")) continue;
    const text = await readFile(join(folder, file), "utf8");
    await writeFile(join(folder, file), text.replaceAll(/(?:__|\\_\\_)namedParameters/g, "options"));
  }
}

/** @param {string} file @param {string} page */
async function copy(file, page) {
  await mkdir(dirname(join(pagesFolder, page)), { recursive: true });
  await cp(join(root, file), join(pagesFolder, page));
}

/** @param {string} script @param {readonly string[]} args */
function tool(script, args) {
  return run(process.execPath, [join(site, "node_modules", script), ...args]);
}

/**
 * Runs a command in site/, and shows what it prints only when it fails.
 *
 * @param {string} command
 * @param {readonly string[]} args
 */
async function run(command, args) {
  const child = spawn(command, args, { cwd: site, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      said += text;
    });
  }
  const code = await new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
  if (code !== 0) throw new Error(`${said}\n${command} ${args.join(" ")} failed in site/: see above.`);
}
