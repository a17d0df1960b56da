// @ts-check
// npm run check:flow-library: runs the scorecard of the flow library (flows.nodered.org) over the package as it is
// packed: with release/owner.json as it is, where only the owner's own fields may be missing, and with one that is
// filled in, where everything must be green. What the tool asks the web is answered from a file; only its install needs
// the registry.
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installTool, scorecardOf } from "./flow-library/scorecard.mjs";
import { readOwner } from "./lib/owner.mjs";
import { root } from "./lib/paths.mjs";
import { readJson } from "./lib/read-json.mjs";
import { stage } from "./packing/stage.mjs";
import { ownerProblems } from "./release/owner-problems.mjs";

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

const answers = await readJson(join(root, "scripts/flow-library/fixtures.json"));
const folder = await mkdtemp(join(tmpdir(), "crec-flow-library-"));
try {
  const tool = await installTool(join(folder, "tool"));
  const unset = ownerProblems(await readOwner()).map(({ field }) => field);
  const expected = Object.entries(OF_OWNER).flatMap(([check, field]) =>
    unset.includes(field) ? [check] : [],
  );

  const asIs = join(folder, "as-is");
  await stage("", asIs);
  await passes("with release/owner.json as it is", asIs, { tool, expected });
  await seesEachNode(asIs, tool);

  const filled = join(folder, "filled");
  await stage("", filled, FILLED);
  await passes("with the owner's fields filled in", filled, { tool, expected: [] });

  await findsWhatIsWrong(filled, tool);
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

/**
 * @param {string} what
 * @param {string} packed
 * @param {{ tool: import("./flow-library/scorecard.mjs").Tool, expected: string[] }} options
 */
async function passes(what, packed, { tool, expected }) {
  const { problems } = await scorecardOf(tool, packed, answers);
  const others = [...problems].filter(([check]) => !expected.includes(check)).map(([, problem]) => problem);
  const awaited = expected.map((check) => `${check} waits for the owner`).join(", ");
  say(
    others.length === 0,
    `The scorecard ${what}: ${others.join("; ") || (awaited ? `green, ${awaited}` : "green")}`,
  );
}

/**
 * @param {string} packed
 * @param {import("./flow-library/scorecard.mjs").Tool} tool
 */
async function seesEachNode(packed, { typesIn }) {
  const { "node-red": listed } = await readJson(join(packed, "package.json"));
  for (const [name, file] of Object.entries(listed.nodes)) {
    const type = typesIn(join(packed, file.replace(/\.js$/, ".html")))[`crec-${name}`];
    const { category, color = "no color", defaults = {} } = type ?? {};
    const isFound = category !== undefined && (category === "config" || type?.color !== undefined);
    const count = Object.keys(defaults).length;
    const isWhole = isFound && count > 0;
    say(
      isWhole,
      `crec-${name}: ${isWhole ? `${category}, ${color}, ${count} properties` : `not seen whole: ${JSON.stringify(type)}`}`,
    );
  }
}

/**
 * The same run must find what it is there for.
 *
 * @param {string} packed
 * @param {import("./flow-library/scorecard.mjs").Tool} tool
 */
async function findsWhatIsWrong(packed, tool) {
  const spoilt = join(folder, "spoilt");
  await cp(packed, spoilt, { recursive: true });
  const form = join(spoilt, "dist/nodes/ack.html");
  await writeFile(form, (await readFile(form, "utf8")).replace("registerType(", "registerType(("));
  const manifest = await readJson(join(spoilt, "package.json"));
  await writeFile(join(spoilt, "package.json"), JSON.stringify({ ...manifest, keywords: [] }));
  const taken = { modules: [{ id: "another-package", types: ["crec-alert"] }] };
  const { problems } = await scorecardOf(tool, spoilt, { ...answers, [CATALOGUE]: taken });
  const found = [...problems.keys()].sort().join(", ");
  say(
    found === "N01, P05, parse",
    `A package with a broken form, a taken type and no keyword: it finds ${found || "nothing"}`,
  );
}

/**
 * @param {boolean} isRight
 * @param {string} sentence
 */
function say(isRight, sentence) {
  process.stdout.write(`${isRight ? "ok" : "FAILED"}  ${sentence}\n`);
  if (!isRight) process.exitCode = 1;
}
