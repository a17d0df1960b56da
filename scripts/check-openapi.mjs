// @ts-check
// npm run check:openapi: checks that two validators and two client generators accept the service's OpenAPI description.
// They are installed into a temporary folder, each in a fixed version. Needs the registry.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startService } from "../service/src/index.ts";
import { runNpm } from "./lib/npm-command.mjs";

/** The tools, each with the arguments of its command. */
const TOOLS = [
  { package: "@redocly/cli@2.77.0", command: ["redocly", "lint", "openapi.json"] },
  { package: "@seriousme/openapi-schema-validator@2.11.0", command: ["validate-api", "openapi.json"] },
  {
    package: "openapi-typescript@7.13.0",
    command: ["openapi-typescript", "openapi.json", "--output", "types.d.ts"],
  },
  {
    package: "@hey-api/openapi-ts@0.99.0",
    command: ["openapi-ts", "--input", "openapi.json", "--output", "client"],
  },
];
/** Configuration of the generators. */
const BESIDE = ["typescript@5.9.3"];

const folder = await mkdtemp(join(tmpdir(), "crec-openapi-"));
try {
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  await writeFile(join(folder, "openapi.json"), await description(join(folder, "data")));
  const packages = [...TOOLS.map((tool) => tool.package), ...BESIDE];
  await npm(["install", "--save-exact", ...packages]);
  for (const tool of TOOLS) {
    const problem = await problemOf(tool.command);
    process.stdout.write(`${tool.package}: ${problem ?? "fine"}\n`);
    if (problem !== undefined) process.exitCode = 1;
  }
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

/**
 * @param {string} dataDir
 * @returns {Promise<string>} what a running service tells, what is under /local too
 */
async function description(dataDir) {
  const service = await startService({ dataDir, local: true });
  try {
    return await (await fetch(`${service.ready.base_url}/openapi.json`)).text();
  } finally {
    await service.close();
  }
}

/**
 * @param {readonly string[]} command
 * @returns {Promise<string | undefined>}
 */
async function problemOf(command) {
  try {
    await npm(["exec", "--no", "--", ...command]);
    return undefined;
  } catch (error) {
    const { stdout = "", stderr = "" } = /** @type {{ stdout?: string, stderr?: string }} */ (error);
    return `${stdout}\n${stderr}`.trim() || String(error);
  }
}

/** @param {readonly string[]} args */
async function npm(args) {
  const quiet = ["--loglevel=error", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier"];
  // None of them may report who uses it.
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  const [verb = "", ...rest] = args;
  await runNpm([verb, ...quiet, ...rest], { cwd: folder, env, maxBuffer: 2 ** 26 });
}
