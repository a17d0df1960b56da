// npm run check:openapi: runs two validators and two client generators over the OpenAPI description that the service tells.
// They are installed into a temporary folder, each in a fixed version. Needs the registry.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startService } from "../service/src/index.ts";
import { checking, trying } from "./lib/check.ts";
import { installInto } from "./lib/installs.ts";
import { npm } from "./lib/npm.mjs";

/** The tools, each with its command. */
const TOOLS = {
  "@redocly/cli@2.77.0": "redocly lint openapi.json",
  "@seriousme/openapi-schema-validator@2.11.0": "validate-api openapi.json",
  "openapi-typescript@7.13.0": "openapi-typescript openapi.json --output types.d.ts",
  "@hey-api/openapi-ts@0.99.0": "openapi-ts --input openapi.json --output client",
};
// None of them may report who uses it.
const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };

await checking("openapi", async (folder, atEnd) => {
  // What is under /local too.
  const service = await startService({ dataDir: join(folder, "data"), local: true });
  atEnd(() => service.close());
  const description = await fetch(`${service.ready.base_url}/openapi.json`);
  // The generators need the older compiler beside them.
  await installInto(folder, [...Object.keys(TOOLS), "typescript@5.9.3"]);
  await writeFile(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
  await writeFile(join(folder, "openapi.json"), await description.text());
  for (const [tool, command] of Object.entries(TOOLS)) {
    const args = ["exec", "--no", "--", ...command.split(" ")];
    await trying(tool, async () => void (await npm(args, { cwd: folder, env })));
  }
});
