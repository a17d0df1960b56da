import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import should from "should";
import { builtWithTypes } from "../support/built.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));

/** The most bytes of the client of each engine, as it is and compressed. */
const MOST_BYTES = { postgres: [75_000, 25_000], redis: [310_000, 80_000] } as const;

/** Tells which engines are loaded, by each step. */
const STEPS = `
import { createRequire } from "node:module";
import { basename } from "node:path";
import { inspect } from "node:util";
import * as imported from "./dist/index.mjs";
const require = createRequire(process.cwd() + "/");
const loaded = () => Object.keys(require.cache).map((path) => basename(path)).filter((name) => name.startsWith("fleet-"));
const steps = [loaded()];
new imported.CrecClient({ baseUrl: "http://127.0.0.1:1", apiKey: "k" }).close();
steps.push(loaded());
for (const url of ["postgres://u:secret@127.0.0.1:1/d", "redis://u:secret@127.0.0.1:1"]) {
  const shared = await imported.openSharedState(url);
  steps.push(loaded());
  const error = await shared.take("key", { id: "1", name: "" }, 1).catch((reason) => reason);
  steps.push(error instanceof require("./dist/index.js").CrecError && error.code);
  steps.push(inspect(error).includes("secret"));
  await shared.close();
}
console.log(JSON.stringify(steps));
`;

describe("shared state in the package", () => {
  before(function () {
    this.timeout(120_000);
    return builtWithTypes();
  });

  it("loads the client of an engine when it is used, and no other", async () => {
    const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", STEPS], { cwd: root });
    should(JSON.parse(stdout)).deepEqual([
      ...[[], []],
      ...[["fleet-postgres.js"], "SHARED_STATE_UNREACHABLE", false],
      ...[["fleet-postgres.js", "fleet-redis.js"], "SHARED_STATE_UNREACHABLE", false],
    ]);
  });

  for (const [engine, [bytes, compressed]] of Object.entries(MOST_BYTES)) {
    it(`has the client of ${engine} as a small file of its own`, async () => {
      const text = await readFile(`${root}/dist/fleet-${engine}.js`);
      should(text.length).be.below(bytes);
      should(gzipSync(text).length).be.below(compressed);
    });
  }

  it("has no client in the library, and none of the library in a client", async () => {
    const library = await readFile(`${root}/dist/index.js`, "utf8");
    should(library).not.match(/EVALSHA|pg_advisory_xact_lock/);
    for (const engine of Object.keys(MOST_BYTES)) {
      should(await readFile(`${root}/dist/fleet-${engine}.js`, "utf8")).not.containEql("class CrecError");
    }
  });

  it("names the licence of each package that is in a client", async () => {
    const all = await readFile(`${root}/dist/THIRD_PARTY_LICENSES`, "utf8");
    for (const name of ["postgres 3.4.9 (Unlicense)", "ioredis 6.0.0 (MIT)", "denque 2.1.0 (Apache-2.0)"]) {
      should(all).match(new RegExp(`^${name.replaceAll(/[.()]/g, "\\$&")}$`, "m"));
    }
  });
});
