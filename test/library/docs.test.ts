import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import should from "should";
import type { RunningService } from "../../service/src/index.ts";
import { isTrue, ProgramFolder, type Result, telling } from "../support/program.ts";
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

for (const page of ["README.md", "docs/library.md"]) {
  describe(`the program in ${page}`, function () {
    this.timeout(120_000);

    let service: RunningService;
    let folder: ProgramFolder;
    let results: Result[] = [];

    before(async () => {
      service = await startTestService();
      folder = await ProgramFolder.make({ "program.mts": programOf(page) });
    });
    after(async () => {
      await folder?.remove();
      await service?.close();
    });

    it("casts nothing", () => {
      const casts = programOf(page)
        .replaceAll(/^import .*$|"[^"]*"|`[^`]*`|\/\/.*$/gm, "")
        .match(/.*\bas\b.*/g);
      should(casts ?? []).be.empty();
    });

    it("compiles in a strict program", async () => {
      should(await folder.check("program.mts")).equal("");
    });

    it("runs against the local service, and ends by itself", async () => {
      results = await folder.run("program.mts", flowEnvironment(service.ready));
    });

    it("comes to what the page says", () => {
      should(results.filter((result) => !isTrue(result))).be.empty();
      const promised = programOf(page).match(/\btell\("/g) ?? [];
      should(results.length).equal(promised.length);
    });
  });
}
