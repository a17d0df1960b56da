// @ts-check
// npm run check:bundlers: bundles a program that uses the packed client, with esbuild, Rollup, webpack and Vite, and a
// route handler of Next.js. Each bundle runs without the package, on Node.js 20, 22 and 24: it makes a request and checks
// a proof. Also compares how long `import` and `require` take. Needs the registry; takes about a minute.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { configOf, proofCases } from "../test/proofs/fixtures.ts";
import { fail, messageOf } from "./lib/check.mjs";
import { installNode } from "./lib/installed-versions.mjs";
import { root } from "./lib/paths.mjs";
import { readJson } from "./lib/read-json.mjs";
import { packBuilt } from "./packing/pack-built.mjs";
import { unpack } from "./packing/stage.mjs";
import { withReleaseTools } from "./release/tools.mjs";

const run = promisify(execFile);
const NAME = "@crec-nodes/client";
const CHANNEL = "0f8fad5b-d9cb-469f-a165-70867728950e";
/** How much longer `import` may take than `require`, in processor time. */
const MOST_TIMES_LONGER = 1.5;

/** What each bundle does. The other names are there to be left out. */
const PROGRAM = `
import { CrecClient, verifyEvent } from "${NAME}";

export async function check({ baseUrl, event, config }) {
  const client = new CrecClient({ baseUrl, apiKey: "key-of-a-check" });
  const { name } = await client.channels.get("${CHANNEL}");
  await client.close();
  const { verified } = await verifyEvent(event, config);
  return { name, verified };
}
`;
const MAIN = `
import { check } from "./check.mjs";
check(JSON.parse(process.env.INPUT)).then((result) => console.log(JSON.stringify(result)));
`;
const ROUTE = `
import { check } from "../check.mjs";
export const dynamic = "force-dynamic";
export async function GET() {
  return Response.json(await check(JSON.parse(process.env.INPUT)));
}
`;
const WANTED = JSON.stringify({ name: "first", verified: true });

/** @typedef {(app: string, out: string) => Promise<string>} Bundle bundles `app/main.mjs` into the folder `out`; returns the file to run */

const folder = await mkdtemp(join(tmpdir(), "crec-bundlers-"));
const service = createServer((_request, response) => {
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ channel_id: CHANNEL, name: "first" }));
});
try {
  service.listen(0, "127.0.0.1");
  await once(service, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (service.address());
  const proven = proofCases.find(({ expect }) => expect === "verified");
  if (proven === undefined) throw new Error("The worked examples have no proof that verifies.");
  const input = { baseUrl: `http://127.0.0.1:${port}`, event: proven.event, config: configOf(proven) };
  const env = { PATH: process.env.PATH ?? "", INPUT: JSON.stringify(input), NEXT_TELEMETRY_DISABLED: "1" };
  const { client } = await packBuilt(folder, ["client"]);
  await compareLoading(client);
  await withReleaseTools((load, tools) => checkAll(load, tools, { client, env }), "bundlers");
} catch (error) {
  fail(`The client could not be bundled: ${messageOf(error)}`);
} finally {
  service.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

/**
 * @param {NodeJS.Require} load
 * @param {string} tools the folder in which the bundlers are installed
 * @param {{ client: string, env: Record<string, string> }} given the packed file, and what programs get
 */
async function checkAll(load, tools, { client, env }) {
  const app = join(tools, "app");
  await mkdir(app);
  await unpack(client, join(tools, "node_modules", NAME));
  await writeFile(join(app, "check.mjs"), PROGRAM);
  await writeFile(join(app, "main.mjs"), MAIN);
  const { engines } = await readJson(join(root, "client/package.json"));
  const lowest = engines.node.replace(/^>=/, "");
  const programs = new Map();
  for (const version of [lowest, "22", "24"]) programs.set(version, await installNode(folder, version));
  for (const [name, bundle] of Object.entries(bundlers(load))) {
    const file = await bundle(app, join(folder, "alone", name));
    for (const [version, node] of programs) {
      const { stdout } = await run(node, [file], { cwd: folder, env }).catch((error) => ({
        stdout: messageOf(error),
      }));
      report(`${name}, run by Node.js ${version}`, stdout.trim());
    }
  }
  await checkNext(load, tools, env);
}

/** @param {NodeJS.Require} load @returns {Record<string, Bundle>} */
function bundlers(load) {
  /** @param {boolean} minify @returns {Bundle} */
  const byEsbuild = (minify) => async (app, out) => {
    const { build } = await import("esbuild");
    const outfile = join(out, "main.mjs");
    const how = /** @type {const} */ ({ bundle: true, platform: "node", format: "esm", logLevel: "error" });
    await build({ ...how, minify, entryPoints: [join(app, "main.mjs")], outfile });
    return outfile;
  };
  return {
    esbuild: byEsbuild(false),
    "esbuild, small": byEsbuild(true),
    Rollup: async (app, out) => {
      const { rollup } = load("rollup");
      const { nodeResolve } = load("@rollup/plugin-node-resolve");
      const commonjs = load("@rollup/plugin-commonjs");
      const plugins = [nodeResolve({ preferBuiltins: true }), (commonjs.default ?? commonjs)()];
      const bundle = await rollup({ input: join(app, "main.mjs"), plugins });
      await bundle.write({
        dir: out,
        format: "es",
        entryFileNames: "main.mjs",
        chunkFileNames: "[hash].mjs",
      });
      await bundle.close();
      return join(out, "main.mjs");
    },
    webpack: async (app, out) => {
      const compiler = load("webpack")({
        ...{ mode: "production", target: "node20", context: app, entry: "./main.mjs", performance: false },
        output: { path: out, filename: "main.mjs", module: true, chunkFormat: "module" },
        experiments: { outputModule: true },
      });
      const stats = await promisify(compiler.run.bind(compiler))();
      await promisify(compiler.close.bind(compiler))();
      if (stats.hasErrors() || stats.hasWarnings())
        throw new Error(stats.toString({ all: false, errors: true, warnings: true }));
      return join(out, "main.mjs");
    },
    Vite: async (app, out) => {
      const { build } = await import(pathToFileURL(load.resolve("vite")).href);
      await build({
        ...{ root: app, logLevel: "error", configFile: false, ssr: { noExternal: true } },
        build: {
          ...{ ssr: "main.mjs", outDir: out, emptyOutDir: true, minify: true },
          rollupOptions: { output: { entryFileNames: "main.mjs", chunkFileNames: "[hash].mjs" } },
        },
      });
      return join(out, "main.mjs");
    },
  };
}

/**
 * Builds a Next.js app with a route handler, starts it, and asks the route.
 *
 * @param {NodeJS.Require} load
 * @param {string} tools
 * @param {Record<string, string>} env
 */
async function checkNext(load, tools, env) {
  const site = join(tools, "site");
  await mkdir(join(site, "app/check"), { recursive: true });
  await writeFile(join(site, "package.json"), '{ "private": true, "type": "module" }\n');
  await symlink(join(tools, "node_modules"), join(site, "node_modules"), "junction");
  await cp(join(tools, "app/check.mjs"), join(site, "app/check.mjs"));
  await writeFile(join(site, "app/check/route.js"), ROUTE);
  await writeFile(join(site, "app/layout.js"), "export default ({ children }) => children;\n");
  const next = load.resolve("next/dist/bin/next");
  await run(process.execPath, [next, "build"], { cwd: site, env });
  const child = spawn(process.execPath, [next, "start", "--port", "0", "--hostname", "127.0.0.1"], {
    ...{ cwd: site, env, stdio: ["ignore", "pipe", "inherit"] },
  });
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const [, url] = /(http:\/\/127\.0\.0\.1:\d+)/.exec(line) ?? [];
      if (url === undefined) continue;
      report("a route handler of Next.js", await (await fetch(`${url}/check`)).text());
      break;
    }
  } finally {
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  }
}

/**
 * Processor time, alternating, in processes of their own.
 *
 * @param {string} packed
 */
async function compareLoading(packed) {
  const installed = join(folder, "loading");
  await unpack(packed, installed);
  const dist = JSON.stringify(join(installed, "dist/"));
  const timed = (/** @type {string} */ load) =>
    `const begun = process.cpuUsage();
     Promise.resolve(${load}).then(() => { const { user, system } = process.cpuUsage(begun); console.log(user + system); })`;
  const programs = [timed(`import(${dist} + "index.js")`), timed(`require(${dist} + "index.cjs")`)];
  /** @type {[number[], number[]]} */
  const times = [[], []];
  for (let round = 0; round < 15; round += 1) {
    for (const [index, program] of programs.entries()) {
      const { stdout } = await run(process.execPath, ["--input-type=commonjs", "--eval", program]);
      times[/** @type {0 | 1} */ (index)].push(Number(stdout) / 1000);
    }
  }
  const [imported, required] = times.map((all) => all.sort((a, b) => a - b)[7] ?? Number.NaN);
  const ratio = Number(imported) / Number(required);
  const sentence = `import takes ${imported?.toFixed(0)} ms of processor time, require ${required?.toFixed(0)}: ${ratio.toFixed(2)} times as long`;
  if (ratio <= MOST_TIMES_LONGER) process.stdout.write(`${sentence}\n`);
  else fail(`${sentence}; the most is ${MOST_TIMES_LONGER}.`);
}

/** @param {string} what @param {string} came */
function report(what, came) {
  if (came === WANTED) process.stdout.write(`${what}: fine\n`);
  else fail(`${what}: ${came.slice(0, 2_000)}`);
}
