import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import should from "should";
import { runNpm } from "../../scripts/lib/npm-command.mjs";
import { builtWithTypes } from "../support/built.ts";
import { registeredBy } from "../support/registered-forms.ts";
import { typesIn } from "./flow-library.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));
const NAME = "@crec-nodes/node-red-crec";

/** What was built, as a program that installs the package finds, whichever way it imports it. */
describe("the package", function () {
  this.timeout(120_000);

  let folder: string;
  let tarball: string;

  before(async () => {
    await builtWithTypes();
    folder = await mkdtemp(join(tmpdir(), "crec-package-"));
    const { stdout } = await runNpm(["pack", "--json", "--ignore-scripts", "--pack-destination", folder], {
      cwd: root,
    });
    // A list, and since npm 12 an object by name.
    const [packed] = Object.values<{ filename: string }>(JSON.parse(stdout));
    tarball = join(folder, packed?.filename ?? "");
    const installed = join(folder, "node_modules", NAME);
    await mkdir(installed, { recursive: true });
    await run("tar", ["-xzf", tarball, "--strip-components=1", "-C", installed]);
  });
  after(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));

  it("has nothing that publishing checks complain about", async () => {
    const { messages, pkg } = await publint({ pkgDir: join(folder, "node_modules", NAME), strict: true });
    should(messages.map((message) => formatMessage(message, pkg))).be.empty();
  });

  it("gives every kind of importer the types that are true for it", async () => {
    const { types, problems = [] } = (await checkPackage(
      createPackageFromTarballData(new Uint8Array(await readFile(tarball))),
    )) as { types: unknown; problems?: unknown[] };
    should(types).deepEqual({ kind: "included" });
    should(problems).be.empty();
  });

  for (const [file, module] of [
    ["program.mts", "nodenext"],
    ["program.cts", "nodenext"],
    ["program.ts", "preserve"],
  ] as const) {
    itWide(
      `compiles in a strict ${file} with module ${module}, without types of any other package`,
      async () => {
        await writeFile(join(folder, file), PROGRAM);
        const flags = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--noEmit"];
        const target = ["--module", module, "--target", "es2024", "--lib", "es2024,dom", "--types", ""];
        const tsc = join(root, "node_modules/typescript/bin/tsc");
        const { stdout } = await run(process.execPath, [tsc, ...flags, ...target, file], {
          cwd: folder,
        }).catch((error: { stdout: string }) => error);
        should(stdout).equal("");
      },
    );
  }

  it("is one and the same for import and require", async () => {
    const program = `
      import { createRequire } from "node:module";
      import * as imported from "${NAME}";
      const required = createRequire(import.meta.url)("${NAME}");
      const differing = Object.keys(required).filter((name) => required[name] !== imported[name]);
      console.log(JSON.stringify([Object.keys(required).length > 40, differing]));`;
    await writeFile(join(folder, "same.mjs"), program);
    const { stdout } = await run(process.execPath, ["same.mjs"], { cwd: folder });
    should(JSON.parse(stdout)).deepEqual([true, []]);
  });

  it("shows the flow library each node type, with category, color and properties", async () => {
    const installed = join(folder, "node_modules", NAME);
    const { "node-red": listed } = JSON.parse(await readFile(join(installed, "package.json"), "utf8"));
    should(Object.keys(listed.nodes)).not.be.empty();
    const resources = pathToFileURL(`${installed}/resources/`);
    for (const [name, file] of Object.entries<string>(listed.nodes)) {
      const html = await readFile(join(installed, file.replace(/\.js$/, ".html")), "utf8");
      const { [`crec-${name}`]: seen, ...others } = typesIn(html);
      should(others).be.empty();
      should(seen?.category).equalOneOf("CRE Connect", "config");
      should(String(seen?.color)).match(seen?.category === "config" ? /^undefined$/ : /^#[0-9a-f]{6}$/);
      const registered = registeredBy<{ defaults: object }>(html, resources)[`crec-${name}`];
      should(seen?.defaults).deepEqual(Object.keys(registered?.defaults ?? {}));
    }
  });
});

/** Names from every part, with statuses that this version does not know. */
const PROGRAM = `
import { CrecClient, EventConsumer, localRsaSigner, openSharedState, type SharedState, type TakenLease, verifyEvent, type Operation, type Signer, unlisted, type VerifyConfig } from "${NAME}";
import { itWide } from "../support/wide.ts";

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
