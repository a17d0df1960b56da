// npm run check:bundlers: bundles a program that uses the packed client, with esbuild, Rollup, webpack and Vite, and a
// route handler of Next.js. Each bundle runs without the package, on Node.js 20, 22 and 24: it makes a request and checks
// a proof. Also compares how long `import` and `require` take. publint and arethetypeswrong, in the client's tests, bundle
// and run nothing. Needs the registry; takes about a minute.
import { execFile } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { configOf, proofCases } from "../test/proofs/fixtures.ts";
import { checking, endProgram, startProgram, trying } from "./lib/check.ts";
import { installNode, withReleaseTools } from "./lib/installs.ts";
import { root } from "./lib/paths.mjs";
import { readJson } from "./lib/read-json.mjs";
import { packBuilt, unpack } from "./packing/stage.ts";

const run = promisify(execFile);
const NAME = "@crec-nodes/client";
const CHANNEL = "0f8fad5b-d9cb-469f-a165-70867728950e";
/** How much longer `import` may take than `require`, in processor time. */
const MOST_TIMES_LONGER = 1.5;
const WANTED = JSON.stringify({ name: "first", verified: true });

/** What each bundle does. The other names of the client are there to be left out. */
const FILES = {
  "app/check.mjs": `
import { CrecClient, verifyEvent } from "${NAME}";
export async function check({ baseUrl, event, config }) {
  const client = new CrecClient({ baseUrl, apiKey: "key-of-a-check" });
  const { name } = await client.channels.get("${CHANNEL}");
  await client.close();
  const { verified } = await verifyEvent(event, config);
  return { name, verified };
}
`,
  "app/main.mjs": `
import { check } from "./check.mjs";
check(JSON.parse(process.env.INPUT)).then((result) => console.log(JSON.stringify(result)));
`,
  "site/app/check/route.js": `
import { check } from "../check.mjs";
export const dynamic = "force-dynamic";
export async function GET() {
  return Response.json(await check(JSON.parse(process.env.INPUT)));
}
`,
  "site/app/layout.js": "export default ({ children }) => children;\n",
  "site/package.json": '{ "private": true, "type": "module" }\n',
};

await checking("bundlers", async (folder, atEnd) => {
  const service = createServer((_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ channel_id: CHANNEL, name: "first" }));
  }).listen(0, "127.0.0.1");
  atEnd(() => service.close());
  await once(service, "listening");
  const baseUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const proven = proofCases.find(({ expect }) => expect === "verified");
  if (proven === undefined) throw new Error("The worked examples have no proof that verifies.");
  const input = JSON.stringify({ baseUrl, event: proven.event, config: configOf(proven) });
  const env = { PATH: process.env.PATH ?? "", INPUT: input, NEXT_TELEMETRY_DISABLED: "1" };
  const { client } = await packBuilt(folder, ["client"]);
  const installed = join(folder, "loading");
  await unpack(client, installed);
  await trying("import and require", () => compareLoading(JSON.stringify(join(installed, "dist/"))));

  const { engines } = await readJson(join(root, "client/package.json"));
  const programs = await Promise.all(
    [engines.node.replace(/^>=/, ""), "22", "24"].map((version) => installNode(folder, version)),
  );
  await withReleaseTools(async (load, tools) => {
    await unpack(client, join(tools, "node_modules", NAME));
    for (const place of ["app", "site/app/check"]) await mkdir(join(tools, place), { recursive: true });
    for (const [file, text] of Object.entries(FILES)) await writeFile(join(tools, file), text);
    await cp(join(tools, "app/check.mjs"), join(tools, "site/app/check.mjs"));
    await symlink(join(tools, "node_modules"), join(tools, "site/node_modules"), "junction");
    for (const [name, bundle] of Object.entries(bundlers(load, join(tools, "app")))) {
      const out = join(folder, "alone", name);
      await bundle(out);
      for (const { node, version } of programs)
        await trying(`${name}, run by Node.js ${version}`, async () =>
          compare((await run(node, [join(out, "main.mjs")], { cwd: folder, env })).stdout.trim()),
        );
    }
    await trying("a route handler of Next.js", async () => {
      const next = [process.execPath, load.resolve("next/dist/bin/next")] as const;
      const at = { cwd: join(tools, "site"), env };
      await run(next[0], [next[1], "build"], at);
      const start = [...next, "start", "--port", "0", "--hostname", "127.0.0.1"];
      const address = (said: string) => /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0];
      const { child, ready } = await startProgram(start, address, at);
      atEnd(() => endProgram(child));
      compare(await (await fetch(`${ready}/check`)).text());
    });
  }, "bundlers");
});

function compare(came: string) {
  if (came !== WANTED) throw new Error(came.slice(0, 2_000));
}

/** Each bundles `main.mjs` of a folder into a file of that name. */
function bundlers(load: NodeJS.Require, app: string): Record<string, (out: string) => Promise<unknown>> {
  const input = join(app, "main.mjs");
  const byEsbuild = (minify: boolean) => async (out: string) => {
    const { build } = await import("esbuild");
    const how = { bundle: true, platform: "node", format: "esm", logLevel: "error" } as const;
    await build({ ...how, minify, entryPoints: [input], outfile: join(out, "main.mjs") });
  };
  const names = { entryFileNames: "main.mjs", chunkFileNames: "[hash].mjs" };
  return {
    esbuild: byEsbuild(false),
    "esbuild, small": byEsbuild(true),
    Rollup: async (out) => {
      const { nodeResolve } = load("@rollup/plugin-node-resolve");
      const commonjs = load("@rollup/plugin-commonjs");
      const plugins = [nodeResolve({ preferBuiltins: true }), (commonjs.default ?? commonjs)()];
      const bundle = await load("rollup").rollup({ input, plugins });
      await bundle.write({ dir: out, format: "es", ...names });
      await bundle.close();
    },
    webpack: async (out) => {
      const compiler = load("webpack")({
        ...{ mode: "production", target: "node20", context: app, entry: "./main.mjs", performance: false },
        output: { path: out, filename: "main.mjs", module: true, chunkFormat: "module" },
        experiments: { outputModule: true },
      });
      const stats = await promisify(compiler.run.bind(compiler))();
      await promisify(compiler.close.bind(compiler))();
      if (stats.hasErrors() || stats.hasWarnings())
        throw new Error(stats.toString({ all: false, errors: true, warnings: true }));
    },
    Vite: async (out) => {
      const { build } = await import(pathToFileURL(load.resolve("vite")).href);
      const output = { ssr: "main.mjs", outDir: out, emptyOutDir: true, minify: true };
      await build({
        ...{ root: app, logLevel: "error", configFile: false, ssr: { noExternal: true } },
        build: { ...output, rollupOptions: { output: names } },
      });
    },
  };
}

/** Processor time, alternating, in processes of their own. @param dist as JavaScript writes it */
async function compareLoading(dist: string) {
  const timed = (load: string) =>
    `const begun = process.cpuUsage();
     Promise.resolve(${load}).then(() => { const { user, system } = process.cpuUsage(begun); console.log(user + system); })`;
  const programs = [timed(`import(${dist} + "index.js")`), timed(`require(${dist} + "index.cjs")`)] as const;
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < 15; round += 1) {
    for (const index of [0, 1] as const) {
      const args = ["--input-type=commonjs", "--eval", programs[index]];
      times[index].push(Number((await run(process.execPath, args)).stdout) / 1000);
    }
  }
  const [imported = 0, required = 0] = times.map((all) => all.sort((a, b) => a - b)[7] ?? Number.NaN);
  const ratio = imported / required;
  const sentence = `import takes ${imported.toFixed(0)} ms of processor time, require ${required.toFixed(0)}: ${ratio.toFixed(2)} times as long`;
  if (ratio <= MOST_TIMES_LONGER) return sentence;
  throw new Error(`${sentence}; the most is ${MOST_TIMES_LONGER}.`);
}
