import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import should from "should";
import packageJson from "../../package.json" with { type: "json" };
import type { Owner } from "../../scripts/lib/owner.mjs";
import { targetsOf, withWebLinks } from "../../scripts/packing/links.ts";
import { packedTexts } from "../../scripts/packing/packed-texts.ts";
import { stage } from "../../scripts/packing/stage.ts";
import { dependencyProblems, missingFileProblems } from "../../scripts/release/checks.ts";
import { linkProblems } from "../../scripts/release/link-problems.ts";
import { ownerProblems } from "../../scripts/release/owner-problems.ts";
import { builtNodes } from "../support/built.ts";

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

/** What is packed, as Node-RED installs it. */
describe("the package", function () {
  this.timeout(120_000);

  let folder: string;
  let installed: string;

  before(async () => {
    await builtNodes();
    folder = await mkdtemp(join(tmpdir(), "crec-package-"));
    installed = join(folder, "node_modules", NAME);
    await stage("", installed, FILLED);
  });
  after(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));

  it("has each file that package.json names, needs no other package, and has nothing that publishing checks complain about", async () => {
    const manifest = JSON.parse(await readFile(join(installed, "package.json"), "utf8"));
    should(missingFileProblems(installed, manifest)).be.empty();
    should(dependencyProblems(manifest)).be.empty();
    // All of its files are packed already.
    const { messages, pkg } = await publint({ pkgDir: installed, strict: true, pack: false });
    should(messages.map((message) => formatMessage(message, pkg))).be.empty();
    // Such checks find what is wrong.
    const nodes = { "node-red": { nodes: { a: "none.js" } } };
    should(missingFileProblems(installed, { ...manifest, ...nodes })).match([/has no none\.js/]);
    should(dependencyProblems({ name: "n", dependencies: { a: "1" } })).match([
      /The package\.json of n has dependencies: a\./,
    ]);
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
