import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import should from "should";
import { withResults } from "../../bench/page.ts";
import { brokenLinks } from "../../scripts/lib/site-links.mjs";
import { examplePages } from "../../site/lib/examples.mjs";
import { imageOnSite, linkOnSite } from "../../site/lib/links.mjs";
import { sidebar } from "../../site/lib/navigation.mjs";
import { baseOf, sourcePages } from "../../site/lib/places.mjs";

const pages = sourcePages();
const repository = "https://git.example/owner/name";
const without = { pages, repository: "" };

describe("the documentation as a site", () => {
  it("turns links to files into links to pages", () => {
    should(linkOnSite("first-flow.md#a-part", "docs/README.md", without)).equal("/first-flow.md#a-part");
    should(linkOnSite("docs/nodes/README.md", "README.md", without)).equal("/nodes/index.md");
    should(linkOnSite("../README.md", "docs/README.md", without)).equal("/index.md");
    should(linkOnSite("../../examples/01-quickstart.json", "docs/nodes/ack.md", without)).equal(
      "/examples/01-quickstart.md",
    );
    should(linkOnSite("../examples", "docs/README.md", without)).equal("/examples/index.md");
    should(linkOnSite("https://example.org", "README.md", without)).equal("https://example.org");
  });

  it("links to the repository for all other files, and not at all while there is none", () => {
    should(linkOnSite("LICENSE", "README.md", { pages, repository })).equal(
      `${repository}/blob/HEAD/LICENSE`,
    );
    should(linkOnSite("LICENSE", "README.md", without)).be.undefined();
    should(() => linkOnSite("missing.txt", "README.md", without)).throw(/does not exist/);
  });

  it("shows pictures of this repository only", () => {
    should(imageOnSite("../images/ack.png", "docs/nodes/ack.md")).equal("/images/ack.png");
    should(() => imageOnSite("https://example.org/a.png", "README.md")).throw(/no.*other hosts|nothing from/);
  });

  it("is made for the path at which the owner publishes it", () => {
    should(baseOf({ homepage: "", repository: "" })).equal("/");
    should(baseOf({ homepage: "https://owner.example/name", repository })).equal("/name/");
    should(baseOf({ homepage: `${repository}#readme`, repository })).equal("/");
  });

  it("lists each guide, and has a page for each example", () => {
    const links = JSON.stringify(sidebar());
    const guides = [...pages].filter(([file]) => /^docs\/[^/]+\.md$/.test(file) && file !== "docs/README.md");
    should(guides.filter(([, page]) => !links.includes(`"/${page}"`))).be.empty();
    const [, text] = [...examplePages()].find(([page]) => page === "examples/01-quickstart.md") ?? [];
    should(text).match(/^# Quickstart\n\n!\[[^\]]+\]\(\/images\/quickstart\.png\)/);
  });
});

describe("the check of the built site", () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "site-"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function problemsOf(files: Record<string, string>) {
    await rm(folder, { recursive: true, force: true });
    for (const [file, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), text);
    }
    return (await brokenLinks(folder, "/docs/")).problems;
  }

  it("accepts links and pictures that lead somewhere", async () => {
    const problems = await problemsOf({
      "index.html": '<a href="/docs/nodes/#a">x</a><a href="nodes/ack.html">x</a><img src="/docs/a.png">',
      "nodes/index.html": '<h2 id="a">A</h2><a href="../index.html">x</a><a href="https://example.org">x</a>',
      "nodes/ack.html": "",
      "a.png": "",
    });
    should(problems).be.empty();
  });

  it("reports missing pages, anchors and pictures, and all that other hosts serve", async () => {
    const problems = await problemsOf({
      "index.html":
        '<a href="/docs/none.html">x</a><a href="/other/">x</a><a href="#b">x</a><img src="b.png"><script src="https://cdn.example/x.js"></script>',
      "a.css": "@font-face { src: url(//fonts.example/a.woff2) } b { background: url(data:image/png,x) }",
    });
    should(problems).deepEqual([
      "index.html leads to /docs/none.html, which is not there.",
      "index.html leads to /other/, which is not there.",
      "index.html leads to #b: the page has no such anchor.",
      "index.html leads to b.png, which is not there.",
      "index.html loads https://cdn.example/x.js: pages load nothing from elsewhere.",
      "a.css loads //fonts.example/a.woff2: pages load nothing from elsewhere.",
    ]);
  });
});

describe("the page of benchmarks", () => {
  const results = (name: string, value: string) => ({
    name,
    about: `what ${name} measures`,
    date: "2026-01-02",
    machine: "2 × CPU\nNode.js 24",
    parts: [{ title: "A part", measured: [{ what: "a | b", value }] }],
  });

  it("keeps what is written by hand, and replaces the section of the benchmark", () => {
    const head = "# Benchmarks\n\n## How to read the figures\n\nText.\n";
    const once = withResults(withResults(head, results("proofs", "1")), results("events", "2"));
    const twice = withResults(once, results("proofs", "3"));
    should(twice).startWith(head);
    should(twice.match(/^## .+$/gm)).deepEqual(["## How to read the figures", "## events", "## proofs"]);
    should(twice).containEql("| a \\| b | 3 |");
    should(twice).not.containEql("| a \\| b | 1 |");
    should(twice).containEql("Measured 2026-01-02 on 2 × CPU. Node.js 24.");
  });
});
