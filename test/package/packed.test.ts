import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import should from "should";
import { runNpm } from "../../scripts/lib/npm-command.mjs";
import { targetsOf } from "../../scripts/packing/links.mjs";
import { packedTexts } from "../../scripts/packing/packed-texts.mjs";
import { pack, stage, unpack } from "../../scripts/packing/stage.mjs";
import { swapIn, swapOut } from "../../scripts/packing/swap.mjs";
import { withWebLinks } from "../../scripts/packing/web-links.mjs";
import { linkProblems } from "../../scripts/release/link-problems.mjs";
import { differences } from "../../scripts/release/published.mjs";
import { builtWithTypes } from "../support/built.ts";
import { FILLED_OWNER, UNSET_OWNER } from "./owners.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = async (path: string) => readFile(join(root, path), "utf8");
const { version } = JSON.parse(await read("package.json")) as { version: string };
const GITHUB = "https://github.com/somebody/node-red-crec";

describe("the packed texts", () => {
  it("name the owner in package.json, and leave out what is unset", async () => {
    const filled = JSON.parse((await packedTexts("", FILLED_OWNER)).get("package.json") ?? "");
    should(filled).containDeep({
      author: "Somebody <somebody@mail.test>",
      homepage: "https://somebody.test/node-red-crec",
      repository: { type: "git", url: `git+${GITHUB}.git` },
      bugs: { url: `${GITHUB}/issues` },
    });
    should(filled.repository).not.have.property("directory");
    const ofService = JSON.parse((await packedTexts("service", FILLED_OWNER)).get("package.json") ?? "");
    should(ofService.repository).have.property("directory", "service");

    const unset = JSON.parse((await packedTexts("", UNSET_OWNER)).get("package.json") ?? "");
    should(unset).deepEqual(JSON.parse(await read("package.json")));
  });

  it("refuse a field that is not what it should be", async () => {
    const wrong = { ...FILLED_OWNER, repository: "somebody/node-red-crec" };
    await should(packedTexts("", wrong)).be.rejectedWith(
      /"repository" cannot be "somebody\/node-red-crec"\. Write /,
    );
  });

  it("have every link of README.md as an address at the version's tag", async () => {
    const own = targetsOf(await read("README.md")).filter((target) => !/^(?:https?:|#)/.test(target));
    should(own.length).be.above(40);
    const texts = await packedTexts("", FILLED_OWNER);
    const packed = targetsOf(texts.get("README.md") ?? "");
    should(packed).containEql(`${GITHUB}/blob/v${version}/docs/custody.md`);
    should(packed).containEql(FILLED_OWNER.homepage);
    should(packed).containEql(
      `https://raw.githubusercontent.com/somebody/node-red-crec/v${version}/docs/images/quickstart.png`,
    );
    for (const text of texts.values()) {
      should(targetsOf(text).filter((target) => !/^(?:https?:|#)/.test(target))).be.empty();
    }
  });

  it("have the text without the link while the owner's address is unknown, and no picture", async () => {
    const readme = (await packedTexts("", UNSET_OWNER)).get("README.md") ?? "";
    should(readme).match(/the guide keys in custody\./);
    should(readme).not.match(/!\[|\]\((?!https?:|#)/);
    should(readme).not.match(/github\.com|undefined/);
  });

  it("leave out what is only for the repository", async () => {
    should(await read("README.md")).match(/not on npm yet/);
    for (const owner of [FILLED_OWNER, UNSET_OWNER]) {
      const readme = (await packedTexts("", owner)).get("README.md") ?? "";
      should(readme).not.match(/not on npm yet|repository only/);
      should(readme).match(/npx @crec-nodes\/local-service --local/);
    }
  });

  it("keep code, anchors and addresses as they are", () => {
    const text = "`[a](b.md)` [c](#d) [`e`](https://nodered.org) [`f`](../g.md#h)\n```\n[i](j.md)\n```\n";
    const of = { owner: FILLED_OWNER, version: "1.2.3", folder: "docs" };
    should(withWebLinks(text, of)).equal(text.replace("../g.md", `${GITHUB}/blob/v1.2.3/g.md`));
    should(withWebLinks(text, { ...of, owner: UNSET_OWNER })).equal(text.replace("[`f`](../g.md#h)", "`f`"));
  });
});

describe("the packed package", function () {
  this.timeout(120_000);
  let folder: string;
  before(async () => {
    await builtWithTypes();
    folder = await mkdtemp(join(tmpdir(), "crec packed "));
  });
  after(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));

  it("has no link that leads nowhere, in texts, help and examples, with an owner and without", async () => {
    const staged = join(folder, "staged");
    await stage("", staged);
    for (const owner of [FILLED_OWNER, UNSET_OWNER]) {
      for (const [file, text] of await packedTexts("", owner)) await writeFile(join(staged, file), text);
      should(await linkProblems(staged, { owner, version })).deepEqual([]);
    }
    should((await pack(staged, folder)).files).containEql("examples/01-quickstart.json");
  });

  it("has nothing that publishing checks complain about, with the owner's fields filled in", async () => {
    const staged = join(folder, "staged");
    for (const [file, text] of await packedTexts("", FILLED_OWNER)) await writeFile(join(staged, file), text);
    const { messages, pkg } = await publint({ pkgDir: staged, strict: true });
    should(messages.map((message) => formatMessage(message, pkg))).be.empty();
  });

  it("is found by the words that people search for, and says what it is in a line", async () => {
    // The palette searches the name, the keywords and the types.
    const searched = [
      ...["node-red", "chainlink", "cre", "web3", "evm", "ethereum", "blockchain", "smart-contract", "event"],
      ...["watch", "monitor", "monitoring", "alert", "alerting", "wallet", "transaction", "erc20", "token"],
      ...["oracle", "proof", "iot"],
    ];
    const manifest = JSON.parse((await packedTexts("", FILLED_OWNER)).get("package.json") ?? "");
    should(searched.filter((word) => !manifest.keywords.includes(word))).be.empty();
    should(new Set(manifest.keywords).size).equal(manifest.keywords.length);
    should(manifest.description.length).be.within(60, 180);
    should(manifest.description).match(/Node-RED/);
  });

  it("is searched for links everywhere: in texts, help, translated help and examples", async () => {
    const staged = join(folder, "with links");
    await mkdir(join(staged, "dist/nodes/locales/de"), { recursive: true });
    await mkdir(join(staged, "examples"));
    const script = (type: string, text: string) => `<script type="${type}">\n${text}\n</script>\n`;
    const help = script("text/markdown", "[a](custody.md)") + script("text/javascript", 'x = "[b](b.md)";');
    await writeFile(
      join(staged, "README.md"),
      `[c](${GITHUB}/blob/v${version}/docs/nothing.md) ![d](images/d.png)\n`,
    );
    await writeFile(
      join(staged, "CHANGELOG.md"),
      `[e](${GITHUB}/blob/v${version}/README.md#nothing) [f](#f)\n`,
    );
    await writeFile(join(staged, "dist/nodes/ack.html"), help);
    await writeFile(join(staged, "dist/nodes/locales/de/ack.html"), '<a href="g.html">g</a>');
    await writeFile(
      join(staged, "examples/01.json"),
      JSON.stringify([{ info: "[h](https://evil.test/h)" }, {}]),
    );
    const problems = await linkProblems(staged, { owner: FILLED_OWNER, version });
    should(problems.map((problem) => problem.split(": ", 1)[0]).sort()).deepEqual([
      ...["CHANGELOG.md", "CHANGELOG.md", "README.md", "README.md"],
      ...["dist/nodes/ack.html", "dist/nodes/locales/de/ack.html", "examples/01.json"],
    ]);
  });
});

describe("the order of the files in a package", () => {
  it("changes no file, whatever its path, and leaves all to be read by npm and tar", async () => {
    const folder = await mkdtemp(join(tmpdir(), "crec order "));
    // Too long for the header of a file, and with letters that it has not.
    const long = `locales/${"a-long-name-".repeat(12)}/ä/texts.json`;
    const contents = new Map([
      ["package.json", JSON.stringify({ name: "@crec-nodes/of-a-test", version: "1.0.0" })],
      [long, "{}"],
      ["de/a.json", "x".repeat(600)],
      ["en/a.json", ""],
    ]);
    for (const [file, text] of contents) {
      await mkdir(dirname(join(folder, "own", file)), { recursive: true });
      await writeFile(join(folder, "own", file), text);
    }
    const { filename, size, files } = await pack(join(folder, "own"), folder);
    should(files.sort()).deepEqual([...contents.keys()].sort());
    should((await readFile(join(folder, filename))).length).equal(size);
    await unpack(join(folder, filename), join(folder, "unpacked"));
    should(await differences(join(folder, "own"), join(folder, "unpacked"))).deepEqual([]);
    const args = [
      "install",
      join(folder, filename),
      "--offline",
      "--no-audit",
      "--no-fund",
      "--prefix",
      folder,
    ];
    await runNpm(args, { cwd: folder });
    const installed = join(folder, "node_modules/@crec-nodes/of-a-test");
    should(await differences(join(folder, "own"), installed)).deepEqual([]);
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  });
});

describe("the files that npm pack puts in place", () => {
  let folder: string;
  const texts = new Map([["README.md", "packed"]]);
  const readme = () => readFile(join(folder, "README.md"), "utf8");
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "crec swap "));
    await writeFile(join(folder, "README.md"), "own");
  });
  afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));

  it("are taken back afterwards", async () => {
    await swapIn(folder, texts);
    should(await readme()).equal("packed");
    await swapOut(folder);
    should(await readme()).equal("own");
    await swapOut(folder);
    should(existsSync(join(folder, ".cache/packing"))).be.false();
  });

  it("are taken back by the next run when one was stopped in between", async () => {
    await swapIn(folder, texts);
    await swapIn(folder, new Map([["README.md", "packed again"]]));
    should(await readme()).equal("packed again");
    await swapOut(folder);
    should(await readme()).equal("own");
  });

  it("are left alone, with a sentence, when somebody has changed them meanwhile", async () => {
    await swapIn(folder, texts);
    await writeFile(join(folder, "README.md"), "changed");
    await should(swapOut(folder)).be.rejectedWith(/README\.md was changed after .*Put your change there/);
    should(await readme()).equal("changed");
  });
});

describe("npm publish in the folder of the package", () => {
  it("is refused, because npm would tell the registry what the files say in the repository", async () => {
    const { scripts } = JSON.parse(await read("package.json")) as { scripts: Record<string, string> };
    const [, file = ""] = (scripts.prepublishOnly ?? "").split(" ");
    await should(promisify(execFile)(process.execPath, [join(root, file)])).be.rejectedWith(
      /npm run package/,
    );
  });
});
