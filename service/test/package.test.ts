import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { checkPackage, Package } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import should from "should";
import { flowEnvironment } from "../../scripts/lib/flow-environment.ts";
import { readOwner } from "../../scripts/lib/owner.mjs";
import { linkProblems } from "../../scripts/release/link-problems.ts";
import { eventually } from "../../test/support/eventually.ts";
import { helpText } from "../src/command-line.ts";
import type { nodeRedImport } from "../src/flow-variables.ts";
import type { ReadyInfo } from "../src/index.ts";
import { type Installed, installChain, installService } from "./installed.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const older = join(root, "test/support/older-node.cjs");

/** What a user gets with npx: the packed files, and of other packages only the chain for the platform. */
describe("the package of the local service", function () {
  this.timeout(120_000);

  let folder: string;
  let installed: string;
  let command: string;
  let packed: Installed["packed"];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "crec-service package "));
    ({ path: installed, packed } = await installService(folder));
    command = join(installed, "bin/crec-service.cjs");
  });
  after(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));

  /** The command with an environment that has nothing of this machine. */
  async function call(args: string[], env: Record<string, string> = {}, flags: string[] = []) {
    const child = execFile(process.execPath, [...flags, command, ...args], { env: { HOME: folder, ...env } });
    let [output, errors] = ["", ""];
    child.stdout?.on("data", (chunk) => {
      output += chunk;
    });
    child.stderr?.on("data", (chunk) => {
      errors += chunk;
    });
    const [code] = await once(child, "close");
    return { code, output, errors };
  }

  it("holds the built service, its contracts and its page, and nothing else", () => {
    const allowed =
      /^(LICENSE|README\.md|package\.json|bin\/crec-service\.cjs|contracts\/artifacts\/\w+\.json|dist\/THIRD_PARTY_LICENSES|dist\/(chain\/)?[\w-]+\.js|dist\/start\.(cjs|d\.c?ts)|src\/page\/\w+\.mjs)$/;
    const { files } = packed;
    should(files.filter((path) => !allowed.test(path))).be.empty();
    should(files).containDeep(["LICENSE", "README.md", "dist/cli.js", "dist/chain/watchdog.js"]);
    should(files).containDeep(["dist/THIRD_PARTY_LICENSES", "contracts/artifacts/DemoToken.json"]);
    should(packed.size).be.below(1_000_000);
  });

  it("installs nothing but the chain of the platform, and runs no install script", async () => {
    const manifest = JSON.parse(await readFile(join(installed, "package.json"), "utf8"));
    should(manifest).not.have.properties(["private", "dependencies", "peerDependencies"]);
    should(Object.keys(manifest.optionalDependencies)).matchEach(/^@foundry-rs\/anvil-(linux|darwin|win32)-/);
    should(Object.keys(manifest.scripts)).not.matchAny(/install|^prepare$/);
    should(manifest.license).equal("Apache-2.0");
    const own = await readFile(join(root, "LICENSE"), "utf8");
    should(await readFile(join(installed, "LICENSE"), "utf8")).equal(own);
  });

  it("has nothing that publishing checks complain about", async () => {
    // All of its files are packed already.
    const { messages, pkg } = await publint({ pkgDir: installed, strict: true, pack: false });
    should(messages.map((message) => formatMessage(message, pkg))).be.empty();
  });

  it("has types that fit its code, for each kind of modules", async () => {
    const { name, version } = JSON.parse(await readFile(join(installed, "package.json"), "utf8"));
    const code = ["package.json", ...packed.files.filter((path) => /^dist\/start\./.test(path))];
    const files: Record<string, Uint8Array> = {};
    for (const file of code) files[`/node_modules/${name}/${file}`] = await readFile(join(installed, file));
    const checked = await checkPackage(new Package(files, name, version), { entrypoints: ["."] });
    should(checked).have.property("types").eql({ kind: "included" });
    should(checked).have.property("problems").eql([]);
  });

  it("has no link that leads nowhere", async () => {
    const { version } = JSON.parse(await readFile(join(installed, "package.json"), "utf8"));
    should(await linkProblems(installed, { owner: await readOwner(), version })).be.empty();
  });

  it("has the licences of the code that is bundled, all of them permissive", async () => {
    const text = await readFile(join(installed, "dist/THIRD_PARTY_LICENSES"), "utf8");
    for (const name of ["fastify", "viem", "ox", "graphql", "pino", "typebox"]) {
      should(text).match(new RegExp(`^${name} [\\d.]+ \\(MIT\\)$`, "m"));
    }
    const titles = [...text.matchAll(/^(?:@[\w-]+\/)?[\w.-]+ \d+\.\d+\.\d+\S* \((.+)\)$/gm)];
    should(titles.length).be.above(30);
    should(titles.map(([, licence]) => licence)).matchEach(/^(MIT|ISC|BSD-[23]-Clause|Apache-2\.0|0BSD)$/);
  });

  it("shows help and version, and says what to do about an option that it does not know", async () => {
    // The environment decides where data is by default.
    const env = { XDG_DATA_HOME: process.env.XDG_DATA_HOME ?? "", HOME: process.env.HOME ?? "" };
    should(await call(["--help"], env)).eql({ code: 0, output: `${helpText()}\n`, errors: "" });
    const { version } = JSON.parse(await readFile(join(root, "service/package.json"), "utf8"));
    should(await call(["--version"])).eql({ code: 0, output: `${version}\n`, errors: "" });
    const unknown = await call(["--prot", "1"]);
    should(unknown.code).equal(1);
    should(unknown.errors).match(
      /FATAL: Unknown option '--prot'\. Call it with --help to see all options\.\n$/,
    );
  });

  it("says on an older Node.js which one it needs, and loads nothing else", async () => {
    const { code, output, errors } = await call(["--local"], {}, ["--require", older]);
    should({ code, output }).eql({ code: 1, output: "" });
    should(errors).match(
      /^The local service needs Node\.js 22\.18\.0 or newer; this is 18\.20\.4\. Install .*\n$/,
    );
  });

  it("says how to go on where there is no chain", async () => {
    const { code, errors } = await call(["--port", "0"], { PATH: folder });
    should(code).equal(1);
    should(errors).match(
      /FATAL: The local chain needs anvil, .* --rpc-url or CREC_RPC_URL, or install Foundry/,
    );
  });

  describe("started", () => {
    let child: ChildProcess;
    let ready: ReadyInfo;
    let errors = "";
    const dataHome = () => join(folder, "data home");

    before(async () => {
      await installChain(folder);
      child = spawn(process.execPath, [command, "--local", "--port", "0"], {
        cwd: folder,
        env: { HOME: folder, XDG_DATA_HOME: dataHome(), LOCALAPPDATA: dataHome() },
        stdio: ["ignore", "pipe", "pipe"],
      });
      child.stderr?.on("data", (chunk) => {
        errors += chunk;
      });
      for await (const line of createInterface({ input: child.stdout ?? process.stdin })) {
        if (!line.startsWith("ready ")) continue;
        ready = JSON.parse(line.slice("ready ".length)) as ReadyInfo;
        return;
      }
      throw new Error(`The packed service ended before it was ready: ${errors}`);
    });
    after(() => child?.kill("SIGKILL"));

    it("says where its data is: in the user's folder for data, which only the user can read", async () => {
      const data = join(dataHome(), "crec-local-service");
      should(errors).containEql(`All data is in ${data}.`);
      if (process.platform !== "win32") should((await stat(data)).mode & 0o777).equal(0o700);
    });

    it("answers, with its page and its contracts", async () => {
      const page = await (await fetch(ready.base_url)).text();
      should(page).containEql("/local/page/timeline.mjs").and.containEql("/local/node-red.json");
      const script = await fetch(`${ready.base_url}/local/page/timeline.mjs`);
      should(await script.text()).equal(await readFile(join(root, "service/src/page/timeline.mjs"), "utf8"));
      const networks = await fetch(`${ready.base_url}/networks`, {
        headers: { authorization: `Apikey ${ready.api_key}` },
      });
      should(networks.status).equal(200);
    });

    it("gives Node-RED what the example flows read, as an import and as a file", async () => {
      await eventually("the next steps", () => errors.includes("Ctrl-C stops it") || undefined);
      const url = `${ready.base_url}/local/node-red.json`;
      should(errors).containEql(url);
      const [imported] = (await (await fetch(url)).json()) as ReturnType<typeof nodeRedImport>;
      const values = Object.fromEntries(imported?.env.map(({ name, value }) => [name, value]) ?? []);
      const { CREC_SIGNER_KEY: signerKey, ...ofService } = values;
      should(signerKey).match(/^[0-9a-f]{64}$/);
      // The same as npm start sets, but for files, which are not about the service.
      const started = Object.entries(flowEnvironment(ready)).filter(([name]) =>
        /^CREC_.*(?<!_FILE)$/.test(name),
      );
      should(ofService).eql(Object.fromEntries(started));
      const file = join(dataHome(), "crec-local-service/node-red.env");
      const lines = (await readFile(file, "utf8")).trim().split("\n");
      should(lines).eql(Object.entries(values).map(([name, value]) => `${name}=${value}`));
      if (process.platform !== "win32") should((await stat(file)).mode & 0o777).equal(0o600);
    });

    it("gives the settings to no page of another origin", async () => {
      const { status } = await fetch(`${ready.base_url}/local/node-red.json`, {
        headers: { "sec-fetch-site": "cross-site" },
      });
      should(status).equal(403);
    });

    it("ends with its chain at Ctrl-C", async () => {
      const exited = once(child, "exit");
      child.kill("SIGINT");
      should((await exited)[0]).equal(0);
      await eventually("the end of the chain", async () =>
        (await fetch(ready.rpc_url).catch(() => undefined)) === undefined ? true : undefined,
      );
    });
  });
});
