// npm run check:flow-library: runs the scorecard of the flow library (flows.nodered.org), node-red-dev, over the package as it
// is packed: with release/owner.json as it is, where only the owner's own fields may be missing, and with one that is filled
// in, where everything must be green. What the tool asks the web is answered from a file; only its install needs the registry.
import { execFile } from "node:child_process";
import { cp, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { compileFunction } from "node:vm";
import { checking, trying } from "./lib/check.ts";
import { installInto } from "./lib/installs.ts";
import { readOwner } from "./lib/owner.mjs";
import { root } from "./lib/paths.mjs";
import { readJson } from "./lib/read-json.mjs";
import { stage } from "./packing/stage.ts";
import { ownerProblems } from "./release/owner-problems.ts";

type Types = Record<string, { category?: string; color?: string; defaults?: object }>;

/** Those that the tool has. It leaves out P02. */
const CHECKS = ["P01", "P03", "P04", "P05", "P06", "P07", "P08", "N01", "N02", "D01", "D02", "D03"];
/** Filled in with a made-up owner. */
const FILLED = {
  repository: "https://github.com/somebody/node-red-crec",
  author: "Somebody <somebody@mail.test>",
  homepage: "https://somebody.test/node-red-crec",
  securityContact: "security@mail.test",
  conductContact: "conduct@mail.test",
};
/** The checks that fail until the owner has filled in a field. */
const OF_OWNER = { P03: "repository" };
const CATALOGUE = "https://catalogue.nodered.org/catalogue.json";

await checking("flow-library", async (folder) => {
  const answers = await readJson(join(root, "scripts/flow-library/fixtures.json"));
  // More than 400 packages, without their scripts.
  await installInto(join(folder, "tool"), ["node-red-dev@0.1.6"]);
  const tool = join(folder, "tool/node_modules/node-red-dev");
  const unset = ownerProblems(await readOwner()).map(({ field }) => field);
  const waiting = Object.entries(OF_OWNER).flatMap(([check, field]) =>
    unset.includes(field) ? [check] : [],
  );
  const asIs = join(folder, "as-is");
  const filled = join(folder, "filled");
  for (const [what, packed, expected, owner] of [
    ["release/owner.json as it is", asIs, waiting, undefined],
    ["the owner's fields filled in", filled, [] as string[], FILLED],
  ] as const) {
    await stage("", packed, owner);
    await trying(`The scorecard with ${what}`, async () => {
      const problems = await scorecardOf(tool, packed, answers);
      const others = [...problems].filter(([check]) => !expected.includes(check)).map(([, said]) => said);
      if (others.length > 0) throw new Error(others.join("; "));
      return ["green", ...expected.map((check) => `${check} waits for the owner`)].join(", ");
    });
  }
  await trying("Each node is seen whole", () => seesEachNode(asIs, tool));
  await trying("It finds what is wrong", async () => {
    const spoilt = join(folder, "spoilt");
    await cp(filled, spoilt, { recursive: true });
    const form = join(spoilt, "dist/nodes/ack.html");
    await writeFile(form, (await readFile(form, "utf8")).replace("registerType(", "registerType(("));
    const manifest = await readJson(join(spoilt, "package.json"));
    await writeFile(join(spoilt, "package.json"), JSON.stringify({ ...manifest, keywords: [] }));
    const taken = { modules: [{ id: "another-package", types: ["crec-alert"] }] };
    const problems = await scorecardOf(tool, spoilt, { ...answers, [CATALOGUE]: taken });
    const found = [...problems.keys()].sort().join(", ");
    // A broken form, a taken type and no keyword.
    if (found !== "N01, P05, parse") throw new Error(`it finds ${found || "nothing"}`);
  });
});

/** The tool's parser is a function that its file does not export. */
async function seesEachNode(packed: string, tool: string) {
  const file = join(tool, "src/libs/checknodes.js");
  const source = `${await readFile(file, "utf8")}\nreturn getNodeDefinitions;`;
  const typesIn = compileFunction(source, ["require", "module"])(createRequire(file), {});
  const { "node-red": listed } = await readJson(join(packed, "package.json"));
  const nodes = Object.entries<string>(listed.nodes).map(([name, script]) => {
    const types: Types = typesIn(join(packed, script.replace(/\.js$/, ".html")));
    const { category, color, defaults = {} } = types[`crec-${name}`] ?? {};
    if (!category || (category !== "config" && !color) || Object.keys(defaults).length === 0)
      throw new Error(`crec-${name} is not: ${JSON.stringify(types)}`);
    return name;
  });
  return nodes.join(", ");
}

/**
 * @param packed a folder of the files as they are packed
 * @param answers of the web, by address
 * @returns the problems by check, or by another name
 */
async function scorecardOf(tool: string, packed: string, answers: Record<string, unknown>) {
  /** What was asked for and has no answer. */
  const unknown: string[] = [];
  // The tool's proxy: the client that it uses sends a proxy its whole requests, those to https too.
  const web = createServer(({ url = "" }, response) => {
    if (answers[url] === undefined) unknown.push(url);
    response.writeHead(answers[url] === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(answers[url] ?? {}));
  });
  web.on("connect", ({ url = "" }, socket) => {
    unknown.push(url);
    socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  });
  await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
  const proxy = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  const output = `${packed}-scorecard.json`;
  try {
    const proxies = { http_proxy: proxy, https_proxy: proxy, HTTP_PROXY: proxy, HTTPS_PROXY: proxy };
    const env = { ...process.env, ...proxies, no_proxy: "", NO_PROXY: "", COLUMNS: "1000" };
    const args = [join(tool, "bin/run"), "validate", "--path", packed, "--output", output];
    // What it says of an error is what it prints.
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { env }).catch(
      (error: { stdout: string; stderr: string }) => error,
    );
    const printed = `${stdout}\n${stderr}`;
    const lineOf = (check: string) => new RegExp(`${check} .*`).exec(printed)?.[0];
    const card = JSON.parse(await readFile(output, "utf8").catch(() => "{}"));
    const failed = CHECKS.filter((check) => card[check]?.test !== true);
    const problems = new Map(failed.map((check) => [check, lineOf(check) ?? `${check} is not passed`]));
    // Its scorecard forgets two things: P05 passes always, and a node that it cannot parse is one less to check.
    const others = {
      P05: lineOf("P05"),
      parse: printed.match(/Unable to parse .*/g)?.join("; "),
      run: printed.includes("Complete") ? undefined : `it did not end well: ${printed.trim()}`,
      web: unknown.length === 0 ? undefined : `it asks for more: ${[...new Set(unknown)].join(", ")}`,
    };
    for (const [name, problem] of Object.entries(others)) if (problem) problems.set(name, problem);
    return problems;
  } finally {
    web.close();
    web.closeAllConnections();
  }
}
