import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import { targetsOf as allTargetsOf, anchorsOf } from "../../scripts/packing/links.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Where the links and images of a text lead, without those to the web. */
const targetsOf = (text: string) => allTargetsOf(text).filter((target) => !/^[a-z]+:/i.test(target));

/** What is wrong with the links of a text that stands in this folder. */
function brokenIn(text: string, folder: string, own: string): string[] {
  return targetsOf(text).filter((target) => {
    const [path = "", anchor] = target.split("#");
    const file = path === "" ? own : join(folder, decodeURIComponent(path));
    if (relative(root, file).startsWith("..") || !existsSync(file)) return true;
    return anchor !== undefined && !anchorsOf(readFileSync(file, "utf8")).includes(anchor);
  });
}

const pages = [
  ...["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "containers/README.md", "service/README.md"],
  ...["SECURITY.md", "CODE_OF_CONDUCT.md", "SUPPORT.md", ".github/pull_request_template.md"],
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .map((file) => join("docs", file)),
];

describe("what is written", () => {
  it("leads nowhere that is not there: guides and pages of the repository", () => {
    const broken = pages.flatMap((file) => {
      const path = join(root, file);
      return brokenIn(readFileSync(path, "utf8"), dirname(path), path).map((target) => `${file}: ${target}`);
    });
    should(pages.length).be.above(40);
    should(broken).be.empty();
    // A page, an anchor and a picture that are not there are found.
    const wrong = "[a](none.md) [b](#none) ![c](images/none.png) [d](links.md) [e](https://none.example)";
    should(brokenIn(wrong, join(root, "docs"), join(root, "docs/README.md"))).have.length(4);
  });

  it("leads nowhere that is not there: comments and descriptions of the examples", () => {
    const folder = join(root, "examples");
    for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
      const nodes = JSON.parse(readFileSync(join(folder, file), "utf8")) as Array<{ info?: string }>;
      // They are read in the editor, far from the files of this package: only the web can be linked there.
      should(nodes.flatMap(({ info }) => targetsOf(info ?? ""))).deepEqual([], file);
    }
  });

  it("is found from the index of the guides, each page of it", () => {
    const index = readFileSync(join(root, "docs/README.md"), "utf8");
    const linked = targetsOf(index).map((target) => normalize(join("docs", target)));
    const guides = readdirSync(join(root, "docs")).filter(
      (file) => /\.md$/.test(file) && file !== "README.md",
    );
    should(guides.filter((file) => !linked.includes(join("docs", file)))).be.empty();
  });
});
