// Programs of others in fixed versions, in temporary folders: from npm, PyPI and the Go module proxy.
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { npm } from "./npm.mjs";
import { root } from "./paths.mjs";

const run = promisify(execFile);
const onWindows = process.platform === "win32";
/** npm's name for the Node.js package of this platform. */
const NODE = `node-${onWindows ? "win" : process.platform}-${process.arch}`;

/** @param target a folder, made where it is not there */
export async function installInto(target: string, packages: readonly string[]) {
  await mkdir(target, { recursive: true });
  await writeFile(join(target, "package.json"), '{ "private": true }\n');
  await npm(["install", ...packages], { cwd: target });
}

/** @param version such as `22` or `20.18.1` @returns its program, and the version that it has */
export async function installNode(folder: string, version: string) {
  const target = join(folder, `node-${version}`);
  await installInto(target, [`${NODE}@${version}`]);
  const installed = join(target, "node_modules", NODE);
  const node = join(installed, onWindows ? "bin/node.exe" : "bin/node");
  return { node, version: await versionOf(installed) };
}

/** @param folder of an installed package */
export async function versionOf(folder: string): Promise<string> {
  return JSON.parse(await readFile(join(folder, "package.json"), "utf8")).version.replace(/^v/, "");
}

/** @returns the compiled program, or undefined where there is no Go */
export async function goInstall(folder: string, path: string): Promise<string | undefined> {
  if (!(await starts("go", ["version"]))) return undefined;
  const env = { ...process.env, GOBIN: folder, GOFLAGS: "" };
  await run("go", ["install", path], { env, maxBuffer: 2 ** 26 });
  const name = /(\w+)@/.exec(path)?.[1] ?? "";
  return join(folder, onWindows ? `${name}.exe` : name);
}

/**
 * Installs one package of PyPI into a folder.
 *
 * @param wheel `sha256` is that of the file for Linux on x64, which CI has
 * @returns false where there is no pip
 */
export async function pipInstall(
  folder: string,
  { name, version, sha256 }: { name: string; version: string; sha256: string },
): Promise<boolean> {
  const args = (await starts("pip", ["--version"])) ? [] : ["-m", "pip"];
  const pip = args.length === 0 ? "pip" : "python3";
  if (!(await starts(pip, [...args, "--version"]))) return false;
  const isKnown = process.platform === "linux" && process.arch === "x64";
  const requirements = join(folder, `${name}.txt`);
  await writeFile(requirements, `${name}==${version}${isKnown ? ` --hash=sha256:${sha256}` : ""}\n`);
  await run(pip, [...args, "install", "--quiet", "--no-deps", "--target", folder, "-r", requirements]);
  return true;
}

const starts = (command: string, args: readonly string[]) =>
  run(command, args).then(
    () => true,
    () => false,
  );

/**
 * Installs the tools of release/tools into a temporary folder, by their lock file, and removes it afterwards. They are no
 * devDependencies, because only checks of a release need them.
 *
 * @param use `load` is the `require` of the folder
 * @param kind a folder in release/tools, for what few checks need
 */
export async function withReleaseTools<T>(
  use: (load: NodeJS.Require, folder: string) => T | Promise<T>,
  kind = "",
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "crec-release-tools-"));
  try {
    for (const file of ["package.json", "package-lock.json"]) {
      await cp(join(root, "release/tools", kind, file), join(folder, file));
    }
    await npm(["ci"], { cwd: folder });
    return await use(createRequire(join(folder, "package.json")), folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
