// Builds the documentation as static pages: VitePress, and TypeDoc for the reference. Both are installed in site/, apart
// from the project: TypeDoc needs an older TypeScript. No tool makes pages of the repository's own files and links.
import { execFile } from "node:child_process";
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { examplePages } from "../../site/lib/examples.mjs";
import { baseOf, exampleFiles, pagesFolder, root, site, sourcePages } from "../../site/lib/places.mjs";
import { buildClient } from "../build-client.ts";
import { runNpm } from "./npm-command.mjs";
import { readOwner } from "./owner.mjs";
import { HOST } from "./ports.mjs";

const dist = join(site, "dist");

/** @returns how many pages there are, in site/dist */
export async function buildSite(): Promise<number> {
  const [wanted, installed] = await Promise.all(
    ["package-lock.json", "node_modules/.package-lock.json"].map((file) =>
      stat(join(site, file)).catch(() => undefined),
    ),
  );
  if (!wanted || !installed || installed.mtimeMs < wanted.mtimeMs)
    await runNpm(["ci", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: site });
  await buildClient();
  await collectPages();
  await tool("typedoc/bin/typedoc", "--options", "typedoc.json");
  await nameParameters();
  // It fails for a link to a page that is not there.
  await tool("vitepress/bin/vitepress.js", "build", ".");
  return (await readdir(dist, { recursive: true })).filter((file) => file.endsWith(".html")).length;
}

/** Serves the pages on this machine alone, by the server that VitePress brings along. @param port 0 means any */
export async function servePages(port: number): Promise<{ url: string; close: () => Promise<void> }> {
  const { preview } = await import(pathToFileURL(join(site, "node_modules/vite/dist/node/index.js")).href);
  const server = await preview({
    ...{ configFile: false, root: site, base: baseOf(await readOwner()), appType: "mpa", logLevel: "error" },
    preview: { host: HOST, port, strictPort: true },
  });
  return { url: server.resolvedUrls.local[0], close: () => server.close() };
}

/** The sources stay where they are: the pages are copies, made anew for each build. */
async function collectPages() {
  await rm(pagesFolder, { recursive: true, force: true, maxRetries: 3 });
  const place = (page: string) => join(pagesFolder, page);
  const copies = new Map([
    ...sourcePages(),
    ...exampleFiles().map((file) => [file, join("public", file)] as const),
    ...[["site/favicon.svg", "public/favicon.svg"] as const, ["docs/images", "public/images"] as const],
  ]);
  for (const [from, page] of copies) await cp(join(root, from), place(page), { recursive: true });
  for (const [page, text] of examplePages()) {
    await mkdir(dirname(place(page)), { recursive: true });
    await writeFile(place(page), text);
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

/** Shows what a program of site/ prints only when it fails. */
async function tool(script: string, ...args: readonly string[]) {
  const program = join(site, "node_modules", script);
  const options = { cwd: site, maxBuffer: 2 ** 26 };
  await promisify(execFile)(process.execPath, [program, ...args], options).catch(({ stdout, stderr }) => {
    throw new Error(`${stdout}${stderr}\n${script} failed in site/: see above.`);
  });
}
