import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { builtClient, CLIENT } from "./built-client.ts";

const exec = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));
const NAME = "@crec-nodes/client";
const STRICT = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--noEmit"];
const MODULES = ["--module", "nodenext", "--target", "es2024", "--lib", "es2024"];

/** What `tell` wrote of one result: where it stands, what the text says, what it was. */
export type Result = { at: string; expected: string; actual: string };

/** A folder with programs that import the built client by its name, as those do who install it. */
export class ProgramFolder {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async make(files: Record<string, string>): Promise<ProgramFolder> {
    await builtClient();
    const folder = new ProgramFolder(await mkdtemp(join(tmpdir(), "crec-program-")));
    await mkdir(join(folder.path, "node_modules/@crec-nodes"), { recursive: true });
    await symlink(CLIENT, join(folder.path, "node_modules", NAME), "junction");
    // Samples of tests use it; the client does not.
    await symlink(join(root, "node_modules/undici"), join(folder.path, "node_modules/undici"), "junction");
    for (const [name, text] of Object.entries({ ...files, "tell.mts": TELL })) {
      await writeFile(join(folder.path, name), text);
    }
    return folder;
  }

  /** What the strictest compiler complains of; empty when it is content. `types` are those of Node.js, or none. */
  async check(
    files: string | readonly string[],
    { types: given = ["node"] }: { types?: Array<"node"> } = {},
  ): Promise<string> {
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const types = ["--types", given.join(","), "--typeRoots", join(root, "node_modules/@types")];
    const flags = [...STRICT, ...MODULES, "--allowImportingTsExtensions", ...types];
    const { stdout } = await exec(process.execPath, [tsc, ...flags, ...[files].flat()], {
      cwd: this.path,
    }).catch((error: { stdout: string }) => error);
    return stdout;
  }

  /** Runs a program until it ends by itself. */
  async run(file: string, environment: Record<string, string | undefined>): Promise<Result[]> {
    const env = { PATH: process.env.PATH, ...environment };
    const { stdout } = await exec(process.execPath, [file], { cwd: this.path, env, timeout: 60_000 });
    return stdout
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as Result);
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true, maxRetries: 3 });
  }
}

/**
 * Code in which each line such as `console.log(value); // → "0"`, or without the `console.log`, tells what it came
 * to. What is promised is a literal; in its text `…` stands for anything.
 */
export function telling(code: string, where: string): string {
  const tell = (value: string, expected: string) => `tell(${JSON.stringify(where)}, ${value}, ${expected});`;
  return code
    .replaceAll(/console\.log\((.*)\); \/\/ → (.*)$/gm, (_line, value, expected) => tell(value, expected))
    .replaceAll(
      /^( *)(.*); \/\/ → (.*)$/gm,
      (_line, indent, value, expected) => indent + tell(value, expected),
    );
}

/** Objects are compared as JSON, so what is undefined counts as missing. */
const TELL = `
export function tell(at: string, actual: unknown, expected: unknown): void {
  const [told, said] = [actual, expected].map((value) => String(JSON.stringify(value)));
  const line = { at, expected: said, actual: told };
  process.stdout.write(JSON.stringify(line) + "\\n");
}
`;

/** Whether a result is what the text says of it. */
export function isTrue({ expected, actual }: Result): boolean {
  const pattern = expected
    .split("…")
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join(".*");
  return new RegExp(`^${pattern}$`).test(actual);
}
