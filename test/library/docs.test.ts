import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import should from "should";
import type { RunningService } from "../../service/src/index.ts";
import { isTrue, ProgramFolder, telling } from "../support/program.ts";
import { flowEnvironment, startTestService } from "../support/service.ts";

/** The `ts` blocks of a page as one program, each line where it stands in the page. */
function programOf(page: string): string {
  const text = readFileSync(fileURLToPath(new URL(`../../${page}`, import.meta.url)), "utf8");
  let inside = false;
  const lines = text.split("\n").map((line, index) => {
    const fence = line.startsWith("```");
    if (fence) inside = line === "```ts";
    return inside && !fence ? telling(line, `${page}:${index + 1}`) : "";
  });
  return `import { tell } from "./tell.mts"; ${lines.join("\n")}\nvoid tell;\n`;
}

const PAGES = ["client/README.md", "docs/library.md", "docs/testing.md"];
/** The file of a page's program. */
const fileOf = (page: string) => page.replaceAll(/\W/g, "-").replace(/md$/, "program.mts");

describe("the programs in client/README.md, docs/library.md and docs/testing.md", function () {
  this.timeout(120_000);

  let service: RunningService;
  let folder: ProgramFolder;

  before(async () => {
    service = await startTestService();
    folder = await ProgramFolder.make(
      Object.fromEntries(PAGES.map((page) => [fileOf(page), programOf(page)])),
    );
  });
  after(async () => {
    await folder?.remove();
    await service?.close();
  });

  it("cast nothing, and compile in a strict program", async () => {
    for (const page of PAGES) {
      const casts = programOf(page)
        .replaceAll(/^import .*$|"[^"]*"|`[^`]*`|\/\/.*$/gm, "")
        .match(/.*\bas\b.*/g);
      should(casts ?? []).be.empty();
    }
    should(await folder.check(PAGES.map(fileOf))).equal("");
  });

  for (const page of PAGES) {
    it(`run against the local service, come to what ${page} says, and end by themselves`, async () => {
      const results = await folder.run(fileOf(page), flowEnvironment(service.ready));
      should(results.filter((result) => !isTrue(result))).be.empty();
      const promised = programOf(page).match(/\btell\("/g) ?? [];
      should(results.length).equal(promised.length);
    });
  }
});
