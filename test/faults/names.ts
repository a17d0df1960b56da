import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** A file for each name that nothing resolves now: the process of a client looks here, too. */
const folder = mkdtempSync(join(tmpdir(), "crec-names-"));
process.env.CREC_FAULTS_NAMES = folder;
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
createRequire(import.meta.url)("./names.cjs");

/** What a certificate for all names is made for. */
export const ALL_NAMES = "*.faulty.localhost";

export function freshName(): string {
  return `${randomUUID()}.faulty.localhost`;
}

export async function forgetName(name: string): Promise<void> {
  await writeFile(join(folder, name), "");
}

export async function rememberName(name: string): Promise<void> {
  await rm(join(folder, name), { force: true });
}

/** What a child process needs to resolve these names, with a clock that is off. */
export function childEnvironment(offMs = 0): Record<string, string> {
  const preload = new URL("./names.cjs", import.meta.url);
  return {
    CREC_FAULTS_NAMES: folder,
    CREC_FAULTS_CLOCK: String(offMs),
    NODE_OPTIONS: `--require ${JSON.stringify(fileURLToPath(preload))}`,
  };
}
