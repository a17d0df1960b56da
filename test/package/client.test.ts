import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { checkPackage, Package } from "@arethetypeswrong/core";
import { type BuildOptions, build, type OutputFile } from "esbuild";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import should from "should";
import { stage } from "../../scripts/packing/stage.ts";
import { dependencyProblems } from "../../scripts/release/checks.ts";
import { linkProblems } from "../../scripts/release/link-problems.ts";
import { sendJson, startServer } from "../http/support.ts";
import { caseNamed, configOf, proofCases } from "../proofs/fixtures.ts";
import { builtClient } from "../support/built-client.ts";
import { itWide } from "../support/wide.ts";

const run = promisify(execFile);
const NAME = "@crec-nodes/client";
const TSC = fileURLToPath(new URL("../../node_modules/typescript/bin/tsc", import.meta.url));
const OWNER = {
  repository: "https://github.com/somebody/node-red-crec",
  author: "Somebody <somebody@mail.test>",
  homepage: "https://somebody.test/node-red-crec",
  securityContact: "security@mail.test",
  conductContact: "https://somebody.test/conduct",
};

/** What is packed for programs, as those find it that install it. */
describe("the package of the client", function () {
  this.timeout(120_000);

  let folder: string;
  let installed: string;
  let manifest: Record<string, string>;

  before(async () => {
    await builtClient();
    folder = await mkdtemp(join(tmpdir(), "crec-client-"));
    installed = join(folder, "node_modules", NAME);
    await stage("client", installed, OWNER);
    manifest = JSON.parse(await readFile(join(installed, "package.json"), "utf8"));
  });
  after(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));

  it("has each file that package.json names, needs no other package, and has nothing that publishing checks complain about", async () => {
    should(dependencyProblems({ ...manifest, name: NAME })).be.empty();
    const { messages, pkg } = await publint({ pkgDir: installed, strict: true, pack: false });
    should(messages.map((message) => formatMessage(message, pkg))).be.empty();
    should(await linkProblems(installed, { owner: OWNER, version: manifest.version ?? "" })).deepEqual([]);
  });

  it("gives import and require the same classes in one process", async () => {
    await writeFile(
      join(folder, "same.mjs"),
      `
      import { createRequire } from "node:module";
      import * as imported from "${NAME}";
      const required = createRequire(import.meta.url)("${NAME}");
      const names = Object.keys(required).filter((name) => name !== "__esModule");
      console.log(JSON.stringify([names.length > 100, names.filter((name) => required[name] !== imported[name])]));`,
    );
    const { stdout } = await run(process.execPath, ["same.mjs"], { cwd: folder });
    should(JSON.parse(stdout)).deepEqual([true, []]);
  });

  it("has the same names as ES modules and as CommonJS", async () => {
    const program = `
      const names = (all) => Object.keys(all).filter((name) => name !== "__esModule").sort().join();
      for (const entry of ["index", "testing"])
        import(\`./dist/\${entry}.js\`).then((all) => console.log(names(all) === names(require(\`./dist/\${entry}.cjs\`))));`;
    const { stdout } = await run(process.execPath, ["--eval", program], { cwd: installed });
    should(stdout).equal("true\ntrue\n");
  });

  it("knows its errors and trusts its fakes across copies: ES modules, CommonJS, and each entry of that", async () => {
    await writeFile(
      join(folder, "copies.mjs"),
      `
      import { createRequire } from "node:module";
      import { createVerifier, CrecError, isCrecError } from "${NAME}";
      const { fakeChannel } = createRequire(import.meta.url)("./node_modules/${NAME}/dist/testing.cjs");
      const fake = fakeChannel({ abi: "event Paused()" });
      let refusal;
      try { fake.event("Resumed"); } catch (error) { refusal = error; }
      const { verified } = await createVerifier(fake.verification).verify(fake.event("Paused"));
      console.log(refusal instanceof CrecError, isCrecError(refusal), verified);`,
    );
    const { stdout } = await run(process.execPath, ["copies.mjs"], { cwd: folder });
    should(stdout).equal("false true true\n");
  });

  it("has no string that continues on the next line: tools that indent code change such a string", async () => {
    for (const file of await readdir(join(installed, "dist"), { recursive: true })) {
      if (!/\.c?js$/.test(file)) continue;
      const text = await readFile(join(installed, "dist", file), "utf8");
      should(/\\\r?\n/.test(text)).be.false(`${file} has a line continuation`);
    }
  });

  it("prints a short line where an error of it ends a program", async () => {
    const call = `({ CrecClient }) => new CrecClient({ baseUrl: "of no service", apiKey: "key-of-a-test" })`;
    for (const load of ['import("./dist/index.js")', 'Promise.resolve(require("./dist/index.cjs"))']) {
      const ended = run(process.execPath, ["--eval", `${load}.then(${call})`], { cwd: installed });
      const { stderr } = await ended.catch((error: { stderr: string }) => error);
      should(stderr).match(/ArgumentError: The base URL must be/);
      should(stderr.length).be.below(3_000);
    }
  });

  it("costs a bundle what it uses: each constant at most 25 kB, verifyEvent 330 kB", async () => {
    const library = (await import(join(installed, "dist/index.js"))) as Record<string, unknown>;
    const constants = Object.keys(library).filter((name) => typeof library[name] !== "function");
    should(constants.length).be.above(20);
    const sizes = await sizesOf([...constants, "verifyEvent"]);
    should(sizes.size).equal(constants.length + 1);
    for (const name of constants) should(sizes.get(name)).be.belowOrEqual(25_000, name);
    should(sizes.get("verifyEvent")).be.belowOrEqual(330_000);
  });

  it("runs in a bundle without its package: esbuild's ES module makes a request and checks a proof", async () => {
    const proven = caseNamed(proofCases.find(({ expect }) => expect === "verified")?.name ?? "");
    const program = `
      import { CrecClient, verifyEvent } from "${NAME}";
      const [baseUrl, event, config] = process.argv.slice(2);
      const client = new CrecClient({ baseUrl, apiKey: "key-of-a-test" });
      const { name } = await client.channels.get("0f8fad5b-d9cb-469f-a165-70867728950e");
      await client.close();
      const { verified } = await verifyEvent(JSON.parse(event), JSON.parse(config));
      console.log(name, verified);`;
    const [code] = await bundled({ stdin: { contents: program, resolveDir: folder } });
    const server = await startServer((_request, response) => {
      sendJson(response, 200, { channel_id: "0f8fad5b-d9cb-469f-a165-70867728950e", name: "first" });
    });
    const alone = await mkdtemp(join(tmpdir(), "crec-bundle-"));
    try {
      await writeFile(join(alone, "bundle.mjs"), code?.text ?? "");
      const given = [server.url, JSON.stringify(proven.event), JSON.stringify(configOf(proven))];
      const { stdout } = await run(process.execPath, ["bundle.mjs", ...given], { cwd: alone });
      should(stdout).equal("first true\n");
    } finally {
      await server.close();
      await rm(alone, { recursive: true, force: true, maxRetries: 3 });
    }
  });

  it("names itself where a file of it is missing", async () => {
    const damaged = join(folder, "damaged");
    await cp(join(installed, "dist"), damaged, { recursive: true });
    await writeFile(join(damaged, "package.json"), '{ "type": "module" }');
    for (const file of ["fleet-redis.js", "fleet-redis.cjs"]) await rm(join(damaged, file));
    const program = `
      const opened = ({ openSharedState }) => openSharedState("redis://127.0.0.1:1").catch((error) => console.log(error.message));
      import("./index.js").then(opened).then(() => opened(require("./index.cjs")));`;
    const { stdout } = await run(process.execPath, ["--eval", program], { cwd: damaged });
    should(
      stdout.match(/the client of Redis\. Install @crec-nodes\/client again, then restart/g),
    ).have.length(2);
  });

  itWide("gives every kind of importer the types that are true for it", async () => {
    const files: Record<string, Uint8Array> = {};
    for (const name of await readdir(installed, { recursive: true })) {
      if (!/\.(?:c?js|json|d\.m?ts)$/.test(name)) continue;
      files[`/node_modules/${NAME}/${name}`] = await readFile(join(installed, name));
    }
    const checked = await checkPackage(new Package(files, NAME, manifest.version ?? ""));
    should(checked).have.property("types").eql({ kind: "included" });
    should(checked).have.property("problems").eql([]);
  });

  for (const [file, module] of [
    ["program.mts", "nodenext"],
    ["program.cts", "nodenext"],
    ["program.cts", "node16"],
    ["program.ts", "preserve"],
  ] as const) {
    itWide(`compiles in a strict ${file} with module ${module}, and has no default to import`, async () => {
      await writeFile(join(folder, file), PROGRAM);
      should(await compiled(file, module)).equal("");
      await writeFile(join(folder, file), `import client from "${NAME}";\nvoid client;\n`);
      should(await compiled(file, module)).match(/has no default export|can only be default-imported/);
    });
  }

  /** As users bundle it. */
  async function bundled(options: BuildOptions): Promise<OutputFile[]> {
    const { outputFiles } = await build({
      ...options,
      ...{ bundle: true, minify: true, format: "esm", platform: "node", write: false, logLevel: "silent" },
    });
    return outputFiles;
  }

  /** The size of a bundle that uses one name, for each. */
  async function sizesOf(names: readonly string[]): Promise<Map<string, number>> {
    const programs = join(folder, "programs");
    await mkdir(programs);
    const entryPoints = names.map((name) => join(programs, `${name}.mjs`));
    for (const [index, file] of entryPoints.entries()) {
      await writeFile(file, `import { ${names[index]} } from "${NAME}";\nconsole.log(${names[index]});\n`);
    }
    const files = await bundled({ entryPoints, outdir: join(folder, "bundles") });
    return new Map(files.map(({ path, contents }) => [basename(path, ".js"), contents.length]));
  }

  async function compiled(file: string, module: string): Promise<string> {
    const strict = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--noEmit"];
    const target = ["--module", module, "--target", "es2024", "--lib", "es2024,dom", "--types", ""];
    const tsc = run(process.execPath, [TSC, ...strict, "--esModuleInterop", ...target, file], {
      cwd: folder,
    });
    return (await tsc.catch((error: { stdout: string }) => error)).stdout;
  }
});

/** Names from every part, with statuses that this version does not know. */
const PROGRAM = `
import { CrecClient, EventConsumer, localRsaSigner, openSharedState, type SharedState, type TakenLease, verifyEvent, type Operation, type Signer, unlisted, type VerifyConfig } from "${NAME}";

export async function run(client: CrecClient, signer: Signer, config: VerifyConfig): Promise<string[]> {
  const seen: string[] = [];
  for await (const channel of client.channels.list()) seen.push(channel.status);
  const operation: Operation = await client.operations.get("a", "b");
  const status: string = operation.status;
  if (operation.status === "confirmed" || operation.status === unlisted("a status of tomorrow")) seen.push(status);
  const page = await client.events.poll("a", { offset: 1 });
  for (const event of page.events) {
    const result = await verifyEvent(event, config);
    if (result.verified) seen.push(...result.signers);
    else seen.push(result.reason, result.message);
  }
  await client.operations.send("a", { chain_selector: "1", address: "0x", transactions: [] }, signer);
  const shared: SharedState = await openSharedState("redis://127.0.0.1", { namespace: "crec" });
  const lease: TakenLease | undefined = await shared.take("alerts", { id: "1", name: "first" }, 30_000);
  seen.push(shared.label, String(lease?.epoch));
  return [...seen, typeof EventConsumer, typeof localRsaSigner];
}
`;
