import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import { builtClient } from "../support/built-client.ts";
import { ProgramFolder } from "../support/program.ts";

const types = fileURLToPath(new URL("../../client/dist/types", import.meta.url));

/** What editors and compilers of others see. What the types take and refuse is in `types`, which lint checks. */
describe("the types of the package", function () {
  this.timeout(120_000);

  before(builtClient);

  it("hold no any, and name nothing of another package", () => {
    const files = readdirSync(types, { recursive: true, encoding: "utf8" }).filter((file) =>
      /\.d\.m?ts$/.test(file),
    );
    should(files.length).be.above(20);
    for (const file of files) {
      const text = readFileSync(join(types, file), "utf8").replaceAll(/\/\*[\s\S]*?\*\//g, "");
      // A choice may be called "any".
      should(text.replaceAll(/"[^"\n]*"/g, '""').match(/.*\bany\b.*/g) ?? []).deepEqual([], file);
      const foreign = [...text.matchAll(/(?:from |import\()"([^."][^"]*)"/g)].map((match) => match[1]);
      should(foreign).deepEqual([], file);
    }
  });

  it("need the types of Node.js, as the page says, and nothing else", async () => {
    const folder = await ProgramFolder.make({ "program.mts": 'import "@crec-nodes/client";' });
    try {
      const missing = (await folder.check("program.mts", { types: [] })).match(/Cannot find name '\w+'/g);
      should([...new Set(missing)].sort()).deepEqual([
        "Cannot find name 'AbortSignal'",
        "Cannot find name 'URL'",
      ]);
    } finally {
      await folder.remove();
    }
  });
});
