// @ts-check
// Starts Node-RED. With CREC_BASE_URL and CREC_API_KEY of a local service, it first takes from there the environment
// variables that the example flows read. Those that are set already stay. With the public service, set all of them.
import { createRequire } from "node:module";

const { CREC_BASE_URL: baseUrl = "", CREC_API_KEY: apiKey = "" } = process.env;

if (process.env.CREC_FROM_LOCAL_SERVICE === "on") {
  try {
    await takeVariables();
  } catch (error) {
    process.stderr.write(
      `The settings of the local service at ${baseUrl} cannot be read (${/** @type {Error} */ (error).message}). Check that it runs with --local, and CREC_BASE_URL and CREC_API_KEY.\n`,
    );
    process.exit(1);
  }
}
// Node-RED reads the arguments itself.
createRequire(import.meta.url)("node-red/red.js");

async function takeVariables() {
  const response = await fetch(new URL("/local/node-red.json", baseUrl), {
    headers: { authorization: `Apikey ${apiKey}` },
  });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  const [{ env }] = /** @type {[{ env: { name: string, value: string }[] }]} */ (await response.json());
  for (const { name, value } of env) process.env[name] ??= value;
}
