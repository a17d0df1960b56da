import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { checkPackage, Package } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import should from "should";
import packageJson from "../../package.json" with { type: "json" };
import type { Owner } from "../../scripts/lib/owner.mjs";
import { targetsOf } from "../../scripts/packing/links.mjs";
import { packedTexts } from "../../scripts/packing/packed-texts.mjs";
import { stage } from "../../scripts/packing/stage.mjs";
import { withWebLinks } from "../../scripts/packing/web-links.mjs";
import { dependencyProblems, missingFileProblems } from "../../scripts/release/checks.mjs";
import { linkProblems } from "../../scripts/release/link-problems.mjs";
import { ownerProblems } from "../../scripts/release/owner-problems.mjs";
import { builtWithTypes } from "../support/built.ts";
import { itWide } from "../support/wide.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));
const NAME = "@crec-nodes/node-red-crec";
const { version } = packageJson;

/** Nobody's. */
const FILLED: Owner = {
  repository: "https://github.com/somebody/node-red-crec",
  author: "Somebody <somebody@mail.test>",
  homepage: "https://somebody.test/node-red-crec",
  securityContact: "security@mail.test",
  conductContact: "https://somebody.test/conduct",
};
const UNSET: Owner = { repository: "", author: "", homepage: "", securityContact: "", conductContact: "" };
const AT_TAG = `${FILLED.repository}/blob/v${version}`;

/** What is packed, as a program that installs the package finds it, whichever way it imports it. */
describe("the package", function () {
  this.timeout(120_000);

  let folder: string;
  let installed: string;

  before(async () => {
    await builtWithTypes();
    folder = await mkdtemp(join(tmpdir(), "crec-package-"));
    installed = join(folder, "node_modules", NAME);
    await stage("", installed, FILLED);
  });
  after(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));

  it("has each file that package.json names, needs no other package, and has nothing that publishing checks complain about", async () => {
    const manifest = JSON.parse(await readFile(join(installed, "package.json"), "utf8"));
    should(await missingFileProblems(installed, manifest)).be.empty();
    should(dependencyProblems(manifest)).be.empty();
    // All of its files are packed already.
    const { messages, pkg } = await publint({ pkgDir: installed, strict: true, pack: false });
    should(messages.map((message) => formatMessage(message, pkg))).be.empty();
    // Such checks find what is wrong.
    should(await missingFileProblems(installed, { ...manifest, main: "none.js" })).match([/has no none\.js/]);
    should(dependencyProblems({ dependencies: { a: "1" } })).match([/dependencies: a\./]);
  });

  it("has no link that leads nowhere, in texts, help and examples, with an owner and without", async () => {
    const staged = join(folder, "texts");
    await mkdir(staged);
    for (const [file, text] of await packedTexts("", UNSET)) {
      await mkdir(dirname(join(staged, file)), { recursive: true });
      await writeFile(join(staged, file), text);
    }
    should(await linkProblems(installed, { owner: FILLED, version })).deepEqual([]);
    should(await linkProblems(staged, { owner: UNSET, version })).deepEqual([]);
  });

  it("is searched for links everywhere: in texts, help, translated help and examples", async () => {
    const staged = join(folder, "with links");
    const files = {
      "README.md": `[c](${AT_TAG}/docs/nothing.md) ![d](images/d.png)\n`,
      "CHANGELOG.md": `[e](${AT_TAG}/README.md#nothing) [f](#f)\n`,
      "dist/nodes/ack.html":
        '<script type="text/markdown">[a](custody.md)</script><script type="text/javascript">"[b](b.md)"</script>',
      "dist/nodes/locales/de/ack.html": '<a href="g.html">g</a>',
      "examples/01.json": JSON.stringify([{ info: "[h](https://evil.test/h)" }, {}]),
    };
    for (const [file, text] of Object.entries(files)) {
      await mkdir(join(staged, file, ".."), { recursive: true });
      await writeFile(join(staged, file), text);
    }
    const problems = await linkProblems(staged, { owner: FILLED, version });
    should(problems.map((problem) => problem.split(": ", 1)[0]).sort()).deepEqual([
      ...["CHANGELOG.md", "CHANGELOG.md", "README.md", "README.md"],
      ...["dist/nodes/ack.html", "dist/nodes/locales/de/ack.html", "examples/01.json"],
    ]);
  });

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

  itWide("gives every kind of importer the types that are true for it", async () => {
    const names = [
      "package.json",
      ...(await readdir(join(installed, "dist"), { recursive: true })).map((name) => `dist/${name}`),
    ];
    const code = names.filter((name) =>
      /^[^/]+$|^dist\/(?:types\/.*|index)\.\w+$|^dist\/package\.json$/.test(name),
    );
    const files: Record<string, Uint8Array> = {};
    for (const name of code) files[`/node_modules/${NAME}/${name}`] = await readFile(join(installed, name));
    const checked = await checkPackage(new Package(files, NAME, version), { entrypoints: ["."] });
    should(checked).have.property("types").eql({ kind: "included" });
    should(checked).have.property("problems").eql([]);
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
});

describe("the packed texts", () => {
  it("name the owner in package.json, leave out what is unset, and refuse what cannot be an address", async () => {
    const manifestOf = async (part: string, owner: Owner) =>
      JSON.parse((await packedTexts(part, owner)).get("package.json") ?? "");
    should(await manifestOf("", FILLED)).containDeep({
      author: FILLED.author,
      homepage: FILLED.homepage,
      repository: { type: "git", url: `git+${FILLED.repository}.git` },
      bugs: { url: `${FILLED.repository}/issues` },
    });
    should((await manifestOf("service", FILLED)).repository).have.property("directory", "service");
    should(await manifestOf("", UNSET)).deepEqual(packageJson);
    await should(packedTexts("", { ...FILLED, repository: "somebody/node-red-crec" })).be.rejectedWith(
      /"repository" cannot be "somebody\/node-red-crec"\. Write /,
    );
    should(ownerProblems(FILLED)).be.empty();
    should(ownerProblems(UNSET).filter(({ isUnset }) => isUnset)).have.length(5);
    for (const [field, value] of [
      ["repository", "https://github.com/somebody/node-red-crec.git"],
      ["repository", "http://github.com/somebody/node-red-crec"],
      ["author", "somebody@mail.test"],
      ["homepage", "somebody.test"],
      ["securityContact", "Somebody"],
      ["conductContact", "somebody@mail"],
    ] as const)
      should(ownerProblems({ ...FILLED, [field]: value }).map((one) => one.field)).eql([field]);
  });

  it("have every link of README.md as an address at the version's tag, or the text alone without an owner", async () => {
    const readmeFor = async (owner: Owner) => (await packedTexts("", owner)).get("README.md") ?? "";
    const [filled, unset] = [await readmeFor(FILLED), await readmeFor(UNSET)];
    const picture = `${FILLED.repository}/v${version}/docs/images/quickstart.png`;
    should(targetsOf(filled)).containDeep([
      FILLED.homepage,
      picture.replace("github.com", "raw.githubusercontent.com"),
      `${AT_TAG}/docs/custody.md`,
    ]);
    should(targetsOf(filled).filter((target) => !/^(?:https?:|#)/.test(target))).be.empty();
    should(unset).match(/the guide keys in custody\./);
    should(unset).not.match(/!\[|\]\((?!https?:|#)|github\.com|undefined/);
    for (const readme of [filled, unset]) {
      should(readme).not.match(/not on npm yet|repository only/);
      should(readme).match(/npx @crec-nodes\/local-service --local/);
    }
    // Code, anchors and other addresses stay.
    const text = "`[a](b.md)` [c](#d) [`e`](https://nodered.org) [`f`](../g.md#h)\n```\n[i](j.md)\n```\n";
    should(withWebLinks(text, { owner: FILLED, version, folder: "docs" })).equal(
      text.replace("../g.md", `${AT_TAG}/g.md`),
    );
  });
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
